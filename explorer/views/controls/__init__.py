"""Controls beside the pictures: knobs, boxes to type into, and texts to read."""
