"""Where things stand in a picture: plain geometry, for the window and for files."""
