"""A picture on the clipboard."""

from PySide6.QtGui import QGuiApplication

from explorer.app.shell.appearance import Appearance
from explorer.picture.kinds import Picture


def copy_to_clipboard(picture: Picture, appearance: Appearance) -> None:
    """Draw a picture as files have it, in the window's language and theme, and put it onto the clipboard."""
    from explorer.export.raster import image
    from explorer.picture.figure.svg import render  # Figures need fontTools, 0.1 s to import.

    QGuiApplication.clipboard().setImage(image(render(picture, appearance.words, appearance.theme, with_fonts=False)))
