"""The window, its session and its preferences."""
