"""Sessions as a user has them: opened, saved, dropped, named in the title bar, and back after a kill."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from explorer.app.session.remembered import open_folder, remembered_path
from explorer.app.shell.window import Window
from explorer.picture.theme import LIGHT
from explorer.resources import config_folder
from explorer.state.intents import OpenFolder, SetKnob, SetPreset, SetText, look_at
from explorer.state.saved import Saved
from explorer.state.state import State
from tests.dragging import drop
from tests.journeys.conftest import Journey


def chosen(monkeypatch: pytest.MonkeyPatch, *paths: Path | str, kind: str = "") -> list[str]:
    """The user chooses these one after another; the list has what each dialog began with."""
    asked, left = [], list(paths)

    def choose(_parent: object, _title: str, start: str, _kinds: str, _picked: str = "") -> tuple[str, str]:
        asked.append(start)
        return str(left.pop(0)), kind

    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(choose))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(choose))
    return asked


def test_a_session_is_saved_changed_and_opened_again(journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The title bar says which one is open and whether it lacks changes; closing asks nothing, and they come back."""
    path, other = tmp_path / "课堂.explorer.toml", tmp_path / "other.explorer.toml"

    def first(window: Window) -> None:
        journey.settle(window)
        title = window.windowTitle()
        for intent in (SetText("我爱北京天安门"), SetKnob("temperature", 1.5), look_at(layer=1, head=1)):
            window.session.ask(intent)
        window.go("attention")
        journey.settle(window)
        saved = window.session.state
        chosen(monkeypatch, tmp_path / "课堂")
        window.actions_.by_name["save_session"].trigger()
        journey.wait(path.exists)
        journey.wait(lambda: "课堂" in window.windowTitle() and not window.isWindowModified())
        assert title in window.windowTitle() and "已保存" in window.status.message.text()
        assert State.load(path) == saved

        window.session.ask(SetText("狗"))
        assert window.isWindowModified()
        chosen(monkeypatch, other)
        window.actions_.by_name["save_session_as"].trigger()
        journey.wait(lambda: window.sessions.file.path == other)
        recent = [action.data() for action in window.actions_.menus["recent_sessions"].actions()]
        assert recent == [str(other), str(path)]

        window.actions_.menus["recent_sessions"].actions()[1].trigger()
        journey.wait(lambda: window.sessions.file.path == path)
        journey.settle(window)
        assert window.session.state == saved
        assert "我爱北京天安门" == window.sentences.source_edit.text() and "attention" == window.page_stack.page.key
        assert not window.isWindowModified()
        window.actions_.by_name["undo"].trigger()
        assert "狗" == window.session.state.wish.text and window.isWindowModified()

    def second(window: Window) -> None:
        journey.settle(window)
        assert "狗" == window.session.state.wish.text
        assert window.sessions.file.path == path and window.isWindowModified()
        assert window.sessions.recents.paths == (str(path), str(other))
        assert not window.left_open.isVisible()
        window.actions_.by_name["save_session"].trigger()
        journey.wait(lambda: not window.isWindowModified())
        assert "狗" == State.load(path).wish.text

    journey.run(first, "gui")
    journey.run_as_left(second)


def test_a_session_is_opened_by_the_dialog_a_drop_and_the_command_line(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain one and one with its presets; what is none is refused by a sentence, and nothing is lost."""
    paths = [tmp_path / "a.explorer.toml", tmp_path / "b.explorer", tmp_path / "c.explorer.toml"]
    for path, text in zip(paths, ("一", "二", "三"), strict=True):
        State.from_preset("tutorial-c", text).save(path)
    newer = tmp_path / "newer.explorer.toml"
    newer.write_text('version = 99\npreset = "tiny"\n')
    later = tmp_path / "later.explorer.toml"
    later.write_text('version = 1\npreset = "tiny"\ntext = "四"\nwings = 2\n')

    def script(window: Window) -> None:
        journey.settle(window)
        assert ("一", "a") == (window.session.state.wish.text, window.sessions.file.name)
        assert not window.isWindowModified() and not window.invitation.isVisible()
        drop(window, paths[1])
        journey.wait(lambda: window.session.state.wish.text == "二")
        began = chosen(monkeypatch, paths[2], "")
        window.actions_.by_name["open_file"].trigger()
        journey.wait(lambda: window.session.state.wish.text == "三")
        window.actions_.by_name["open_file"].trigger()  # The user gives up.
        assert began == [str(paths[1]), str(paths[2])]
        journey.settle(window)
        before = window.session.state
        drop(window, newer)
        journey.wait(lambda: "99" in window.refusals.text.text())
        assert window.session.state == before and window.sessions.file.path == paths[2]
        drop(window, later)
        journey.wait(lambda: "wings" in window.status.message.text())
        assert window.session.state.wish.text == "四"
        paths[0].unlink()
        window.sessions.open(str(paths[0]))
        journey.wait(lambda: str(paths[0]) not in window.sessions.recents.paths)
        journey.settle(window)

    journey.run_as_left(script, "gui", "--session", str(paths[0]))


def test_save_as_asks_before_it_replaces_a_file_that_the_ending_names(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dialog asks for the name that was chosen; with the ending it is another one, so it is opened again with it."""
    there = tmp_path / "a.explorer"
    there.write_text("precious")

    def script(window: Window) -> None:
        journey.settle(window)
        kind = window.appearance.words("session.with_weights", suffix="*.explorer")
        began = chosen(monkeypatch, tmp_path / "a", "", kind=kind)
        window.actions_.by_name["save_session_as"].trigger()
        assert began[1:] == [str(there)] and there.read_text() == "precious"
        chosen(monkeypatch, there, kind=kind)
        window.actions_.by_name["save_session_as"].trigger()
        journey.wait(lambda: window.sessions.file.path == there)
        assert State.load(there) == window.session.state

    journey.run(script, "gui")


def test_a_session_takes_the_colours_of_the_theme(journey: Journey, tmp_path: Path) -> None:
    """One that was saved in the light is opened in the dark; colours of somebody's choice stay."""
    plain, own = tmp_path / "a.explorer.toml", tmp_path / "b.explorer.toml"
    plain.write_text('version = 1\npreset = "tiny"\ntext = "一"\n')
    own.write_text('version = 1\npreset = "tiny"\ntext = "二"\n[look]\nsigned_colours = "purple-orange"\n')

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.themes["dark"].trigger()
        window.sessions.open(str(plain))
        journey.wait(lambda: window.sessions.file.path == plain)
        assert window.session.state.look.signed_colours == window.appearance.theme.signed_colours
        journey.settle(window)
        assert not window.isWindowModified()
        window.sessions.open(str(own))
        journey.wait(lambda: window.session.state.look.signed_colours == "purple-orange")

    journey.run(script, "gui")


def test_what_undo_brings_back_takes_the_colours_of_the_theme(journey: Journey) -> None:
    """A preset that was left in the dark comes back in the light."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.themes["dark"].trigger()
        window.session.ask(SetPreset("language-model"))
        journey.settle(window)
        window.actions_.themes["light"].trigger()
        window.session.undo()
        journey.settle(window)
        assert window.session.state.wish.preset == "translator"
        assert window.session.state.look.signed_colours == LIGHT.signed_colours == window.appearance.theme.signed_colours
        window.session.redo()
        journey.settle(window)
        assert window.session.state.look.signed_colours == LIGHT.signed_colours

    journey.run(script, "--preset", "translator")


KILLED = """
import os, sys
from tests.turning import turn
from PySide6.QtWidgets import QApplication
from explorer.app.session.remembered import remembered_path
from explorer.state.intents import SetText
from explorer.state.saved import read_saved
from explorer.cli.main import main
from explorer.app.shell.window import Window

def act():
    window, = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]
    while not window.session.is_answered():
        turn()
    window.session.ask(SetText(sys.argv[1]))
    while (saved := read_saved(remembered_path())).state.wish.text != sys.argv[1] or not saved.was_shown:
        turn()
    os.kill(os.getpid(), 9)

QApplication.exec = staticmethod(act)
main(["gui", "--preset", "tiny"])
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
def test_after_a_kill_all_is_back_and_what_another_window_had_is_offered(journey: Journey) -> None:
    """By a calm line; it is restored by a click, undone by undo, and offered once."""
    other = open_folder() / "1-a.explorer.toml"

    def script(window: Window) -> None:
        assert window.left_open.isVisible() and "“课”" in window.left_open.text.text()
        assert not window.invitation.isVisible()
        journey.settle(window)
        assert "杀不掉" == window.session.state.wish.text
        window.left_open.restore.click()
        assert "另一句" == window.session.state.wish.text
        assert window.isWindowModified() and "课" in window.windowTitle()
        assert not window.left_open.isVisible() and not other.exists()
        journey.settle(window)
        window.actions_.by_name["undo"].trigger()
        assert "杀不掉" == window.session.state.wish.text

    ended = subprocess.run([sys.executable, "-c", KILLED, "杀不掉"], check=False, capture_output=True, timeout=120)
    assert ended.returncode == -9, ended.stderr
    assert State.load(remembered_path()).wish.text == "杀不掉"
    Saved(state=State.from_preset("tiny", "另一句"), session="/gone/课.explorer.toml", changed=True).keep(other)
    journey.run_as_left(script)
    assert list(open_folder().iterdir()) == []


def test_several_are_offered_one_after_another_and_can_be_discarded(journey: Journey) -> None:
    """The newest first; × removes it and shows the next."""
    open_folder().mkdir(parents=True)
    for name, text in (("1-a", "旧的一句"), ("2-b", "很长的一句" * 9)):
        path = open_folder() / f"{name}.explorer.toml"
        Saved(state=State.from_preset("tiny", text)).keep(path)
        os.utime(path, (0, int(name[0]) * 1000))

    def script(window: Window) -> None:
        journey.settle(window)
        assert "很长的一句" in window.left_open.text.text() and "…" in window.left_open.text.text()
        window.left_open.dismiss.click()
        assert "旧的一句" in window.left_open.text.text()
        window.left_open.dismiss.click()
        assert not window.left_open.isVisible()
        assert window.session.state.wish.text not in ("旧的一句", "很长的一句" * 9)

    journey.run(script, "gui")
    assert list(open_folder().glob("*.toml")) == []


def test_a_preset_of_ones_own_is_made_and_offered(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in the list at once, and opens with its knobs; giving up makes none."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("temperature", 1.5))
        chosen(monkeypatch, config_folder() / "presets" / "hot", "")
        window.actions_.by_name["save_preset"].trigger()
        made = str(config_folder() / "presets" / "hot.toml")
        journey.wait(lambda: "hot" in window.status.message.text())
        window.actions_.by_name["save_preset"].trigger()
        box = window.header.presets
        assert "hot" in [box.itemText(index) for index in range(box.count())]
        window.session.ask(SetKnob("temperature", 1.0))
        window.header.wished.emit(OpenFolder(made))
        journey.settle(window)
        assert (made, 1.5) == (window.session.state.wish.preset, window.session.state.wish.config.temperature)

    journey.run(script, "gui")
