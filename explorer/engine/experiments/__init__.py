"""Experiments: further passes with something changed."""
