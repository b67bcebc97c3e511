"""Pictures of hidden tokens and of sentences side by side: their numbers, by hand."""

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.makers.cloze import filled_in_bars, hidden_timeline, least_probable, surprise_bars
from explorer.picture.makers.vectors import cosine_map
from explorer.state.look import Look
from explorer.trace.found.cloze import Cloze
from explorer.trace.found.similarity import Similarity

EN, ZH = Words.load("en"), Words.load("zh")
FOUND = Cloze(
    mask="[MASK]",
    positions=(1, 2, 3),
    tokens=("the", "fox", "runs"),
    ids=(4, 5, 6),
    log_p=np.log(np.array([0.5, 0.01, 0.25])),
    ranks=np.array([1, 9, 2]),
    candidates=np.array([[4, 7], [7, 4], [7, 6]]),
    probabilities=np.array([[0.5, 0.25], [0.75, 0.125], [0.5, 0.25]], np.float32),
    names={4: "the", 6: "runs", 7: "dog"},
    n_symbols=40,
)


def test_a_row_has_the_probability_of_each_hidden_token() -> None:
    """Token by token, with the sum of log P, and the places that they have in the text."""
    made = hidden_timeline(FOUND, 2, Look(), EN)

    assert (made.labels, made.chosen, made.ranks, made.n_symbols) == (("the", "fox", "runs"), 2, (1, 9, 2), 40)
    np.testing.assert_allclose(made.probabilities, [0.5, 0.01, 0.25])
    assert (made.side, made.shift) == ("source", 1)
    assert "−6.685" in made.caption.note and "−2.228" in made.caption.note  # ln(0.5 · 0.01 · 0.25), and a third of it
    assert made.told[1] == "fox, masked: P = 0.01, rank 9 of 40, log P = −4.605 nat."
    assert least_probable(FOUND) == 1
    assert hidden_timeline(attrs.evolve(FOUND, positions=(1, 2, 4)), 0, Look(), EN).side == ""


def test_what_is_filled_in_ends_with_the_token_itself() -> None:
    """Where it is not among the likeliest; else it is outlined in its place."""
    rare, likely = filled_in_bars(FOUND, 1, Look(), EN), filled_in_bars(FOUND, 2, Look(), EN)

    assert (rare.labels, rare.chosen) == (("dog", "the", "fox"), 2)
    np.testing.assert_allclose(rare.values, [0.75, 0.125, 0.01])
    assert (likely.labels, likely.chosen) == (("dog", "runs"), 1)
    assert "the [MASK] runs" in rare.caption.title and "the fox [MASK]" in likely.caption.title


def test_the_most_surprising_token_comes_first() -> None:
    """−log P in nats; all together are the pseudo-log-likelihood without its sign."""
    made = surprise_bars(FOUND, 2, Look(), ZH)

    assert (made.labels, made.chosen) == (("fox", "runs", "the"), 1)
    assert float(made.values.sum()) == pytest.approx(-FOUND.total)
    assert list(made.values) == sorted(made.values, reverse=True)


def test_cosines_are_on_one_scale_and_say_how_they_are_pooled() -> None:
    """From −1 to 1, whatever the sentences are; an assumed pooling is told."""
    vectors = np.array([[1.0, 0.0], [3.0, 4.0], [-2.0, 0.0]], np.float32)
    made = cosine_map(Similarity(("a", "b", "c"), vectors, ("mean", "cls")), Look(), EN)

    np.testing.assert_allclose(made.values, [[1, 0.6, -1], [0.6, 1, -0.6], [-1, -0.6, 1]], atol=1e-6)
    assert (made.scale.low, made.scale.high) == (-1, 1) and made.rows.labels == ("a", "b", "c")
    assert "the mean of all tokens + the first token alone" in made.caption.note
    assert "assumed" in cosine_map(Similarity(("a",), vectors[:1], told=False), Look(), EN).caption.note
