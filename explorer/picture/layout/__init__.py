"""Where the parts of a picture stand: plain geometry, used by the window and by exported files."""
