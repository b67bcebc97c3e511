"""Figures about recorded arrays: of heads, of taps, of many sentences."""
