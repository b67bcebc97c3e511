"""The pages and their cards."""
