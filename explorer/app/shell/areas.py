"""The areas of the window: F6 goes from one to the next, as in other desktop programs, and Tab through all of them."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from explorer.views.controls.tab_group import focus, step, tab_stops
from explorer.views.painting.surface import Surface


class Areas(QObject):
    """The areas in reading order: header, sentences, lessons, page, knobs, status line."""

    def __init__(self, areas: Sequence[QWidget], window: QWidget) -> None:
        super().__init__(window)
        self._areas, self._window = tuple(areas), window

    def go_on(self) -> None:
        """Give the focus to the next area that is there."""
        self._go(1)

    def go_back(self) -> None:
        """Give the focus to the area before."""
        self._go(-1)

    def tab(self, forward: bool) -> bool:
        """Give the focus to the next stop of Tab; returns False where the focus is in no area."""
        return step(self._there(), self._window.focusWidget(), forward)

    def _there(self) -> list[QWidget]:
        return [area for area in self._areas if area.isVisible()]

    def _go(self, direction: int) -> None:
        there = [area for area in self._there() if tab_stops([area])]
        focused = self._window.focusWidget()
        here = next((place for place, area in enumerate(there) if focused is not None and area.isAncestorOf(focused)), None)
        if there:
            start = here if here is not None else -1 if direction > 0 else len(there)
            focus(_entry(there[(start + direction) % len(there)]))


def _entry(area: QWidget) -> QWidget:
    """What takes the focus in an area: what had it last, otherwise the first view, otherwise the first stop."""
    stops = tab_stops([area])
    last = area.focusWidget()
    known = next((stop for stop in reversed(stops) if stop.holds(last)), None)
    first_view = next((stop for stop in stops if isinstance(stop.control, Surface)), stops[0])
    return (known or first_view).control
