"""Lessons: data in files, formulas computed from recorded tensors, and questions whose answers are checked."""
