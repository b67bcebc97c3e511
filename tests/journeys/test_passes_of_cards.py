"""Every card says which pass its numbers are of: one with the changes and the dropout of the pass on screen, or one without."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.shell.window import Window
from explorer.lang import Words
from explorer.picture.kinds import Caption, TokenRow
from explorer.state.change_intents import AddChanges
from explorer.state.intents import SetKnob, SetText
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.journeys.conftest import Journey
from tests.journeys.test_shown_is_exported import Numbers, shown
from tests.sweeps import sweep

_Cards = dict[tuple[str, int], tuple[Caption, list[Numbers], str]]


def cards_of(window: Window) -> Iterator[Card]:
    page = window.page_stack.page
    yield from (card for card in page.cards if card.isVisibleTo(page) and card.picture is not None)


def looked_through(journey: Journey, window: Window) -> _Cards:
    """By page and place every card's caption, its numbers and its badge."""
    found: _Cards = {}
    for key in page_list.KEYS:
        window.go(key)
        journey.settle(window)
        for place, card in enumerate(cards_of(window)):
            assert card.picture is not None
            if not isinstance(card.picture, TokenRow):  # A token is the same in every pass.
                told = "" if card.badge.isHidden() else card.badge.text()
                found[key, place] = card.picture.caption, shown(card), told
    return found


def same(first: list[Numbers], second: list[Numbers]) -> bool:
    return len(first) == len(second) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)
    )


def everywhere(trace: Trace) -> tuple[Change, ...]:
    """Changes that reach every number and every mask of a pass."""
    sides = [side.name for side in trace.card.sides]
    taps = [f"{side}.embedding.{part}" for side in sides for part in ("tokens", "positions")]
    masks = [tap for tap in trace.names() if tap.endswith("_attn.masked")]
    return (*(Change(tap, "add", value=1.0) for tap in taps), *(Change(tap, "close", rows=[2], columns=[0]) for tap in masks))


def says_wrong(
    caption: Caption, numbers: list[Numbers], told: str, before: tuple[Caption, list[Numbers], str], words: Words
) -> bool:
    """Whether a card with the badge shows the pass without the change, or one without it shows another."""
    with_badge, without = (words(key) in told for key in ("change.badge", "picture.without.changes"))
    if caption.origin == "parameter":  # It is the model's, whatever a change does to its passes.
        return with_badge or without or not same(numbers, before[1])
    if with_badge == without:
        return True
    if caption.title == words("layers.dead"):  # A share of units, which may stay what it was.
        return not with_badge
    if caption.title != before[0].title or not any(np.nan_to_num(each).any() for each in numbers):
        return False  # The card has turned to another head, or has no numbers.
    return with_badge == same(numbers, before[1]) and (without or caption.origin != "recorded")


@pytest.mark.parametrize("preset", sweep(["translator", "tutorial-c"], telling=["tutorial-c"]))
def test_a_card_is_changed_or_says_that_it_is_without_the_change(journey: Journey, preset: str) -> None:
    """A change that reaches every number: what bears the badge differs from the pass without it, and the rest equals it."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("他在图书馆看书。" if preset == "translator" else "狗爱北京天安门"))
        before = looked_through(journey, window)
        window.session.ask(AddChanges(everywhere(window.session.frame.trace)))
        after = looked_through(journey, window)
        wrong = [
            (place, caption.title, told)
            for place, (caption, numbers, told) in after.items()
            if place in before and says_wrong(caption, numbers, told, before[place], window.appearance.words)
        ]
        assert not wrong, "\n".join(map(str, wrong))
        assert len(after) > 25

    journey.run(script, "--preset", preset)


def test_without_dropout_is_said_where_the_pass_drops_numbers(journey: Journey) -> None:
    """Trials are compared without it; what the pass itself recorded has it, and says nothing."""

    def script(window: Window) -> None:
        journey.settle(window)
        words = window.appearance.words
        window.session.ask(SetKnob("dropout", 0.3))
        window.session.ask(SetKnob("dropout_active", True))
        dry = {
            (page, caption.finding)
            for (page, _), (caption, _, told) in looked_through(journey, window).items()
            if words("picture.without.dropout") in told
        }
        assert {(page, found) for page, found in dry if found in ("effects", "saliency", "leak", "depth", "swap")} == {
            ("effects", "effects"),
            ("saliency", "saliency"),
            ("masks", "leak"),
            ("layers", "depth"),
            ("position", "swap"),
        }
        assert all(found for _, found in dry)
        window.session.ask(SetKnob("dropout_active", False))
        assert not any(words("picture.without.dropout") in told for _, _, told in looked_through(journey, window).values())

    journey.run(script)
