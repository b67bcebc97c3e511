"""Keys of the window as a whole: shortcuts by the place of a key, on all keyboard layouts, and ways for the focus.

F6 and Tab go through the areas, F8 from border to border.
"""

import re
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from explorer.views.controls.grip import BorderGrip
from explorer.views.controls.tab_group import focus, step, tab_stops
from explorer.views.painting.surface import Surface

DIGIT_ROW = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "=")
"""The row of digits on an English keyboard, from the left."""

# The same keys by the number that the system gives to their place on the keyboard; on macOS the numbers are not in order.
_PLACES = {
    "linux": dict(zip(range(10, 22), DIGIT_ROW, strict=True)),
    "win32": dict(zip(range(2, 14), DIGIT_ROW, strict=True)),
    "darwin": dict(zip((18, 19, 20, 21, 23, 22, 26, 28, 25, 29, 27, 24), DIGIT_ROW, strict=True)),
}
_SHORTCUT = re.compile(r"(?:(?:Ctrl|Shift|Alt)\+)+(?:F\d+|[A-Z\d]|[−=])|\bF\d+\b|\bEsc\b")
_LETTERS = {Qt.Key.Key_Minus: "-", Qt.Key.Key_Equal: "="} | {Qt.Key(Qt.Key.Key_0 + digit): str(digit) for digit in range(10)}


def in_digit_row(event: QKeyEvent, platform: str = sys.platform) -> str | None:
    """The key of the row of digits that was pressed with Ctrl, on a keyboard where it writes another character.

    A French keyboard writes & é " there and needs Shift for digits; a German one has ß in place of −. None for all other
    keys, and for keys that write the same as on an English keyboard, because Qt's shortcuts handle those.
    """
    if event.modifiers() != Qt.KeyboardModifier.ControlModifier:
        return None
    place = event.nativeVirtualKey() if platform == "darwin" else event.nativeScanCode()
    pressed = _PLACES.get("linux" if platform.startswith("linux") else platform, {}).get(place)
    return None if pressed is None or _LETTERS.get(Qt.Key(event.key())) == pressed else pressed


def native_names(text: str, named: Callable[[str], str]) -> str:
    """The text with each of its shortcuts as `named` writes it: ⌘E on macOS, Ctrl+E elsewhere."""
    return _SHORTCUT.sub(lambda found: named(found[0].replace("\N{MINUS SIGN}", "-")).replace("-", "\N{MINUS SIGN}"), text)


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

    def go_to_border(self) -> None:
        """Give the focus to the next border that arrow keys move, from left to right."""
        grips = [each for each in self._window.findChildren(BorderGrip) if each.isVisible()]
        grips.sort(key=lambda each: each.mapTo(self._window, QPoint()).x())
        if grips:
            here = next((place for place, each in enumerate(grips) if each.hasFocus()), -1)
            grips[(here + 1) % len(grips)].setFocus(Qt.FocusReason.ShortcutFocusReason)

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
