"""The manual: chapters made from Markdown and from declarations, as HTML for the window and for a file."""
