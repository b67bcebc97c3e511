"""What the menus leave to the system."""

import sys

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from explorer.app.shell.actions import make_actions


def test_macos_takes_two_actions_into_the_programs_menu_and_guesses_none(qtbot: QtBot) -> None:
    """By the words of their texts it would take others too."""
    window = QMainWindow()
    qtbot.addWidget(window)
    named = make_actions(window.menuBar(), window).by_name
    roles = {name: action.menuRole() for name, action in named.items()}
    assert roles.pop("about") == QAction.MenuRole.AboutRole
    assert roles.pop("quit") == QAction.MenuRole.QuitRole
    assert set(roles.values()) == {QAction.MenuRole.NoRole}


@pytest.mark.parametrize(("system", "own"), [("darwin", {"Ctrl+Shift+Z"}), ("win32", {"Ctrl+Shift+Z", "Ctrl+Y"})])
def test_redo_has_the_systems_key_beside_ours(
    system: str, own: set[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows knows Ctrl+Y, which hides the knobs of other programs on macOS."""
    monkeypatch.setattr(sys, "platform", system)
    window = QMainWindow()
    qtbot.addWidget(window)
    redo = make_actions(window.menuBar(), window).by_name["redo"]
    assert own <= {key.toString() for key in redo.shortcuts()}
