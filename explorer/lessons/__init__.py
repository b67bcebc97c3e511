"""Lessons: data in files, formulas that are computed from recorded tensors, and questions whose answers are checked."""
