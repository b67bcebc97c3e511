"""The engine: the work of the compute thread, from a Request to a Frame. No Qt."""
