"""Checkpoints of courses."""
