"""Other people's models: folders that are checked, opened with transformers, and seen through taps."""
