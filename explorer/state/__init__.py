"""What a person has set up: one value, written and read as TOML."""
