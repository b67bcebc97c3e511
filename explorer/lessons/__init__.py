"""Lessons: data in files, formulas that are computed on what the model recorded, questions whose answers are checked."""
