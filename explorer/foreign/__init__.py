"""Foreign models: folders that are checked, opened with transformers, and observed through taps."""
