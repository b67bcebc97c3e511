"""Pictures and numbers to files."""
