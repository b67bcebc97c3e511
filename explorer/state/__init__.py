"""The State: everything that a person has set up, as one value that is written and read as TOML."""
