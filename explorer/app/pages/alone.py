"""A page without the window around it, for a figure of all its pictures."""

import importlib

from PySide6.QtCore import QRect

from explorer import page_list
from explorer.app.pages.arranging import arranged
from explorer.app.pages.page import Page
from explorer.errors import NothingOnPage
from explorer.lang import Words
from explorer.picture.layout.arranged import Arranged
from explorer.state.look import Look
from explorer.trace.trace import Trace

_WIDE, _HIGH = 1190, 640
"""The room (px) of the pages in a window of 1440 × 900."""


def page_class(key: str) -> type[Page]:
    """The class of a page, one of `page_list.KEYS`. Its views are imported with it."""
    found: type[Page] = importlib.import_module(page_list.module_of(key)).PAGE
    return found


def pictures_of_page(key: str, trace: Trace, look: Look, words: Words) -> Arranged:
    """The pictures that a page shows of a Trace, arranged as in the window. There must be a QApplication.

    Raises NothingOnPage.
    """
    page = page_class(key)()
    page.resize(_WIDE, _HIGH)
    page.speak(words)
    found = None
    if not page.lacks(trace):
        page.draw(trace, look, words)
        page.grab(QRect(0, 0, 1, 1))  # A page that is not shown is only laid out when it is painted.
        found = arranged(page)
    page.deleteLater()
    if found is None:
        raise NothingOnPage(page=words(f"page.{key}"))
    return found
