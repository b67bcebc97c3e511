"""Writing pictures and numbers to files."""
