"""The session without a window and without torch: what it asks the compute thread, what it tells, and in which order."""

import threading
import time
from collections.abc import Callable

import attrs
import pytest

from explorer.app.session import told
from explorer.app.session.answers import PAUSE_MS
from explorer.engine.request import Frame
from explorer.state.intents import OpenPage, SetKnob, SetText, look_at
from explorer.state.state import State
from explorer.views.controls.sentence import PATIENCE_MS
from tests.app.session.driving import Driven, Make, frame, kinds, with_beam

LEAK = frozenset({"leak"})
PLACE = (("encoder.layers.0.self_attn.weights", 1),)
FIRST = "我爱北京天安门"


# Serial numbers, and the order in which things are told


def test_the_first_request_is_told_from_beginning_to_end(driven: Driven) -> None:
    """Busy at once, then that torch is there, then the Frame, then not busy any more; all on the thread of the window."""
    driven.session.start()
    assert driven.heard() == [told.Busy(True)]
    request = driven.begun()
    answer = driven.let_go()

    assert (request.serial, request.wish) == (1, driven.session.state.wish)
    assert driven.heard() == [told.Loaded(), answer, told.Busy(False)]
    assert driven.threads == {"MainThread"}
    assert driven.session.is_answered() and driven.session.frame is answer


def test_a_step_is_told_before_it_is_answered(driven: Driven) -> None:
    """What is set up now, with what was and who asked; that it can be undone; that an answer is to come. Then the answer."""
    driven.settle()
    before, intent = driven.session.state, SetText("你好")
    driven.session.ask(intent)

    said = driven.heard()
    assert said == [told.Set(driven.session.state, before, intent), told.Undoable(True, False), told.Busy(True)]
    assert driven.session.state.wish.text == "你好" and not driven.session.is_answered()
    assert driven.begun().serial == 2
    answer = driven.let_go()
    assert driven.heard() == [answer, told.Busy(False)]


def test_numbers_count_wishes_and_only_the_newest_of_them_is_computed(driven: Driven) -> None:
    """What runs finishes and is shown, what waited is replaced, and the session stays busy until the newest is answered."""
    driven.session.start()
    assert driven.begun().serial == 1
    for text in ("一", "一二", "一二三"):
        driven.session.ask(SetText(text))
    assert driven.session.serial == 4
    driven.heard()

    first = driven.let_go()
    assert (first.serial, first.wish.text, driven.session.is_answered()) == (1, FIRST, False)
    assert driven.heard()[-2:] == [first, told.Busy(True)]
    assert driven.begun().serial == 4
    newest = driven.let_go()
    assert (newest.serial, newest.wish.text, driven.session.is_answered()) == (4, "一二三", True)
    assert driven.heard() == [newest, told.Busy(False)]
    assert [request.serial for request in driven.gate.requests] == [1, 4]


@pytest.mark.parametrize("late", [1, 2])
def test_an_answer_older_than_the_one_shown_is_dropped(driven: Driven, late: int) -> None:
    """And so is the same one again: nothing is told of it, and the newer one stays."""
    driven.settle()
    driven.session.ask(SetText("你好"))
    newer = driven.begun()
    driven.let_go()
    shown = driven.session.frame
    driven.heard()
    old = attrs.evolve(newer, serial=late)
    driven.gate.answer = lambda _request: frame(old)
    driven.session.ask(SetText("再来"))
    driven.begun()
    driven.heard()
    driven.gate.go.release()
    driven.wait(lambda: not driven.session.waiting)
    driven.gate.answer = frame
    driven.session.ask(SetText("够了"))
    driven.begun()
    newest = driven.let_go()

    assert [value for value in driven.heard() if isinstance(value, Frame)] == [newest]
    assert shown is not None and (shown.serial, newest.serial) == (2, 4)


def test_a_wide_search_is_asked_for_after_a_greedy_one(make: Make) -> None:
    """The greedy answer is shown first; behind a pause the session is busy with the whole one, and then asks for no more."""
    driven = make(with_beam(State.from_preset("translator"), 4))
    driven.session.start()
    assert (driven.begun().beam, driven.session.serial) == (1, 1)
    quick = driven.let_go()
    assert driven.heard()[-2:] == [quick, told.Busy(False)] and driven.session.waiting
    whole = driven.begun()
    assert (whole.serial, whole.beam, whole.detail.refines) == (2, 4, True)
    answer = driven.let_go()

    assert driven.heard() == [told.Busy(True), answer, told.Busy(False)]
    assert driven.idle()


def test_the_text_is_marked_as_provisional_behind_the_pause() -> None:
    """Otherwise each sentence would be underlined, and no more as soon as its search is over."""
    assert PATIENCE_MS >= PAUSE_MS + 250


# Undo and redo


def test_undo_and_redo_are_wishes_like_others(driven: Driven) -> None:
    """Each is told without an intent, since no box said it, and is asked with a number of its own."""
    driven.settle()
    first = driven.session.state
    driven.session.ask(SetText("你好"))
    driven.begun()
    driven.let_go()
    second = driven.session.state
    driven.heard()

    driven.session.undo()
    assert driven.heard() == [told.Set(first, second, None), told.Undoable(False, True), told.Busy(True)]
    assert (driven.begun().serial, driven.gate.requests[-1].wish) == (3, first.wish)
    driven.let_go()
    driven.heard()
    driven.session.redo()
    assert driven.heard() == [told.Set(second, first, None), told.Undoable(True, False), told.Busy(True)]
    assert (driven.begun().serial, driven.gate.requests[-1].wish) == (4, second.wish)
    driven.let_go()


# What is looked at, settled, large


def test_what_is_looked_at_is_no_step_and_asks_for_nothing(driven: Driven) -> None:
    """A head, a page and a colour are told alone."""
    driven.settle()
    for intent in (look_at(signed_colours="purple-orange"), OpenPage("masks"), OpenPage("masks")):
        before = driven.session.state
        driven.session.ask(intent)
        assert driven.heard() == [told.Set(driven.session.state, before, intent)]

    assert (driven.session.serial, driven.session.state.page) == (1, "masks")
    assert driven.idle()


def test_a_look_that_the_answer_cannot_have_is_fitted_before_it_is_told(make: Make) -> None:
    """Of two heads the hundredth is none: whoever hears of the Frame finds the last one in the state."""
    state = State.from_preset("tiny")
    driven = make(attrs.evolve(state, look=attrs.evolve(state.look, head=99)))
    seen: list[int] = []
    driven.session.told.connect(lambda value: seen.append(driven.session.state.look.head) if isinstance(value, Frame) else None)
    driven.session.start()
    driven.begun()
    driven.let_go()

    assert seen == [state.wish.config.n_heads - 1]


def test_what_the_program_settled_is_told_after_all_else(driven: Driven) -> None:
    """Seven heads do not divide 64. The knob that was turned shows 7 and must hear of it: nobody is left out."""
    driven.settle()
    before = driven.session.state
    driven.session.ask(SetKnob("n_heads", 7))

    said = driven.heard()
    assert kinds(said) == ["Set", "Undoable", "Busy", "Settled"]
    assert said[0] == told.Set(driven.session.state, before, None)
    assert isinstance(said[-1], told.Settled) and 64 % said[-1].config.n_heads == 0


def test_what_is_settled_to_what_was_there_is_told_all_the_same(driven: Driven) -> None:
    """The knob shows 65 though nothing has changed: as many heads as d_model are the most."""
    driven.settle()
    driven.session.ask(SetKnob("n_heads", 64))
    driven.begun()
    driven.let_go()
    driven.heard()
    driven.session.ask(SetKnob("n_heads", 65))

    assert kinds(driven.heard()) == ["Set", "Settled"]
    assert driven.session.serial == 2 and driven.idle()


def test_the_same_again_is_nothing(driven: Driven) -> None:
    """A box may say what is set up already."""
    driven.settle()
    driven.session.ask(SetText(FIRST))

    assert driven.heard() == []
    assert driven.session.serial == 1


def test_a_large_model_is_told_of_before_it_is_built_and_only_once(driven: Driven) -> None:
    """A knob that leaves the shape alone builds nothing."""
    driven.settle()
    driven.session.ask(SetKnob("d_model", 1024))
    driven.begun()
    driven.let_go()
    driven.heard()
    driven.session.ask(SetKnob("n_layers", 24))
    large, *others = driven.heard()
    driven.begun()
    driven.let_go()
    driven.heard()

    assert isinstance(large, told.Large) and large.n_bytes > 500_000_000
    assert kinds(others) == ["Set", "Undoable", "Busy"]
    driven.session.ask(SetKnob("temperature", 2.0))
    assert "Large" not in kinds(driven.heard())


# What is found out beside the pass


def test_an_experiment_is_asked_for_when_it_is_looked_at(driven: Driven) -> None:
    """By a request that adds to the answer on screen, once; and left out of the first answer to a new wish."""
    driven.settle()
    driven.session.look_into(LEAK)
    added = driven.begun()
    assert (added.serial, added.experiments, added.detail.refines) == (2, LEAK, True)
    driven.let_go()
    assert driven.session.is_answered()
    driven.session.look_into(LEAK)
    assert driven.idle()

    driven.session.ask(SetText("你好"))
    driven.heard()
    assert driven.begun().experiments == frozenset()
    driven.let_go()
    driven.heard()
    assert driven.begun().experiments == LEAK
    driven.let_go()
    assert driven.heard()[-1] == told.Busy(False)


def test_an_experiment_is_asked_for_while_the_worker_rests(driven: Driven) -> None:
    """It is busy behind an answer too, and whoever opened a page just then was never answered."""
    rests = threading.Event()

    def rest(stop: Callable[[], bool]) -> None:
        rests.set()
        while not stop():
            time.sleep(0.001)

    driven.gate.rest = rest  # type: ignore[method-assign]
    driven.session.start()
    driven.begun()
    driven.let_go()
    driven.session.painted()
    driven.wait(rests.is_set)
    assert driven.session.waiting and not driven.session.computes  # Escape has nothing to stop either.
    driven.session.look_into(LEAK)
    assert driven.begun().experiments == LEAK


def test_an_experiment_does_not_push_away_what_is_computed(driven: Driven) -> None:
    """It follows when the answer to what was typed is there."""
    driven.session.start()
    driven.begun()
    driven.session.look_into(LEAK)
    assert driven.session.serial == 1
    driven.let_go()
    driven.heard()
    assert (driven.begun().serial, driven.gate.requests[-1].experiments) == (2, LEAK)
    driven.let_go()


def test_places_that_pictures_lack_are_asked_for_once(driven: Driven) -> None:
    """A budget may have no room for one, and each drawing asks for it again; after a step of the user's it is tried anew."""
    driven.settle()
    driven.session.want(PLACE)
    assert (driven.begun().detail.wanted, driven.gate.requests[-1].detail.refines) == (PLACE, True)
    driven.let_go()
    driven.session.want(PLACE)
    assert driven.idle()
    driven.session.ask(SetText("你好"))
    assert driven.begun().detail.wanted == PLACE
    driven.heard()
    driven.let_go()


def test_nothing_is_looked_into_before_there_is_an_answer(driven: Driven) -> None:
    """A page is open before torch is loaded; its experiments are asked for with the first picture."""
    driven.session.look_into(LEAK)
    driven.session.want(PLACE)
    assert (driven.session.serial, driven.session.waiting) == (0, False)
    driven.session.start()
    assert driven.begun().experiments == frozenset()
    driven.let_go()
    driven.heard()
    assert driven.begun().experiments == LEAK
    driven.let_go()
