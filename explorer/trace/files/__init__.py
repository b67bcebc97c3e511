"""Traces and recordings of others as files."""
