"""The courses whose checkpoints are known, each a declaration."""
