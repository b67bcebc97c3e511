"""What is found out beside the pass."""
