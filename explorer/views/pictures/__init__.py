"""A View for each kind of Picture."""
