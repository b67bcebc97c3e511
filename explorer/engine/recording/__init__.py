"""What of a pass is kept, and how much memory that takes."""
