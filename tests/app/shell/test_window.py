"""The window by itself: it connects. Each thing that is told reaches its part, and no box is told what it said."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.session import told
from explorer.config import Config
from explorer.errors import EmptyText
from explorer.state.experiment_intents import SetBatch
from explorer.state.intents import OpenPage, SetKnob, SetPreset, SetText, SetTrained, look_at
from explorer.state.state import State
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.alignment import AlignmentView
from tests.app.shell.opening import Make, Opened, spy

PAGES = page_list.KEYS


# What is told reaches its part

ERROR = EmptyText()
BUG = ZeroDivisionError("made by the test")


def _told_values() -> set[type]:
    return {value for value in vars(told).values() if isinstance(value, type) and value.__module__ == told.__name__}


def _state_of(opened: Opened, **wish: Any) -> told.Set:
    before = opened.session.state
    return told.Set(attrs.evolve(before, wish=attrs.evolve(before.wish, **wish)), before)


def _set(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(_state_of(opened, text="你好", target="hello", config=opened.session.state.wish.config.changed(seed=7)))
    assert (opened.window.sentences.source_edit.text(), opened.window.sentences.target_edit.text()) == ("你好", "hello")
    assert opened.window.knobs.rows["seed"].editor.value() == 7  # type: ignore[union-attr]  # a number's editor
    opened.tell(_state_of(opened, preset="translator", trained=False))
    title = opened.words("preset.translator.title")
    assert opened.window.header.presets.currentText() == opened.words("header.untrained", preset=title)
    assert not opened.window.weights.isHidden() and not opened.window.weights.note.isHidden()


def _settled(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.Settled(Config(n_heads=8, d_model=64)))
    assert opened.window.status.message.text() == opened.words("status.heads_settled", d_model=64, n_heads=8)


def _large(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.Large(3_000_000_000))
    assert opened.window.status.message.text() == opened.words("status.large", gb=3.0)


def _refused(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.Refused(ERROR))
    assert opened.window.status.message.text() == opened.words.error(ERROR)
    assert not opened.window.page_stack.is_stale, "there is no old picture"
    opened.show_frame()
    opened.tell(told.Refused(ERROR))
    assert not opened.window.page_stack.is_stale, "the picture is the answer to what is set up"
    for text in ("", " "):  # They are refused, so that the picture is no answer any more: it had the next number.
        opened.session.ask(SetText(text))
    opened.tell(told.Refused(ERROR))
    assert opened.words("status.old_picture") in opened.window.status.message.text()
    assert opened.window.page_stack.is_stale and opened.window.sentences.source_row.is_stale


def _broke(opened: Opened, qtbot: QtBot) -> None:
    with qtbot.waitSignal(opened.window.broke) as heard:
        opened.tell(told.Broke(BUG))
    assert heard.args == [BUG]


def _busy(opened: Opened, qtbot: QtBot) -> None:
    opened.window.show()
    opened.window.go("output")
    rests: list[bool] = []
    for card in opened.window.page_stack.page.cards:
        if isinstance(card.view, AlignmentView):
            card.view.set_busy = rests.append  # type: ignore[method-assign]
    opened.tell(told.Busy(True))
    qtbot.waitUntil(opened.window.status.cancel.isVisible)
    opened.tell(told.Busy(False))
    assert not opened.window.status.cancel.isVisible()
    assert rests == [True, False]


def _progressed(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.ShareDone(0.25))
    assert opened.window.status.progress.value() == 25


def _stopped(opened: Opened, qtbot: QtBot) -> None:
    opened.show_frame()
    opened.tell(told.GivenUp())
    assert opened.window.status.message.text() == opened.words("status.stopped")
    assert opened.window.page_stack.is_stale


def _opening_stopped(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.OpeningGivenUp())
    assert opened.window.status.message.text() == opened.words("status.opening_stopped")


def _sprung_back(opened: Opened, qtbot: QtBot) -> None:
    opened.show_frame()
    opened.tell(told.SprungBack(ERROR))
    assert opened.window.refusals.text.text() == opened.words.error(ERROR)
    assert not opened.window.page_stack.is_stale  # The picture is the right one.


def _hanging(opened: Opened, qtbot: QtBot) -> None:
    line = opened.window.hanging
    opened.tell(told.Hangs(10))
    assert not line.isHidden() and line.text.text() == opened.words("engine.hangs", seconds=10)
    opened.tell(told.Hangs(0))
    assert line.isHidden()
    opened.tell(told.Hangs(12))
    line.dismiss.click()
    for seconds in (13, 41):
        opened.tell(told.Hangs(seconds))
        assert line.isHidden()
    opened.tell(told.Hangs(42))  # Whoever has waited half a minute more may have enough of it.
    assert not line.isHidden() and line.text.text() == opened.words("engine.hangs", seconds=42)
    line.dismiss.click()
    for seconds in (0, 10):  # It hangs again after a sign of life.
        opened.tell(told.Hangs(seconds))
        assert line.isHidden() == (seconds == 0)


def _undoable(opened: Opened, qtbot: QtBot) -> None:
    named = opened.window.actions_.by_name
    assert not named["undo"].isEnabled() and not named["redo"].isEnabled()
    opened.tell(told.Undoable(True, False))
    assert named["undo"].isEnabled() and not named["redo"].isEnabled()
    opened.tell(told.Undoable(False, True))
    assert not named["undo"].isEnabled() and named["redo"].isEnabled()


def _loaded(opened: Opened, qtbot: QtBot) -> None:
    opened.tell(told.Loaded())  # the program's matter, which opened the window
    assert opened.window.status.message.text() == opened.words("status.loading")


REACHES: dict[type, Callable[[Opened, QtBot], None]] = {
    told.Set: _set,
    told.Settled: _settled,
    told.Large: _large,
    told.Refused: _refused,
    told.Broke: _broke,
    told.Busy: _busy,
    told.ShareDone: _progressed,
    told.GivenUp: _stopped,
    told.OpeningGivenUp: _opening_stopped,
    told.SprungBack: _sprung_back,
    told.Undoable: _undoable,
    told.Hangs: _hanging,
    told.Loaded: _loaded,
}


@pytest.mark.parametrize("kind", REACHES, ids=lambda kind: kind.__name__)
def test_what_is_told_reaches_its_part(kind: type, opened: Opened, qtbot: QtBot) -> None:
    """In the words of the language that is chosen."""
    REACHES[kind](opened, qtbot)


def test_nothing_that_can_be_told_is_left_out() -> None:
    """Whoever adds a value to `app.session.told` says here which part hears of it."""
    assert set(REACHES) == _told_values()


def test_a_frame_is_drawn_and_told_of(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the page in front, the tokens, the lesson and the line at the bottom; what was old is old no more."""
    opened.window.begin()
    drawn = {part: spy(monkeypatch, part, "draw") for part in (opened.window.page_stack, opened.window.sentences)}
    lesson = spy(monkeypatch, opened.window.step_opener, "draw")
    opened.tell(told.Refused(ERROR))
    frame = opened.show_frame()

    for calls in drawn.values():
        assert [(trace, look) for trace, look, _words in calls] == [(frame.trace, opened.session.state.look)]
    assert lesson == [(frame,)]
    assert not opened.window.page_stack.is_stale
    assert f"{frame.trace.parameters:,}" in opened.window.status.facts.toolTip()


@pytest.mark.parametrize("held", ["bfloat16", "streamed"])
def test_the_line_says_how_the_weights_of_a_large_model_are_held(held: str, opened: Opened) -> None:
    """Of a model that is held as usual it says nothing."""
    frame, status, words = opened.show_frame(), opened.window.status, opened.window.appearance.words
    said = words(f"held_short.{held}")
    status.tell(frame, 1.0, words)
    assert said not in status.facts.toolTip()
    trace = frame.trace
    status.tell(attrs.evolve(frame, trace=attrs.evolve(trace, card=attrs.evolve(trace.card, held=held))), 1.0, words)
    assert said in status.facts.toolTip()


# What comes from a part reaches the session


@pytest.mark.parametrize(
    ("part", "intent"),
    [
        ("header", SetPreset("tutorial-e")),
        ("sentences", SetText("你好")),
        ("knobs", SetKnob("seed", 3)),
        ("weights", SetTrained(False)),
        ("page_stack", SetBatch(("一", "二"))),
    ],
)
def test_what_a_part_asks_for_is_set_up(part: str, intent: Any, opened: Opened) -> None:
    """By one signal of the same name, whoever asks."""
    before = opened.session.state
    getattr(opened.window, part).wished.emit(intent)

    assert opened.session.state == intent.applied(before, None) != before


def test_what_is_pointed_at_is_lit_everywhere(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told at the bottom, and lit on the page and above it, whether a page or a sentence says so."""
    window = opened.window
    lit = [spy(monkeypatch, part, "light") for part in (window.page_stack, window.sentences)]
    tokens = frozenset({("source", 1)})
    for part in (window.page_stack, window.sentences):
        part.pointed.emit(Pointed(text="0.25\nencoder", tokens=tokens))

    assert lit == [[(tokens,), (tokens,)]] * 2
    assert window.status.readout.toolTip() or "0.25" in window.status.readout.text()


def test_actions_and_buttons_say_the_same(opened: Opened) -> None:
    """The page in front, the theme and the colours, by the menu and beside it."""
    window = opened.window
    window.actions_.pages["masks"].trigger()
    assert (opened.session.state.page, window.page_stack.page) == ("masks", window.page_stack.pages["masks"])
    window.actions_.colours["viridis"].trigger()
    assert opened.session.state.look.unit_colours == "viridis"
    assert not window.actions_.colours["cividis"].isChecked()
    window.actions_.by_name["language"].trigger()
    assert window.windowTitle() == window.appearance.words("app") != opened.words("app")
    window.actions_.by_name["knobs"].trigger()
    assert window.side.isHidden()


# Pages, from the first paint to the end


def test_the_first_page_is_the_one_that_was_set_up(make: Make) -> None:
    """It is made when its views are there, and told what it needs beside the pass is asked for."""
    opened = make(attrs.evolve(State.from_preset("tiny"), page="masks"))
    window = opened.window
    assert window.page_stack.pages == {}
    opened.show_frame()
    window.begin()

    assert list(window.page_stack.pages) == ["masks"]
    assert window.page_stack.page is window.page_stack.pages["masks"]
    assert window.page_stack.above.tabs.buttons["masks"].isChecked()
    assert opened.session.experiments == window.page_stack.page.experiments != frozenset()


def test_whoever_has_gone_to_a_page_before_stays_there(opened: Opened) -> None:
    """The window answers before its views are loaded."""
    opened.window.go("position")
    opened.window.begin()

    assert list(opened.window.page_stack.pages) == ["position"]


def test_the_page_in_front_comes_back_with_a_lessons_step(opened: Opened) -> None:
    """A Set with another page opens it, and one with the same page only if somebody asked for it."""
    window, before = opened.window, opened.session.state
    opened.tell(told.Set(attrs.evolve(before, page="layers"), before))
    assert window.page_stack.page is window.page_stack.pages["layers"]
    window.page_stack.touched = window.page_stack.page.cards[0]
    opened.tell(told.Set(attrs.evolve(before, page="layers"), attrs.evolve(before, page="layers"), look_at(head=1)))
    assert window.page_stack.touched is not None
    opened.tell(told.Set(attrs.evolve(before, page="layers"), attrs.evolve(before, page="layers"), OpenPage("layers")))
    assert window.page_stack.touched is None


def test_it_says_once_that_it_was_seen_and_where_it_stood_when_it_closes(opened: Opened, qtbot: QtBot) -> None:
    """torch is loaded after the first paint; the geometry is kept for the next start."""
    seen: list[bool] = []
    opened.window.seen.connect(lambda: seen.append(True))
    opened.window.show()
    qtbot.waitUntil(lambda: seen == [True])
    opened.window.repaint()
    QApplication.processEvents()
    assert seen == [True]
    with qtbot.waitSignal(opened.window.closing) as closing:
        opened.window.close()
    assert closing.args == [opened.window.saveGeometry()]
