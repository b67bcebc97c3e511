"""What lies on this machine's disk: which kind a path is of, which models are there, and what is in their files."""
