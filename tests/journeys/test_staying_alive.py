"""Bad input, bugs and long work: the last good picture stays and the process lives on."""

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.engine import worker
from explorer.engine.compute import Computer
from explorer.errors import EmptyText
from explorer.state.intents import SetKnob, SetPreset, SetText
from tests.journeys.conftest import Journey


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "空"),
        ("   \u3000", "空"),
        ("好" * 100_000, "8192"),
        ("a\0b", "U+0000"),
        ("a\x1bb", "U+001B"),
        ("好" * 8193, "8193"),
    ],
)
def test_bad_text_gets_one_sentence_and_the_picture_stays(journey: Journey, qtbot: QtBot, text: str, said: str) -> None:
    """The status line says what is wrong with its number; the old picture is veiled; good text lifts the veil."""

    def script(window: Window) -> None:
        window.session.ask(SetKnob("tokenizer", "characters"))
        journey.settle(window)
        shown = window.session.frame
        window.session.ask(SetText(text))
        qtbot.waitUntil(lambda: said in window.status.message.text(), timeout=20_000)
        assert 1 == len(window.status.message.text().splitlines())
        assert shown is window.session.frame
        assert window.page_stack.is_stale

        window.session.ask(SetText("你好"))
        journey.settle(window)
        assert "" == window.status.message.text()
        assert not window.page_stack.is_stale

    journey.run(script)


@pytest.mark.parametrize("text", ["👩‍👩‍👧 家", "שלום עולם", "مرحبا", "e\u0301a", "🏳️‍🌈"])
def test_every_script_is_shown(journey: Journey, text: str) -> None:
    """Emoji with joiners, right-to-left and combining marks are tokens like others."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText(text))
        journey.settle(window)
        window.grab()

        assert window.session.frame is not None
        assert text == window.session.frame.trace.source

    journey.run(script)


def test_another_language_says_again_why_the_picture_is_old(journey: Journey) -> None:
    """The reason is translated, and goes with the first answer to what is asked for."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText(""))
        journey.wait(lambda: "空" in window.status.message.text())
        window.actions_.by_name["language"].trigger()
        words = window.appearance.words
        assert words.error(EmptyText()) in window.status.message.text()
        assert words("status.old_picture") in window.status.message.text()
        window.session.ask(SetText("我爱你"))
        journey.settle(window)
        assert window.status.message.text() == ""
        window.actions_.by_name["language"].trigger()
        assert window.status.message.text() == ""

    journey.run(script)


def test_half_a_surrogate_is_refused(journey: Journey) -> None:
    """Half of a UTF-16 pair is named with its code."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("a\ud800"))

        assert "U+D800" in window.status.message.text()

    journey.run(script)


def test_a_bug_is_reported_once_and_the_window_lives_on(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """An exception in a slot opens one dialog with the report, is logged, and typing goes on."""
    seen: list[str] = []

    def fail() -> None:
        raise RuntimeError("a bug of the test")

    def script(window: Window) -> None:
        journey.settle(window)
        for _ in range(2):
            QTimer.singleShot(0, fail)
        qtbot.waitUntil(lambda: journey.bug_reports().count("RuntimeError: a bug of the test") == 2)
        dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible()]
        assert 1 == len(dialogs)
        assert "a bug of the test" in dialogs[0].detailedText()
        assert "2" in dialogs[0].informativeText()
        dialogs[0].accept()
        window.session.ask(SetText("还活着"))
        journey.settle(window)
        seen.append(journey.bug_reports())

    with pytest.raises(AssertionError, match="a bug of the test"):
        journey.run(script)
    assert seen


def test_a_bug_in_the_pass_is_reported(journey: Journey, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong on the compute thread reaches the same dialog, and the thread takes the next request."""
    whole = Computer.__call__

    def script(window: Window) -> None:
        journey.settle(window)
        monkeypatch.setattr(Computer, "__call__", _broken)
        window.session.ask(SetText("一"))
        qtbot.waitUntil(lambda: "ZeroDivisionError" in journey.bug_reports())
        monkeypatch.setattr(Computer, "__call__", whole)
        window.session.ask(SetText("二"))
        journey.settle(window)

    with pytest.raises(AssertionError, match="Traceback"):
        journey.run(script)
    assert "ZeroDivisionError" in journey.bug_reports()


def _broken(*_given: object) -> None:
    raise ZeroDivisionError("made by the test")


def test_long_work_shows_progress_and_can_be_cancelled(journey: Journey, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that takes long to build shows a bar and Cancel; cancelling keeps the last picture."""

    def script(window: Window) -> None:
        journey.settle(window)
        shown = window.session.frame
        window.session.ask(SetPreset("tutorial-a"))
        qtbot.waitUntil(lambda: window.status.cancel.isVisible() and window.status.progress.maximum() == 100, timeout=20_000)
        qtbot.waitUntil(lambda: bool(window.page_stack.above.strip.share), timeout=20_000)  # The strip shows it, too.
        window.status.cancel.click()
        qtbot.waitUntil(lambda: "停止" in window.status.message.text(), timeout=20_000)

        assert window.page_stack.above.strip.share is None
        assert shown is window.session.frame
        assert not window.status.progress.isVisible()
        window.session.undo()
        journey.settle(window)

    journey.run(script)


def test_the_window_opens_before_torch_is_loaded(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The empty window is there and answers while the compute thread still imports."""
    import threading

    gate = threading.Event()
    load = worker.load_compute

    def slow() -> worker.Compute:
        gate.wait(20)
        return load()

    monkeypatch.setattr("explorer.app.session.session.load_compute", slow)
    monkeypatch.setattr("explorer.app.session.session.Session.__init__.__defaults__", (slow, None))

    def script(window: Window) -> None:
        assert window.isVisible() and window.session.frame is None
        assert "PyTorch" in window.status.message.text()
        window.sentences.source_edit.setText("你好")
        window.go("attention")
        window.actions_.by_name["export"].trigger()  # nothing to export yet: nothing happens
        gate.set()
        journey.settle(window)
        assert window.session.frame is not None and "你好" == window.session.frame.trace.source

    journey.run(script)


def test_tokens_of_what_was_not_typed_fade(journey: Journey) -> None:
    """With the translation of the last good sentence, which is not that of this one."""

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.sentences.target_edit.placeholderText()
        assert before != ""
        window.session.ask(SetText("一" * 300))
        journey.wait(lambda: not window.session.waiting and window.sentences.source_row.is_stale)
        assert window.sentences.target_edit.placeholderText() != before
        window.session.ask(SetText("他在图书馆看书。"))
        journey.settle(window)
        assert not window.sentences.source_row.is_stale
        assert window.sentences.target_edit.placeholderText() == "He is reading in the library."

    journey.run(script, "--preset", "translator")
