"""Trainings that the window starts and follows."""
