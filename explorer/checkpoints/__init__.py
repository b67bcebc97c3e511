"""Checkpoints of courses, written as folders that open."""
