"""A theme that is chosen in the program is told to the system."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app import appearance as module
from explorer.app.appearance import Appearance
from explorer.app.session.preferences import Preferences
from explorer.picture.theme import DARK, LIGHT
from explorer.views.painting.motion import STILL, may_move


class _Hints(QObject):
    """Qt's hints on a system that has a scheme; the platform without a screen has none."""

    colorSchemeChanged = Signal(Qt.ColorScheme)  # noqa: N815  Qt's name

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Qt.ColorScheme | None] = []

    def setColorScheme(self, scheme: Qt.ColorScheme) -> None:
        self.asked.append(scheme)

    def unsetColorScheme(self) -> None:
        self.asked.append(None)

    def colorScheme(self) -> Qt.ColorScheme:
        return (self.asked[-1] if self.asked else None) or Qt.ColorScheme.Dark


def test_a_chosen_theme_reaches_title_bar_and_the_systems_dialogs(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take their colours from Qt's scheme; "as the system" gives the scheme back and follows it."""
    hints = _Hints()
    monkeypatch.setattr(module, "QGuiApplication", SimpleNamespace(styleHints=lambda: hints))
    before = qapp.palette()
    appearance = Appearance(Preferences(), "en")
    try:
        for choice, asked, theme in (
            ("dark", Qt.ColorScheme.Dark, DARK),
            ("light", Qt.ColorScheme.Light, LIGHT),
            ("system", None, DARK),
        ):
            appearance.choose_theme(choice)
            assert (hints.asked[-1], appearance.theme) == (asked, theme)
    finally:
        appearance.close()
        qapp.setStyleSheet("")
        qapp.setPalette(before)


def test_motion_is_as_somebody_wants_it_or_as_the_system_says(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The choice is remembered; "as the system" is still where the system says so, and nothing is said where it does not."""
    kept = qapp.property(STILL)
    monkeypatch.setattr(module, "system_is_still", lambda: says)
    says = False
    appearance = Appearance(Preferences(), "en")
    try:
        assert appearance.motion == "system" and qapp.property(STILL) is None
        for choice, told in (("reduced", False), ("full", True)):
            appearance.choose_motion(choice)
            assert may_move() is told and Preferences().motion == choice
        says = True
        assert Appearance(Preferences(), "en").motion == "full" and may_move()
        appearance.choose_motion("system")
        assert not may_move()
    finally:
        appearance.close()
        qapp.setProperty(STILL, kept)
