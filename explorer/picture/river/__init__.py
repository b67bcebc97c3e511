"""The river: one picture of a whole pass."""
