"""Texts of a window that have less room than they need."""

from collections.abc import Iterable, Iterator

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QToolButton, QWidget

from explorer.app.pages.card import Card
from explorer.app.shell.window import Window
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.fitting_labels import TitleLabel
from explorer.views.controls.tab_group import visible_in


def cut_off(window: Window, size: tuple[int, int]) -> Iterator[str]:
    """The texts and controls without room in a window that shall have this size, and whether it has."""
    seen = list(visible_in(window))
    yield from cut_texts(window, seen)
    yield from cut_controls(seen)
    if size != (window.width(), window.height()):
        yield f"the window has {window.width()}×{window.height()} px"


def cut_texts(window: Window, seen: Iterable[QWidget]) -> list[str]:
    """The texts among the visible widgets that have less room than they need."""
    found = []
    for widget in seen:
        if isinstance(widget, ChoiceBox) and widget.shown() != widget.currentText():
            found.append(widget.currentText())
        if isinstance(widget, QLabel) and (isinstance(widget, TitleLabel) or window.side.isAncestorOf(widget)):
            wide, high = widget.width(), widget.height()
            needed = widget.fontMetrics().horizontalAdvance(widget.text())
            if high < widget.heightForWidth(wide) - 1 if widget.wordWrap() else wide < needed:
                found.append(widget.text())
        if isinstance(widget, QAbstractButton) and "…" in widget.text():
            found.append(widget.text())
    return found


def cut_controls(seen: Iterable[QWidget]) -> list[str]:
    """The visible buttons that are narrower than they must be, and labels of cards that are narrower than their text."""
    found = []
    for widget in seen:
        card, needed_px = widget.parent(), 0
        if isinstance(widget, QToolButton) and not isinstance(card, QLineEdit):
            needed_px = widget.minimumSizeHint().width()
        elif isinstance(widget, QLabel) and isinstance(card, Card) and widget is not card.title and not widget.wordWrap():
            needed_px = widget.sizeHint().width() - 1  # A title ends in an ellipsis.
        if widget.width() < needed_px:
            found.append(widget.text())  # type: ignore[attr-defined]  # It is a button or a label.
    return found
