"""Keys on keyboards of other countries, and what keys are called on other systems."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from explorer.app.shell.keyboard import in_digit_row, native_names

_CTRL = Qt.KeyboardModifier.ControlModifier


def _pressed(key: Qt.Key, scan: int = 0, virtual: int = 0, modifiers: Qt.KeyboardModifier = _CTRL) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers, scan, virtual, 0)


@pytest.mark.parametrize(
    ("key", "scan", "expected"),
    [
        (Qt.Key.Key_Ampersand, 10, "1"),
        (Qt.Key.Key_Eacute, 11, "2"),
        (Qt.Key.Key_Minus, 15, "6"),  # French
        (Qt.Key.Key_Agrave, 19, "0"),
        (Qt.Key.Key_ParenRight, 20, "-"),
        (Qt.Key.Key_ssharp, 20, "-"),
        (Qt.Key.Key_Dead_Acute, 21, "="),  # German
        (Qt.Key.Key_1, 10, None),
        (Qt.Key.Key_0, 19, None),
        (Qt.Key.Key_Minus, 20, None),
        (Qt.Key.Key_Equal, 21, None),  # English
        (Qt.Key.Key_E, 26, None),
        (Qt.Key.Key_Ampersand, 0, None),
    ],
)
def test_the_row_of_digits_is_known_by_place(key: Qt.Key, scan: int, expected: str | None) -> None:
    """What an English keyboard writes there is left to the shortcuts."""
    assert in_digit_row(_pressed(key, scan), "linux") == expected


def test_each_system_counts_its_keys_its_own_way() -> None:
    """Windows from 2, macOS in an order of its own."""
    assert in_digit_row(_pressed(Qt.Key.Key_Ampersand, scan=2), "win32") == "1"
    assert in_digit_row(_pressed(Qt.Key.Key_ParenLeft, virtual=23), "darwin") == "5"
    assert in_digit_row(_pressed(Qt.Key.Key_ParenLeft, scan=14), "somewhere") is None


def test_only_ctrl_alone_counts() -> None:
    """Without it the key writes; AltGr, which is Ctrl and Alt on Windows, writes as well."""
    for modifiers in (
        Qt.KeyboardModifier.NoModifier,
        _CTRL | Qt.KeyboardModifier.AltModifier,
        _CTRL | Qt.KeyboardModifier.ShiftModifier,
    ):
        assert in_digit_row(_pressed(Qt.Key.Key_Ampersand, 10, modifiers=modifiers), "linux") is None


def test_the_help_names_keys_as_the_system_does() -> None:
    """Every shortcut in it, and nothing else."""
    text = "<td>Ctrl+1 … Ctrl+9, Ctrl+−, Ctrl+=</td><td>Ctrl+Shift+Z</td><td>F11 · Esc</td><td>M · S · R</td><td>Escape</td>"
    seen: list[str] = []
    made = native_names(text, lambda shortcut: seen.append(shortcut) or f"<{shortcut}>")  # type: ignore[func-returns-value]
    assert seen == ["Ctrl+1", "Ctrl+9", "Ctrl+-", "Ctrl+=", "Ctrl+Shift+Z", "F11", "Esc"]
    assert "<td>M · S · R</td><td>Escape</td>" in made and "<Ctrl+Shift+Z>" in made
