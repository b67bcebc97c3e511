"""Passes: from a Wish to a recorded pass of its model."""
