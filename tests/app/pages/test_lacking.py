"""Pages with a model that lacks taps: what is there is drawn, and a sentence stands for what is not."""

from collections.abc import Callable

import attrs
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.pages.embedding_page import EmbeddingPage
from explorer.app.pages.page_stack import PageStack
from explorer.errors import UnknownTap
from explorer.lang import Words
from explorer.picture.figure.kinds import kind_of
from explorer.picture.makers.embedding import sum_strips
from explorer.picture.makers.river import river
from explorer.picture.river.changeable import changeable
from explorer.picture.river.place import Place
from explorer.state.look import Look
from explorer.state.offers import ChangePlace
from explorer.trace.trace import Trace
from tests.trace.foreign import grouped_trace

EN = Words.load("en")


def without(*lacking: str) -> Trace:
    """The trace of somebody's model that has none of these taps; its card says why."""
    _copied, trace = grouped_trace()
    kept = {name: array for name, array in trace.arrays.items() if not name.endswith(lacking)}
    card = attrs.evolve(trace.card, absent=dict.fromkeys(lacking, "absent.no_output"), trained=True)
    return attrs.evolve(trace, arrays=kept, axis_names={name: trace.axis_names[name] for name in kept}, card=card)


def opened(qtbot: QtBot, trace: Trace, key: str) -> PageStack:
    stack = PageStack()
    qtbot.addWidget(stack)
    stack.resize(1100, 700)
    stack.speak(EN)
    with qtbot.waitExposed(stack):
        stack.show()
    stack.go(key)
    stack.draw(trace, Look().fitted(trace), EN)
    return stack


@pytest.mark.parametrize(
    ("key", "tap"), [("output", "generator.logits"), ("why", "generator.logits"), ("position", "embedding.positions")]
)
def test_a_page_that_is_nothing_without_a_tap_says_so(qtbot: QtBot, key: str, tap: str) -> None:
    """With the card's reason, and nothing to export; the next page is there, and so is this one with another model."""
    trace = without("generator.logits", "generator.probabilities", "embedding.positions")
    stack = opened(qtbot, trace, key)
    assert tap in stack.lack.text() and EN("absent.no_output") in stack.lack.text()
    assert stack.lack.isVisible() and not stack.page.isVisible() and stack.main_card() is None
    stack.go("inspector")
    assert not stack.lack.isVisible() and stack.page.isVisible() and stack.main_card() is not None


def test_a_page_of_our_own_model_lacks_nothing() -> None:
    """Its needs are not even looked for."""
    copied, _shared = grouped_trace()
    page = EmbeddingPage.__new__(EmbeddingPage)
    page.needs = ("no.such.tap",)
    assert page.lacks(copied) == ""
    assert page.lacks(_shared) == "no.such.tap"


def test_a_card_says_which_tap_the_model_lacks(qtbot: QtBot) -> None:
    """In place of its picture, which comes back with a model that has the tap; our own models have all of them."""
    page, trace = EmbeddingPage(), without("embedding.tokens", "embedding.scaled")
    qtbot.addWidget(page)
    page.speak(EN)
    look = Look().fitted(trace)
    page.draw(trace, look, EN)
    first, second = page.cards[:2]
    for card in (first, second):
        assert "embedding.tokens" in card.note.text() and card.picture is None
    _copied, whole = grouped_trace()
    page.draw(whole, look, EN)
    assert first.picture is not None and second.picture is not None and not second.view.isHidden()
    ours = attrs.evolve(trace, config=_copied.config)
    with pytest.raises(UnknownTap):
        page.draw(ours, look, EN)


def test_the_sum_has_the_parts_that_are_there() -> None:
    """Tokens, positions and segments as they are; whether the model goes on with their sum is measured."""
    trace = without("embedding.scaled")
    tokens, positions = (trace[f"decoder.embedding.{part}"] for part in ("tokens", "positions"))

    def output(values: np.ndarray) -> Trace:
        arrays = dict(trace.arrays) | {"decoder.embedding.output": values.astype(np.float32)}
        return attrs.evolve(trace, arrays=arrays)

    look = Look().fitted(trace)
    same = sum_strips(output(tokens + positions), look, EN)
    assert [band.caption.tap.rpartition(".")[2] for band in same.bands] == ["tokens", "positions", "output"]
    assert (same.caption.note, same.caption.formula) == ("", "")
    assert sum_strips(output(2 * (tokens + positions)), look, EN).caption.note == EN("picture.sum_goes_on")


@pytest.mark.parametrize("change", [lambda look: look, lambda look: attrs.evolve(look, position=1)])
def test_a_model_without_an_output_has_its_river(change: Callable[[Look], Look]) -> None:
    """Its lanes end in vectors: no word, no probability, no candidate. The token vectors are drawn as they are."""
    trace = without("generator.logits", "generator.probabilities", "embedding.scaled")
    look = change(Look().fitted(trace))
    made = river(trace, look, EN)
    assert set(made.written.labels) == {""} and np.isnan(made.written.probabilities).all()
    assert (made.written.candidates, made.written.n_symbols) == ((), 0)
    assert made.written.step == look.step(trace) == (1 if look.position == 1 else len(trace.tokens.target) - 1)
    assert (made.halves[0].scaled == trace["decoder.embedding.tokens"]).all()
    columns = [table.name for table in kind_of(made).tables(made) if table.name.startswith("decoder.embedding.")]
    assert columns == [f"decoder.embedding.{part}" for part in ("tokens", "positions", "output")]
    vector = Place("vector", side="target", index=1, head=0)
    assert changeable(made, vector) == ChangePlace("decoder.embedding.tokens", None, 1)
    assert kind_of(made).describe(made, EN)
