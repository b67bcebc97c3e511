"""Qt widgets: a View for each kind of Picture, and the controls beside them."""
