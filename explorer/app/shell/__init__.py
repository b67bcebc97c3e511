"""The window around the pages: menus, header, sentences, knobs, status line and dialogs."""
