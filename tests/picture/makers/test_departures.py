"""Pictures of what differs between two passes: which cells there are, what they say, and what has no counterpart."""

import math

import attrs
import numpy as np
import pytest

import explorer
from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.makers.departures import changed_heads, changed_weights, changed_words, compared_taps, head_in_row
from explorer.state.look import Look
from explorer.trace.found.difference import WeightDifference, WordDifferences
from explorer.trace.found.differing import word_differences
from explorer.trace.measures.apart import Apart
from explorer.trace.measures.head_distance import head_distance
from explorer.trace.trace import Trace

WORDS = Words.load("en")


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A model with two layers beside one with one."""
    one, other = (explorer.explore("我爱北京", preset="tiny", n_layers=n) for n in (2, 1))
    made: Trace = attrs.evolve(one, compared_with=other)
    return made


def test_heads_without_a_counterpart_are_closed(trace: Trace) -> None:
    """All others have their distance, and the note names the largest first."""
    other = trace.compared_with
    assert other is not None
    found = {tap: head_distance(other[tap], trace[tap]) for tap in compared_taps(trace)}
    made = changed_heads(trace, Look(attention="decoder.cross_attn", layer=0, head=3).fitted(trace), WORDS, found)

    assert made.rows.labels == tuple(f"{side} L{n}" for side in ("encoder self", "decoder self", "cross") for n in (0, 1))
    assert made.closed is not None and made.closed.all(axis=1).tolist() == [False, True] * 3
    for row in (0, 2, 4):
        attention, layer = head_in_row(trace, row)
        tap = f"{attention.split('.')[0]}.layers.{layer}.{attention.split('.')[1]}.weights"
        by_hand = np.abs(trace[tap].astype(float) - other[tap]).sum(-1).mean(-1) / 2
        np.testing.assert_allclose(made.values[row], by_hand, atol=1e-6)
    assert (made.chosen_row, made.chosen_column) == (4, 3)
    row, head = np.unravel_index(np.nanargmax(made.values), made.values.shape)
    assert made.caption.note.startswith(f"Changed most: {made.rows.labels[row]} H{head} {np.nanmax(made.values):.3f}")
    same = changed_heads(trace, Look(), WORDS, {tap: head_distance(trace[tap], trace[tap]) for tap in compared_taps(trace)})
    assert same.caption.note == WORDS("compare.no_head")


def test_a_word_stands_once_with_its_change(trace: Trace) -> None:
    """A word that only one pass predicts has none; a reader hears each word once."""
    assert trace.compared_with is not None
    found = word_differences(trace.compared_with, trace)
    assert found is not None
    made = changed_words(Look(), WORDS, found)
    assert made.once and [each.before for each in made.words] == list(found.words)
    assert WORDS("change.after") not in in_words(made, WORDS)
    cut = changed_words(Look(), WORDS, WordDifferences(("a", "b"), np.array([-1.0, -2.0]), np.array([-1.5, math.nan])))
    assert [each.difference for each in cut.words] == [-0.5, None]
    assert "a −0.50" in cut.caption.note
    n = 100
    long = changed_words(Look(), WORDS, WordDifferences(tuple(map(str, range(n))), np.zeros(n), np.arange(n) / n))
    assert [each.before for each in long.words] == list(map(str, range(40, n)))
    assert WORDS("compare.some_words", count=60, all=n) in long.caption.note
    none = changed_words(Look(), WORDS, WordDifferences(("a",), np.array([-1.0]), np.array([math.nan])))
    assert none.caption.note == WORDS("compare.no_words")


def test_weights_stand_by_layer_and_matrix() -> None:
    """Vectors and what is outside the layers are counted and not drawn; what cannot be compared is closed."""
    square, vector = ((4, 4), (4, 4)), ((4,), (4,))
    found = (
        WeightDifference("encoder.layers.0.self_attn.q.weight", square, Apart(1.0, 3.0, 4.0, 9, 16)),
        WeightDifference("encoder.layers.0.norm.bias", vector, Apart(1.0, 3.0, 0.0, 4, 4)),
        WeightDifference("decoder.layers.0.self_attn.q.weight", square, Apart(0.0, 0.0, 4.0, 0, 16)),
        WeightDifference("decoder.layers.0.cross_attn.q.weight", ((4, 4), ()), None),
        WeightDifference("generator.weight", square, Apart(2.0, 8.0, 4.0, 16, 16)),
    )
    made = changed_weights(Look(), WORDS, found)
    assert made.rows.labels == ("self_attn.q", "cross_attn.q")
    assert made.columns.labels == ("encoder L0", "decoder L0")
    np.testing.assert_array_equal(made.values, np.float32([[0.75, 0.0], [np.nan, np.nan]]))
    assert made.closed is not None and made.closed.tolist() == [[False, False], [True, True]]
    assert "3 of 5 weight tensors differ." in made.caption.note
    assert "generator 2 · encoder.layers.0.self_attn.q 0.75." in made.caption.note
    assert WORDS("compare.alone", count=1) in made.caption.note
    assert changed_weights(Look(), WORDS, ()).values.shape == (1, 1)
