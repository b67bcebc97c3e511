"""Qt widgets, one for each kind of Picture."""
