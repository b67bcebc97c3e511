"""The dialogs in which files are chosen."""

import faulthandler
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog, QStyle, QStyleOptionToolButton, QToolButton, QTreeView
from pytestqt.qtbot import QtBot

from explorer.app.file_dialogs import native_dialog, start_in
from explorer.picture.theme import LIGHT
from explorer.views.painting.style import use_theme

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("platform", "meanwhile"), [("win32", False), ("linux", True)])
def test_a_native_dialog_on_windows_is_no_crash(platform: str, meanwhile: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """faulthandler would report the exceptions that Windows handles itself in there; afterwards it watches again."""
    calls: list[str] = []
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: True)
    monkeypatch.setattr(faulthandler, "disable", lambda: calls.append("off"))
    monkeypatch.setattr(faulthandler, "enable", lambda _file: calls.append("on"))
    with native_dialog():
        assert calls == ([] if meanwhile else ["off"])
    assert calls == ([] if meanwhile else ["off", "on"])


def test_a_file_dialog_begins_in_a_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of what was chosen last, else the documents, else the user's own: a system may name one that nobody has made."""
    home, named = tmp_path / "home", tmp_path / "home" / "Documents"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _place: str(named))
    chosen = tmp_path / "models" / "gpt2"
    assert start_in() == start_in(str(chosen)) == str(home)
    named.mkdir()
    assert start_in() == start_in(str(chosen)) == str(named)
    chosen.mkdir(parents=True)
    assert start_in(str(chosen)) == str(chosen.parent)


def test_in_qts_file_dialog_dates_are_whole_and_signs_can_be_seen(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    """Qt sizes the columns for shorter dates, and the program's tool buttons left 6 of 16 pixels for a sign."""
    (tmp_path / "a lesson with a name.toml").touch()
    use_theme(qapp, LIGHT)
    dialog = QFileDialog(None, "", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    try:
        with native_dialog():
            dialog.show()
            qtbot.waitUntil(lambda: dialog.width() >= 760)
        tree = dialog.findChild(QTreeView)
        root = tree.rootIndex()
        qtbot.waitUntil(lambda: tree.model().rowCount(root) == 1)
        for column in (1, 2, 3):
            wanted = tree.fontMetrics().horizontalAdvance(tree.model().index(0, column, root).data() or "")
            qtbot.waitUntil(lambda column=column, wanted=wanted: tree.columnWidth(column) >= wanted)
        for button in dialog.findChildren(QToolButton):
            option = QStyleOptionToolButton()
            button.initStyleOption(option)
            room = button.style().subControlRect(
                QStyle.ComplexControl.CC_ToolButton, option, QStyle.SubControl.SC_ToolButton, button
            )
            contents = button.style().sizeFromContents(QStyle.ContentsType.CT_ToolButton, option, QSize(16, 16), button)
            assert contents.width() <= room.width(), button.objectName()
    finally:
        dialog.close()
        dialog.deleteLater()
        qapp.setStyleSheet("")
