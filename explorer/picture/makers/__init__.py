"""Makers turn a Trace into a Picture; each file has one subject."""
