"""Traces as files, and recordings of other programs."""
