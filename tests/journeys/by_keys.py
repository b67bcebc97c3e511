"""What a person without a mouse or a screen has of a page: the focus, arrow keys, and what a screen reader is told."""

from collections.abc import Callable, Iterable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from explorer.app.shell.window import Window
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.tab_group import visible_in
from explorer.views.painting import spoken
from explorer.views.painting.surface import Surface

MOST = 8
ARROWS = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up)
WORDY = ("TreeView", "RewordingView")  # The root of a tree and a word that has not changed have no number.


def press(window: Window, keys: Iterable[Qt.Key]) -> list[QWidget]:
    """Press keys where the focus is, one after the other; returns what has the focus after each."""
    visited = []
    for key in keys:
        if key == Qt.Key.Key_F6:  # Shortcuts need a window that is active, which no window is without a screen.
            window.actions_.by_name["next_area"].trigger()
        else:
            QTest.keyClick(window.focusWidget(), key)
        focused = window.focusWidget()
        visited.append(focused)
    return visited


def reached(window: Window) -> set[QWidget]:
    """What has the focus within so many presses of Tab or Shift+Tab from the sentence; F6 counts as one of them."""
    found: set[QWidget] = set()
    for first in ((), (Qt.Key.Key_F6,)):
        for step in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            window.sentences.source_edit.setFocus()
            found |= set(press(window, [*first, *[step] * (MOST - len(first))]))
    return found


def out_of_reach(window: Window) -> Iterator[str]:
    """The pictures of the page in front that so many presses do not reach."""
    focused = reached(window)
    for card in window.page_stack.page.cards:
        view: QWidget = card.view  # type: ignore[assignment]  # A view is a widget too.
        if card.isVisible() and not any(each is view or view.isAncestorOf(each) for each in focused):
            yield card.title.text()


def unheard(window: Window, settle: Callable[[], None]) -> Iterator[str]:
    """The pictures of the page in front that a screen reader has no name, no description or no figure of a cell for."""
    with pytest.MonkeyPatch.context() as patch:
        heard = listened(patch)
        for card in window.page_stack.page.cards:
            view: QWidget = card.view  # type: ignore[assignment]  # A view is a widget too.
            if not view.isVisible() or card.picture is None:
                continue
            where = type(view).__name__
            if not view.accessibleName() or not view.accessibleDescription():
                yield f"{where} has no name or no description"
            heard.clear()
            view.setFocus()
            for arrow in ARROWS:
                QTest.keyClick(view, arrow)
                settle()
            said = {text for who, text in heard if who is view}
            if not said or not all(said):
                yield f"{where} says nothing of a cell"
            elif where not in WORDY and not any(map(str.isdigit, "".join(said))):
                yield f"{where} says no figure"


def listened(patch: pytest.MonkeyPatch) -> list[tuple[QWidget, str]]:
    """What a screen reader will be told, by which view, until the patch ends."""
    found: list[tuple[QWidget, str]] = []
    patch.setattr(spoken.QAccessible, "isActive", lambda: True)
    patch.setattr(spoken, "announce", lambda view, text: found.append((view, text)))
    return found


def nameless(window: Window) -> Iterator[str]:
    """What takes the focus and does not say what it is."""
    for widget in visible_in(window):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.objectName().startswith("qt_") and not _named(widget):
            yield f"{type(widget).__name__} in {type(widget.parent()).__name__}"


def fillers(window: Window, *, at_first: bool = False) -> Iterator[str]:
    """What takes the focus or shows a picture, and has no role or no name for a screen reader.

    Only pictures and boxes to choose from are asked `at_first`; buttons are empty until there is something that they do.
    """
    views = [card.view for card in window.page_stack.page.cards]
    for widget in visible_in(window):
        focused = bool(widget.focusPolicy()) and not widget.objectName().startswith("qt_") and not at_first
        if focused or widget in views or isinstance(widget, Surface | ChoiceBox):
            asked = QAccessible.queryAccessibleInterface(widget)
            if asked.role() in (QAccessible.Role.NoRole, QAccessible.Role.Client) or not asked.text(QAccessible.Text.Name):
                yield f"{type(widget).__name__} in {type(widget.parent()).__name__} is a nameless {asked.role().name}"


def _named(widget: QWidget) -> bool:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return bool(widget.accessibleName() or len(text) > 1)
