"""The lesson panel at the left of the pages."""
