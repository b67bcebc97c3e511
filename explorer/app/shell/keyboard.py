"""Keys that stand elsewhere on other keyboards, and what keys are called on this system."""

import re
import sys
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

DIGIT_ROW = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "=")
"""What an English keyboard has in the row of digits, from the left."""

# The same keys by the number that the system gives to the place: of X11 and Wayland, of Windows, and of macOS, where they are
# not in order.
_PLACES = {
    "linux": dict(zip(range(10, 22), DIGIT_ROW, strict=True)),
    "win32": dict(zip(range(2, 14), DIGIT_ROW, strict=True)),
    "darwin": dict(zip((18, 19, 20, 21, 23, 22, 26, 28, 25, 29, 27, 24), DIGIT_ROW, strict=True)),
}
_SHORTCUT = re.compile(r"(?:(?:Ctrl|Shift|Alt)\+)+(?:F\d+|[A-Z\d]|[−=])|\bF\d+\b|\bEsc\b")
_LETTERS = {Qt.Key.Key_Minus: "-", Qt.Key.Key_Equal: "="} | {Qt.Key(Qt.Key.Key_0 + digit): str(digit) for digit in range(10)}


def in_digit_row(event: QKeyEvent, platform: str = sys.platform) -> str | None:
    """Which key of the row of digits was pressed with Ctrl alone, where the keyboard writes something else with it.

    A French one writes & é " and takes Shift for digits; a German one has ß where − stands. None for all other keys: those
    that write what an English one does are the shortcuts' own.
    """
    if event.modifiers() != Qt.KeyboardModifier.ControlModifier:
        return None
    place = event.nativeVirtualKey() if platform == "darwin" else event.nativeScanCode()
    pressed = _PLACES.get("linux" if platform.startswith("linux") else platform, {}).get(place)
    return None if pressed is None or _LETTERS.get(Qt.Key(event.key())) == pressed else pressed


def native_names(text: str, name: Callable[[str], str] | None = None) -> str:
    """A text with its shortcuts as this system writes them: ⌘E on macOS, Ctrl+E elsewhere."""
    named = name or _native_name
    return _SHORTCUT.sub(lambda found: named(found[0].replace("\N{MINUS SIGN}", "-")).replace("-", "\N{MINUS SIGN}"), text)


def _native_name(shortcut: str) -> str:
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
