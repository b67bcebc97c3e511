"""What is kept from one start to the next."""

import os
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence

from explorer.app import main
from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import remembered_path
from explorer.app.shell.manual_window import ManualWindow
from explorer.app.shell.window import Window
from explorer.presets import FILE
from explorer.resources import config_folder
from explorer.state.comparing_intents import Compare
from explorer.state.cut_intents import CutTokens
from explorer.state.intents import SetKnob, SetPreset, SetText, look_at
from explorer.state.state import State
from tests.journeys.conftest import Journey


def test_sentence_language_theme_and_preset_come_back(journey: Journey) -> None:
    """The second start shows what the first one left."""

    def first(window: Window) -> None:
        window.session.ask(SetPreset("tutorial-c"))
        window.sentences.source_edit.setText("昨天的句子")
        window.actions_.by_name["language"].trigger()
        window.actions_.themes["dark"].trigger()
        journey.settle(window)

    def second(window: Window) -> None:
        journey.settle(window)
        assert "昨天的句子" == window.sentences.source_edit.text()
        assert "tutorial-c" == window.session.state.wish.preset
        assert "dark" == window.appearance.theme.name
        assert "en" == window.appearance.words.language

    journey.run(first, "gui")
    journey.run_as_left(second)


def test_keys_of_ones_own_come_back(journey: Journey) -> None:
    """Those that were changed and those that were taken away; the manual and the box of keys tell them."""

    def first(window: Window) -> None:
        journey.settle(window)
        assert (
            window.shortcuts.choose("export", QKeySequence("Ctrl+Alt+J"))
            == window.shortcuts.choose("copy", QKeySequence())
            == ""
        )

    def second(window: Window) -> None:
        journey.settle(window)
        assert window.actions_.by_name["export"].shortcut() == QKeySequence("Ctrl+Alt+J")
        assert window.actions_.by_name["copy"].shortcuts() == []
        window.actions_.by_name["manual"].trigger()
        (manual,) = window.findChildren(ManualWindow)
        journey.wait(lambda: bool(manual.chapters))
        manual.read("keys")
        assert "Ctrl+Alt+J" in manual.text.toPlainText() and "Ctrl+E" not in manual.text.toPlainText()

    journey.run(first, "gui")
    journey.run_as_left(second)


def test_a_size_for_a_hall_is_kept_and_told(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The status line says when it takes effect, the menu has it ticked at the next start, and `main` has told Qt. Each start
    reads the preferences once."""
    starts: list[Preferences] = []
    monkeypatch.setattr(main, "Preferences", lambda: starts.append(Preferences()) or starts[-1])
    monkeypatch.setenv("QT_SCALE_FACTOR", "")  # What `main` writes there ends with this test.
    monkeypatch.delenv("QT_SCALE_FACTOR")

    def first(window: Window) -> None:
        journey.settle(window)
        window.actions_.sizes["150"].trigger()
        assert "opened next" in window.status.message.text()

    def second(window: Window) -> None:
        journey.settle(window)
        assert window.actions_.sizes["150"].isChecked()
        assert "1.5" == os.environ["QT_SCALE_FACTOR"]

    journey.run(first, "gui", "--language", "en")
    journey.run_as_left(second)
    assert 2 == len(starts)


def test_broken_preferences_are_no_obstacle(journey: Journey) -> None:
    """Garbage in the preferences file of now or of earlier gives the defaults."""
    (config_folder() / "preferences.toml").write_bytes(b"\x00\xff[General\ngeometry = 7")
    (config_folder() / "preferences.ini").write_bytes(b"\x00\xff[General\ngeometry=@ByteArray(x)\npreset=gone\ntheme=7\n")

    def script(window: Window) -> None:
        journey.settle(window)
        assert "translator" == window.session.state.wish.preset

    journey.run_as_left(script)


def test_a_preset_that_is_broken_now_is_told(journey: Journey, tmp_path: Path) -> None:
    """Last time's folder has been damaged, or is gone: the default one opens, the status line says why, and what was set up
    is put aside."""
    folder = tmp_path / "mine"
    for content in (b'text = "a"\n[knobs]\n[look]\nlayer = inf\n', None):
        folder.mkdir(exist_ok=True)
        if content is None:
            (folder / FILE).unlink()
        else:
            (folder / FILE).write_bytes(content)
        config_folder().mkdir(parents=True, exist_ok=True)
        remembered_path().write_text(f'version = 1\npreset = "{folder.as_posix()}"\ntext = "狗爱北京"\n', encoding="utf-8")

        def script(window: Window) -> None:
            message = window.refusals.text
            assert "无法恢复上次的设置" in message.text() and "mine" in message.text()
            journey.settle(window)
            assert "translator" == window.session.state.wish.preset

        journey.run_as_left(script)
        assert "狗爱北京" in remembered_path().with_name("unreadable.explorer.toml").read_text(encoding="utf-8")


def test_everything_that_was_set_up_comes_back(journey: Journey) -> None:
    """Sentence, cuts, knobs, page, look and what is compared with: the second start begins where the first one ended."""
    left: list[State] = []

    def first(window: Window) -> None:
        session = window.session
        journey.settle(window)
        for intent in (SetText("我爱北京天安门"), SetKnob("temperature", 1.5), SetKnob("n_heads", 8), Compare("now")):
            session.ask(intent)
            journey.settle(window)
        session.ask(CutTokens("source", "merge", 0))
        journey.settle(window)
        session.ask(look_at(layer=1, head=5, stage="scores", top_k=7, signed_colours="purple-orange"))
        window.go("attention")
        left.append(session.state)

    def second(window: Window) -> None:
        assert left[0] == window.session.state
        journey.settle(window)
        assert left[0] == window.session.state
        assert "attention" == window.page_stack.page.key
        assert ("我爱", 1.5) == (
            window.sentences.source_row.picture.chips[0].text,
            window.knobs.rows["temperature"].editor.value(),
        )

    journey.run(first, "gui")
    journey.run_as_left(second)


def test_what_was_set_up_outlives_a_kill(journey: Journey) -> None:
    """It is on the disk two seconds after the last change, without the window being closed."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("还在"))
        journey.wait(lambda: remembered_path().exists() and State.load(remembered_path()) == window.session.state)

    journey.run(script, "gui")


def test_preferences_of_the_version_before_are_read(journey: Journey) -> None:
    """Version 0.1 kept preset and texts beside the language."""
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "preferences.ini").write_text("[General]\npreset=tutorial-c\ntext=狗爱北京\n", encoding="utf-8")

    def script(window: Window) -> None:
        journey.settle(window)
        assert ("tutorial-c", "狗爱北京") == (window.session.state.wish.preset, window.session.state.wish.text)

    journey.run_as_left(script)
