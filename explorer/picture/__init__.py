"""Numbers, labels and scale, ready to draw; numpy only."""
