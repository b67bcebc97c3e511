"""What a pass recorded."""
