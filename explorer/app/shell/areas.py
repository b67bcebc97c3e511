"""F6 goes from area to area of the window, as in other desktop programs: header, sentences, lessons, page, knobs."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from explorer.views.controls.tab_group import controls_in
from explorer.views.painting.surface import Surface


class Areas(QObject):
    """The areas of a window in reading order. Each gives the focus back to what had it last."""

    def __init__(self, areas: Sequence[QWidget], parent: QObject) -> None:
        super().__init__(parent)
        self._areas = tuple(areas)

    def go_on(self) -> None:
        """To the next area that is there."""
        self._go(1)

    def go_back(self) -> None:
        """To the area before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        there = [area for area in self._areas if area.isVisible() and controls_in(area)]
        if not there:
            return
        focused = QApplication.focusWidget()
        here = next((place for place, area in enumerate(there) if focused is not None and area.isAncestorOf(focused)), None)
        place = (0 if step > 0 else len(there) - 1) if here is None else (here + step) % len(there)
        _entry(there[place]).setFocus(Qt.FocusReason.TabFocusReason)


def _entry(area: QWidget) -> QWidget:
    """What takes the focus in an area: what had it last, otherwise the first view, otherwise the first control."""
    controls = controls_in(area)
    last = area.focusWidget()
    if last in controls:
        return last
    return next((each for each in controls if isinstance(each, Surface)), controls[0])
