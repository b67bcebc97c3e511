"""The scan of many sentences."""
