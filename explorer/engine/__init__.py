"""The work of the compute thread; no Qt."""
