"""The manual: chapters of Markdown and of what is declared elsewhere, as HTML for the window and for a file."""
