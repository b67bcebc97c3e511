"""The Trace: what one pass through a model recorded, in NumPy."""
