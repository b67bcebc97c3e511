"""Keys of actions: changed, refused, remembered, and told where they are now."""

import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.shell.actions import Actions, make_actions
from explorer.app.shell.shortcuts import KeysEdit, Shortcuts, ShortcutsBox
from explorer.app.shell.text_box import TextBox
from tests.app.shell.opening import Opened, spy


def keys(text: str) -> QKeySequence:
    return QKeySequence(text)


@pytest.fixture
def actions(qtbot: QtBot) -> Iterator[Actions]:
    window = QMainWindow()  # It lives as long as its actions are used.
    qtbot.addWidget(window)
    yield make_actions(window.menuBar(), window)
    assert window is not None


def test_no_two_actions_have_the_same_usual_keys(actions: Actions) -> None:
    """Qt would do neither of them."""
    taken = [key.toString() for action in Shortcuts(actions).actions.values() for key in action.shortcuts()]
    assert [key for key in taken if taken.count(key) > 1] == []


def test_an_action_takes_new_keys_and_none(actions: Actions) -> None:
    """Pages too; the memory has what was changed and nothing else, and nothing at first."""
    shortcuts = Shortcuts(actions)
    assert shortcuts.memory == ""
    assert shortcuts.choose("export", keys("Ctrl+Shift+E")) == ""
    assert shortcuts.choose("page.tokens", keys("Ctrl+Alt+T")) == shortcuts.choose("copy", keys("")) == ""
    assert actions.by_name["export"].shortcut() == keys("Ctrl+Shift+E")
    assert json.loads(shortcuts.memory) == {"export": "Ctrl+Shift+E", "copy": "", "page.tokens": "Ctrl+Alt+T"}
    assert set(shortcuts.actions) == set(actions.by_name) | {f"page.{key}" for key in page_list.KEYS}


@pytest.mark.parametrize(
    ("name", "wanted", "why"),
    [
        ("export", "Ctrl+Z", "undo"),
        ("export", "Ctrl+2", "page.tokens"),
        ("export", "B", "plain"),
        ("export", "Shift+Left", "plain"),
        ("export", "Ctrl+E", ""),
        ("export", "F12", ""),
        ("export", "Esc", "stop"),
    ],
)
def test_keys_of_others_and_keys_of_pictures_are_refused(actions: Actions, name: str, wanted: str, why: str) -> None:
    """And the old ones stay."""
    shortcuts = Shortcuts(actions)
    assert shortcuts.choose(name, keys(wanted)) == why
    assert actions.by_name[name].shortcut() == (keys("Ctrl+E") if why else keys(wanted))


def test_usual_keys_come_back_all_of_them(actions: Actions) -> None:
    """Redo has two, which it has again when it is given its first one, and when all is reset."""
    usual = actions.by_name["redo"].shortcuts()
    shortcuts = Shortcuts(actions)
    shortcuts.choose("redo", keys("F7"))
    assert actions.by_name["redo"].shortcuts() == [keys("F7")]
    shortcuts.choose("redo", usual[0])
    assert actions.by_name["redo"].shortcuts() == usual and shortcuts.memory == ""
    shortcuts.choose("redo", keys("F7"))
    shortcuts.reset()
    assert actions.by_name["redo"].shortcuts() == usual


def test_what_was_changed_is_recalled(actions: Actions, qtbot: QtBot) -> None:
    """Also where two actions have exchanged their keys."""
    first = Shortcuts(actions)
    for name, wanted in (("undo", ""), ("export", "Ctrl+Z"), ("undo", "Ctrl+E")):
        assert first.choose(name, keys(wanted)) == ""
    window = QMainWindow()
    qtbot.addWidget(window)
    second = Shortcuts(make_actions(window.menuBar(), window))
    second.recall(first.memory)
    assert second.keys("undo") == keys("Ctrl+E") and second.keys("export") == keys("Ctrl+Z")
    assert second.memory == first.memory


@pytest.mark.parametrize(
    "memory", ["", "{", "[1]", '{"gone": "Ctrl+Alt+T"}', '{"export": 3}', '{"export": "B"}', '{"export": "Ctrl+Z"}']
)
def test_a_memory_that_cannot_be_changes_nothing(actions: Actions, memory: str) -> None:
    """A file that somebody wrote into, or one of another version."""
    shortcuts = Shortcuts(actions)
    shortcuts.recall(memory)
    assert shortcuts.memory == "" and shortcuts.keys("export") == keys("Ctrl+E")


def test_the_row_of_digits_follows_no_key_that_was_changed(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl and the place of 2 opened the tokens, and do so no longer."""
    monkeypatch.setattr("explorer.app.shell.actions.in_digit_row", lambda _event: "2")
    gone = spy(monkeypatch, opened.window, "go")
    assert opened.window.actions_.trigger_by_place(None)  # type: ignore[arg-type]
    opened.window.shortcuts.choose("page.tokens", keys("Ctrl+Alt+T"))
    assert not opened.window.actions_.trigger_by_place(None)  # type: ignore[arg-type]
    assert gone == [("tokens",)]


def opened_box(opened: Opened) -> ShortcutsBox:
    opened.window.actions_.by_name["shortcuts"].trigger()
    (box,) = opened.window.findChildren(ShortcutsBox)
    return box


def press(edit: KeysEdit, key: Qt.Key, modifier: Qt.KeyboardModifier, qtbot: QtBot) -> None:
    """As a person does: the keys, and then on to the next box, which ends the editing of this one again."""
    qtbot.keyClick(edit, key, modifier)
    edit.editingFinished.emit()


def test_the_box_changes_keys_and_says_what_stands_in_the_way(opened: Opened, qtbot: QtBot) -> None:
    """There is a row for each action; keys of another one are told with its name, and the old ones come back."""
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    box = opened_box(opened)
    assert set(box.edits) == set(opened.window.shortcuts.actions)
    press(box.edits["export"], Qt.Key.Key_J, both, qtbot)
    assert opened.window.actions_.by_name["export"].shortcut() == keys("Ctrl+Alt+J")
    press(box.edits["copy"], Qt.Key.Key_J, both, qtbot)
    assert box.notice.text() == "Ctrl+Alt+J 已经是“导出…”的。请先把它从那里去掉。"
    assert box.edits["copy"].keySequence() == opened.window.actions_.by_name["copy"].shortcut() == keys("Ctrl+Shift+C")
    press(box.edits["copy"], Qt.Key.Key_B, Qt.KeyboardModifier.NoModifier, qtbot)
    assert "Ctrl" in box.notice.text() and box.edits["copy"].keySequence() == keys("Ctrl+Shift+C")
    box.usual.click()
    assert box.edits["export"].keySequence() == opened.window.actions_.by_name["export"].shortcut() == keys("Ctrl+E")
    assert box.notice.text() == opened.words("shortcuts.hint")


def test_the_keys_box_tells_keys_as_they_are_now(opened: Opened) -> None:
    """Changed ones, and a dash for those that were taken away."""
    opened.window.shortcuts.choose("sentence", keys("Ctrl+Alt+J"))
    opened.window.shortcuts.choose("full_screen", keys(""))
    opened.window.actions_.by_name["keys"].trigger()
    (box,) = opened.window.findChildren(TextBox)
    text = box.text.toPlainText()
    assert "Ctrl+Alt+J" in text and "Ctrl+L" not in text and "F11" not in text and "Esc · – · F5" in text
