"""Pictures that the compute thread makes beforehand: the same ones, once, and only what any thread may make."""

import attrs

from explorer.app.pages.prepared import PreparedPictures, ready
from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.river import river
from explorer.picture.picture import Picture
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.picture.examples import asked

WORDS = Words.load("zh")
LOOK = Look(attention="decoder.cross_attn", layer=1, head=2, position=1)  # It fits the model of the tests.


def test_what_was_foreseen_is_ready_once() -> None:
    """For this answer, Look and language alone; a second card would have to make its own."""
    trace, prepared = asked("he likes it"), PreparedPictures()
    prepared.prepare(trace, LOOK)
    assert prepared.take(head_map, trace, LOOK, WORDS) is None
    prepared.foresee(WORDS, [(head_map, None), (river, None)])
    prepared.prepare(trace, LOOK)
    for other in (
        (head_map, asked("he"), LOOK, WORDS),
        (head_map, trace, attrs.evolve(LOOK, head=1), WORDS),
        (head_map, trace, LOOK, Words.load("en")),
    ):
        assert prepared.take(*other) is None
    found = prepared.take(head_map, trace, LOOK, WORDS)
    anew = ready(head_map, trace, LOOK, WORDS)
    assert found is not None and anew is not None
    assert found.picture.caption == anew.picture.caption and (found.picture.values == anew.picture.values).all()
    assert prepared.take(head_map, trace, LOOK, WORDS) is None
    assert prepared.taken_ms == found.ms > 0
    assert prepared.take(river, trace, LOOK, WORDS) is not None
    assert prepared.taken_ms > found.ms


def test_what_a_view_draws_beforehand_comes_with_its_picture() -> None:
    trace, prepared, drawn = asked("he likes it"), PreparedPictures(), []

    def draw(picture: Picture, said: Words) -> str:
        drawn.append((picture, said))
        return "drawn"

    prepared.foresee(WORDS, [(river, draw)])
    prepared.prepare(trace, LOOK)
    found = prepared.take(river, trace, LOOK, WORDS)
    assert found is not None and found.drawn == ("drawn",) and drawn == [(found.picture, WORDS)]


def test_what_asks_widgets_or_fails_is_left_to_the_gui_thread() -> None:
    """A maker that is not one of `picture.makers` is not called; one that raises is, and the others are made all the same."""
    trace, prepared, called = asked("he likes it"), PreparedPictures(), []

    def asks_a_widget(_trace: Trace, _look: Look, _words: Words) -> None:
        called.append("asked")

    def fails(_trace: Trace, _look: Look, _words: Words) -> None:
        called.append("failed")
        raise NotKept(tap="decoder.cross_attn.weights", n_tokens=9)

    fails.__module__ = river.__module__
    prepared.foresee(WORDS, [(asks_a_widget, None), (fails, None), (river, None)])
    prepared.prepare(trace, LOOK)
    assert called == ["failed"]
    assert prepared.take(fails, trace, LOOK, WORDS) is None
    assert prepared.take(river, trace, LOOK, WORDS) is not None
