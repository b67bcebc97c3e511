"""What a row of the list of changes says of its consequence."""

import math

import numpy as np
import pytest

from explorer.errors import AllClosed
from explorer.lang import Words
from explorer.picture.outcome import folded, outcome, runs, shortened
from explorer.trace.arrays import frozen_array
from explorer.trace.found.consequences import Consequence

WORDS = Words.load("en")


def of(log_p: list[float], after: list[float], before: str = "She gave", then: str = "I gave") -> Consequence:
    words = ("She", "gave", "")[: len(log_p)]
    return Consequence(words, frozen_array(np.array(log_p)), frozen_array(np.array(after)), before, then)


def test_a_row_says_its_translation_and_the_word_hit_most() -> None:
    """Words that differ are marked; the cells are differences; the end of the sentence has a name."""
    made = outcome(of([-1, -2, -0.5], [-3.5, -1.5, -0.5]), WORDS)
    assert made.runs == (("I", "new"), (" gave", "")) and made.translation == "I gave"
    assert made.cells == (-2.5, 0.5, 0.0) and made.words[-1] == WORDS("change.end")
    assert made.hit == "She \N{MINUS SIGN}2.50" and not made.none
    assert "I gave" in made.told(WORDS) and "\N{MINUS SIGN}2.50" in made.told(WORDS)


@pytest.mark.parametrize(("difference", "none"), [(0.0499, True), (-0.0499, True), (0.051, False), (math.nan, False)])
def test_less_than_a_twentieth_is_no_effect_and_says_how_much(difference: float, none: bool) -> None:
    """NaN is no number, and so not a small one."""
    made = outcome(of([-1.0], [-1.0 + difference]), WORDS)
    assert made.none is none
    assert (made.hit == WORDS("outcome.largest", value="0.050")) is none
    assert outcome(of([-1.0, -1.0], [-9.0, math.nan]), WORDS).hit.startswith("gave")


def test_pending_and_refused_rows_say_so() -> None:
    """A pending one has a cell for each expected word; a refused one its reason."""
    assert outcome(None, WORDS, ("a", "b")).words == ("a", "b") and outcome(None, WORDS).pending
    error = AllClosed(tap="a", row=2)
    assert outcome(error, WORDS).told(WORDS) == outcome(error, WORDS).lacks == WORDS.error(error)
    assert outcome(None, WORDS).told(WORDS) == WORDS("outcome.pending") and outcome(None, WORDS).each() == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("'" * 34, "' ×34"),
        ("no no no no no no", "no ×6"),
        ("I see the the the the the the dog", "I see the ×6 dog"),
        ("a b a b a b a b a b", "a b ×5"),
        ("wait...", "wait..."),
        ("no no no no", "no no no no"),
        ("", ""),
    ],
)
def test_a_loop_is_told_by_how_often_it_goes_round(text: str, told: str) -> None:
    """Four times is still a text, five are a loop."""
    assert folded(text) == told


def test_a_long_translation_is_told_around_its_first_difference() -> None:
    """And nothing of a short one is left out."""
    before = " ".join(f"word{n}" for n in range(60))
    whole = runs(before, before.replace("word40", "other"))
    short = shortened(whole)
    assert short[0] == short[-1] == ("…", "") and (" other", "new") in short
    assert sum(len(text) for text, _mark in short) <= 90
    assert shortened(runs("a b", "a c")) == runs("a b", "a c") == (("a", ""), (" c", "new"))


def test_a_word_that_nothing_replaced_is_struck_where_it_was() -> None:
    """It is no part of the translation."""
    made = outcome(of([-1.0], [-2.0], "I gave her a book.", "I gave a book."), WORDS)
    assert (" her", "gone") in made.runs and made.translation == "I gave a book."
    assert runs("I gave her a book.", "I gave a book.") == (("I gave", ""), (" a book.", ""))
