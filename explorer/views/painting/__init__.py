"""What Views share."""
