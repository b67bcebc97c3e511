"""Everything that only makes an answer come sooner. Without it the program would give the same answers."""
