"""What a person has set up, and the thread that answers."""
