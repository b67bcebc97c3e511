"""What cannot be done, what goes wrong, and what is given up: who is told, and what stays."""

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.session import told
from explorer.app.session.session import Session
from explorer.engine.request import Frame, Request
from explorer.errors import AllClosed, BadChange, BadKnob, ControlCharacter, EmptyText, OutOfTensor, TooLong
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetKnob, SetText
from explorer.state.state import State
from explorer.trace.changes import Change
from tests.app.session.driving import Driven, frame, kinds

FIRST = "我爱北京天安门"


@pytest.mark.parametrize(("text", "kind"), [("", EmptyText), ("  \u3000", EmptyText), ("a\0b", ControlCharacter)])
def test_a_text_that_cannot_be_worked_on_is_refused_at_once(driven: Driven, text: str, kind: type) -> None:
    """No thread is asked; the picture stays, is no answer any more, and undo brings the old text back."""
    driven.settle()
    shown = driven.session.frame
    driven.session.ask(SetText(text))

    said = driven.heard()
    assert kinds(said) == ["Set", "Undoable", "Busy", "Refused"]
    assert said[2] == told.Busy(False)
    assert isinstance(said[3], told.Refused) and isinstance(said[3].error, kind)
    assert driven.session.frame is shown and not driven.session.is_answered()
    assert driven.idle()
    driven.session.undo()
    assert driven.begun().wish.text == FIRST
    driven.let_go()
    assert driven.session.is_answered()


def test_what_runs_for_an_older_text_is_ended_when_the_new_one_is_refused(driven: Driven) -> None:
    """The user did not ask for that, so nobody is told that anything was stopped."""
    driven.session.start()
    driven.begun()
    driven.heard()
    driven.session.ask(SetText(""))
    driven.wait(lambda: not driven.session.waiting)
    told_then = driven.wait_for(told.Refused)
    driven.session.ask(SetText("你好"))
    driven.begun()
    driven.let_go()

    assert not [value for value in (*told_then, *driven.heard()) if isinstance(value, told.GivenUp)]
    assert driven.session.frame is not None and driven.session.frame.wish.text == "你好"


def test_a_knob_that_cannot_be_is_refused_and_nothing_else_happens(driven: Driven) -> None:
    """The state is as before, and there is nothing to undo."""
    driven.settle()
    before = driven.session.state
    driven.session.ask(SetKnob("n_layers", "many"))

    (refused,) = driven.heard()
    assert isinstance(refused, told.Refused) and isinstance(refused.error, BadKnob)
    assert driven.session.state is before and driven.idle()


def test_what_the_compute_refuses_is_told_if_it_is_the_newest(driven: Driven) -> None:
    """A refusal of what was typed before is nobody's matter any more."""
    driven.settle()

    def refuse(request: Request) -> Frame:
        raise TooLong(limit=1, got=request.serial)

    driven.gate.answer = refuse
    driven.session.ask(SetText("一二"))
    driven.begun()
    driven.session.ask(SetText("一二三"))
    driven.heard()
    driven.gate.go.release()
    assert driven.wait_for(told.Busy) == [told.Busy(True)]
    driven.begun()
    driven.gate.go.release()
    busy, refused = driven.wait_for(told.Refused)

    assert busy == told.Busy(False)
    assert isinstance(refused, told.Refused) and refused.error.values["got"] == driven.session.serial


def test_a_bug_is_told_whichever_request_it_is_in(driven: Driven) -> None:
    """Also where a newer one waits: it is a bug."""
    driven.settle()
    bug = ZeroDivisionError("made by the test")

    def fail(_request: Request) -> Frame:
        raise bug

    driven.gate.answer = fail
    driven.session.ask(SetText("一"))
    driven.begun()
    driven.session.ask(SetText("一二"))
    driven.heard()
    driven.gate.go.release()

    busy, broke = driven.wait_for(told.Broke)
    assert busy == told.Busy(True)
    assert isinstance(broke, told.Broke) and broke.error is bug


def test_a_compute_that_cannot_be_loaded_is_a_bug_of_each_request(qtbot: QtBot) -> None:
    """Nobody waits for ever for an answer: the bug is reported, and the request refused because of it."""

    def load() -> None:
        raise ImportError("made by the test")

    session = Session(State.from_preset("tiny"), load)  # type: ignore[arg-type]  # it never returns
    said: list[object] = []
    session.told.connect(said.append)
    try:
        session.start()
        qtbot.waitUntil(lambda: "Refused" in kinds(said), timeout=20_000)
    finally:
        session.close()
    assert kinds(said) == ["Busy", "Busy", "Broke", "Refused"] and said[1] == told.Busy(False)


def test_a_stop_is_told_once_and_the_picture_stays(driven: Driven) -> None:
    """Of what runs and of what waits for it alike: the newest wish was given up, and no answer is to come."""
    driven.settle()
    shown = driven.session.frame
    driven.session.ask(SetText("一"))
    driven.begun()
    driven.session.ask(SetText("一二"))
    driven.heard()
    driven.session.stop()

    assert driven.wait_for(told.GivenUp) == [told.Busy(True), told.Busy(False), told.GivenUp()]
    assert driven.session.frame is shown and not driven.session.is_answered()
    assert driven.idle()


def test_a_stop_of_nothing_is_no_stop(driven: Driven) -> None:
    """And the next wish is answered."""
    driven.settle()
    driven.session.stop()
    driven.session.ask(SetText("一"))
    driven.begun()
    driven.let_go()

    assert "GivenUp" not in kinds(driven.heard())


def test_progress_is_told_of_the_newest_request(driven: Driven) -> None:
    """How far an older one is says nothing about what is waited for."""
    driven.settle()
    driven.gate.share = 0.25
    driven.session.ask(SetText("一"))
    driven.begun()
    driven.session.ask(SetText("一二"))
    driven.heard()
    driven.gate.go.release(2)
    driven.wait(driven.session.is_answered)  # The thread has answered both a little before they are heard.

    said = driven.heard()
    assert [value for value in said if isinstance(value, told.ShareDone)] == [told.ShareDone(0.25)]
    assert said[-2] is driven.session.frame, "the progress came before the newest answer"


# Changes that cannot be made

OFF = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0)


def leaving_out(request: Request) -> Frame:
    """An answer in which none of the changes could be made."""
    made = frame(request)
    left_out = {change: OutOfTensor(tap=change.tap, axis="head", got=0, last=0) for change in request.wish.active}
    return attrs.evolve(made, trace=attrs.evolve(made.trace, left_out=left_out))


@pytest.mark.parametrize("answer", ["left out", "refused"])
def test_a_switch_springs_back_when_its_change_cannot_be_made(driven: Driven, answer: str) -> None:
    """The reason is told, the State is as before, the picture stays, and there is neither a step nor one to redo."""
    driven.settle()
    shown, before = driven.session.frame, driven.session.state

    def refusing(request: Request) -> Frame:
        if request.wish.active:
            raise AllClosed(tap="a.tap", row=0)
        return frame(request)

    driven.gate.answer = leaving_out if answer == "left out" else refusing
    driven.session.ask(AddChanges((OFF,)))
    assert driven.session.state.wish.changes == (OFF,)
    driven.begun()
    driven.gate.go.release()
    said = driven.wait_for(told.SprungBack)

    assert isinstance(said[-1], told.SprungBack) and isinstance(said[-1].error, BadChange)
    assert driven.session.state == before and driven.session.frame is shown
    assert told.Undoable(False, False) in said
    driven.let_go()


def test_a_change_that_a_new_text_has_no_place_for_stays_in_the_list(driven: Driven) -> None:
    """It was made once: what was typed since is no reason to take anything back."""
    driven.settle()
    driven.session.ask(AddChanges((OFF,)))
    driven.begun()
    driven.let_go()
    driven.heard()
    driven.gate.answer = leaving_out
    driven.session.ask(SetText("你好"))
    driven.begun()
    driven.let_go()

    assert driven.session.state.wish.changes == (OFF,) and driven.session.state.wish.text == "你好"
    assert driven.session.frame is not None and OFF in driven.session.frame.trace.left_out
