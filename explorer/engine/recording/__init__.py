"""Recording: what is kept of a pass, and how much memory that takes."""
