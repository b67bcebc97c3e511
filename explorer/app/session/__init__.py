"""The State that a person has set up, and its way to the compute thread and back."""
