"""What is turned, typed into and read beside the pictures."""
