"""The folders that were opened last, and what may be dropped on the window."""

from collections.abc import Callable

import attrs
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.folders import Folders
from explorer.errors import EmptyText, FolderIsGone, SeveralGguf
from explorer.presets import titles
from explorer.state.intents import OpenFolder
from explorer.state.state import State


def made(qtbot: QtBot) -> Folders:
    window = QWidget()
    qtbot.addWidget(window)
    folders = Folders(window, QMenu(window))
    folders.window = window  # type: ignore[attr-defined]  # Qt deletes what a parent has that nobody holds.
    return folders


class Kept:
    """A text that two windows share."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __call__(self, by: Callable[[str], str]) -> str:
        self.text = by(self.text)
        return self.text


def told(folders: Folders) -> list[str]:
    return [action.text() for action in folders.recents.menu.actions()]


def test_the_newest_stands_first_and_eight_are_kept(qtbot: QtBot) -> None:
    """Each once; bundled presets are not in the list; what was kept comes back."""
    folders, wish = made(qtbot), State.from_preset("tiny").wish
    folders.opened(wish)
    assert folders.recents.paths == () and not folders.recents.menu.menuAction().isVisible()
    for number in (*range(10), 4):
        folders.opened(attrs.evolve(wish, preset=f"/m/{number}"))
    assert told(folders) == ["4", "9", "8", "7", "6", "5", "3", "2"]
    kept = Kept()
    folders.recents.keep(kept)
    assert folders.recents.paths == ()  # What is kept counts.
    kept.text = "/m/4\n/m/9"
    other = made(qtbot)
    other.recents.keep(kept)
    folders.recents.keep(kept)
    assert other.recents.paths == folders.recents.paths == ("/m/4", "/m/9") and told(other) == ["4", "9"]


def test_two_windows_add_to_one_list(qtbot: QtBot) -> None:
    """What one opens the other one offers too, and neither takes away what the other has opened or dropped."""
    kept, wish = Kept(), State.from_preset("tiny").wish
    one, two = made(qtbot), made(qtbot)
    for each in (one, two):
        each.recents.keep(kept)
    one.opened(attrs.evolve(wish, preset="/m/1"))
    two.opened(attrs.evolve(wish, preset="/m/2"))
    assert two.recents.paths == ("/m/2", "/m/1")
    one.failed(FolderIsGone(path="/m/1"))
    assert one.recents.paths == ("/m/2",)
    two.recents.menu.aboutToShow.emit()
    assert told(two) == told(one) == ["2"] and kept.text == "/m/2"


def test_a_folder_that_is_gone_is_offered_no_more(qtbot: QtBot) -> None:
    """Any other error takes none away."""
    folders = made(qtbot)
    folders.recents.keep(Kept("/m/a\n/m/b"))
    folders.failed(EmptyText())
    assert folders.recents.paths == ("/m/a", "/m/b")
    folders.failed(FolderIsGone(path="/m/a"))
    assert folders.recents.paths == ("/m/b",)


def test_the_menu_asks_for_a_folder(qtbot: QtBot) -> None:
    """Each is called by its name, whatever signs are in it."""
    folders, asked = made(qtbot), list[object]()
    folders.wished.connect(asked.append)
    folders.recents.keep(Kept("/m/a\n/m/b & c"))
    folders.recents.menu.actions()[1].trigger()
    assert asked == [OpenFolder("/m/b & c")]
    assert told(folders) == ["a", "b && c"]


def test_folders_are_called_by_what_tells_them_apart() -> None:
    """The last part of the path; with the one before where two are called alike, or where it is only "model"."""
    assert titles(("/m/gpt2", "/m/bert")) == ("gpt2", "bert")
    assert titles(("/a/gpt2", "/b/gpt2")) == ("a/gpt2", "b/gpt2")
    assert titles(("/x/minilm/model",)) == ("minilm/model",)
    assert titles(("/c/models--openai--gpt2/snapshots/0123abc",)) == ("openai/gpt2",)


def test_of_several_models_in_a_folder_one_is_to_be_chosen(qtbot: QtBot) -> None:
    """Its folder is told, and nothing is opened."""
    folders, told, wished = made(qtbot), list[str](), list[object]()
    folders.several.connect(told.append)
    folders.wished.connect(wished.append)
    folders.failed(SeveralGguf(path="/m/a", count=2, found="…", example="/m/a/small.gguf"))
    assert (told, wished) == (["/m/a"], [])
