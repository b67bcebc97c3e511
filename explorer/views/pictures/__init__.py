"""The Views, one for each kind of Picture."""
