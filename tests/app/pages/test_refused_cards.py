"""A card whose picture cannot be made keeps its title at its top, above the sentence that says why."""

from functools import partial

import attrs
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page_stack import PageStack
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.app.pages.test_lacking import EN, opened, without
from tests.sweeps import sweep
from tests.views.conftest import trace_of

LACKING = {
    "nothing": (),
    "output": ("generator.logits", "generator.probabilities"),
    "weights": ("self_attn.weights", "self_attn.scores", "self_attn.scaled"),
    "heads": ("self_attn.value", "self_attn.query", "self_attn.key", "self_attn.heads"),
    "embedding": ("embedding.positions", "embedding.tokens", "embedding.sum"),
}
CHOSEN = ("embedding", "position", "attention", "stepper", "output", "why")


def refused(stack: PageStack) -> list[Card]:
    return [card for card in stack.page.cards if card.is_refused and card.isVisible() and not card.bare]


@pytest.mark.parametrize("lacking", sweep(LACKING, telling=list(LACKING)[:2]))
@pytest.mark.parametrize("recorded_by", sweep(["", "somebody"], telling=["somebody"]))
def test_no_refused_card_is_without_its_title(qtbot: QtBot, lacking: str, recorded_by: str) -> None:
    """On all pages, of somebody's models that lack something, from the first picture on and when it is drawn again."""
    trace = attrs.evolve(without(*LACKING[lacking]), recorded_by=recorded_by)
    nameless = []
    for page in page_list.KEYS if recorded_by else CHOSEN:
        stack = opened(qtbot, trace, page)
        for _again in range(2):
            nameless += [(page, card.note.text()) for card in refused(stack) if not card.title.text()]
            stack.draw(trace, Look().fitted(trace), EN)
        stack.close()
    assert nameless == []


def positions(kind: str) -> Trace:
    return trace_of("我爱你", position=kind)


def fills(card: Card, part: QWidget) -> bool:
    """Whether a part of a card reaches down to its lower edge."""
    return card.height() - part.geometry().bottom() < 12


@pytest.mark.parametrize("kind", ["rotary", "none"])
def test_the_title_stands_above_the_sentence(qtbot: QtBot, kind: str) -> None:
    """Also after there was a picture, and there is one again without the sentence."""
    trace, usual = positions(kind), positions("sinusoidal")
    stack = opened(qtbot, trace, "position")
    for drawn in (trace, usual, trace, trace):
        stack.draw(drawn, Look().fitted(drawn), EN)
        (card,) = [each for each in stack.page.cards if each.title.text() == EN("picture.similarity")]
        assert card.is_refused == (drawn is trace)
        if drawn is trace:
            qtbot.waitUntil(partial(fills, card, card.note))
            assert card.note.geometry().top() > card.title.geometry().bottom() and card.title.geometry().top() < 12
        else:
            qtbot.waitUntil(partial(fills, card, card.view))  # type: ignore[arg-type]
            assert not card.note.isVisible() and card.title.geometry().top() < 12
