"""Maps of several heads, and what of a map is shown, against sums and maxima one by one."""

import math

import attrs
import numpy as np
import pytest

from explorer.picture.alignment_lines import changeable
from explorer.picture.makers import alignment as lines
from explorer.picture.makers.alignment import alignment, attention_lines
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.pooled import attention_map, is_special, offered_pools, pooled_as
from explorer.state.look import ALIGNED, Look
from explorer.state.offers import ChangePlace
from explorer.trace.found.rollout import rollout
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example, words
from tests.picture.makers.test_alignment import begun

ATTENTIONS = ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")


def taps(attention: str, trace: Trace, layers: range, stage: str = "weights") -> list[np.ndarray]:
    side, _, kind = attention.partition(".")
    return [trace[f"{side}.layers.{layer}.{kind}.{stage}"] for layer in layers]


def one_by_one(key: str, maps: list[np.ndarray]) -> np.ndarray:
    """Mean or maximum of each cell over all heads of these layers, with Python's own sums."""
    n, m = maps[0].shape[1:]
    cells = [[[float(head[q, k]) for heads in maps for head in heads] for k in range(m)] for q in range(n)]
    take = max if key.endswith("max") else lambda values: math.fsum(values) / len(values)
    return np.array([[take(values) for values in row] for row in cells])


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("key", ["layer", "all", "layer_max", "all_max"])
def test_what_stands_for_several_heads_is_their_mean_or_maximum(key: str, attention: str) -> None:
    """Of one layer or of all; closed cells stay closed, and the numbers say that they were computed."""
    trace = example()
    made = attention_map(trace, Look(attention=attention, layer=1, head=2, aligned=key), words())
    maps = taps(attention, trace, range(1, 2) if key.startswith("layer") else range(2))
    open_ = np.isfinite(made.values)
    assert made.values[open_] == pytest.approx(one_by_one(key, maps)[open_], abs=1e-7)
    assert (open_ == (np.triu(np.ones(open_.shape), 1) == 0)).all() or attention != "decoder.self_attn"
    assert made.caption.origin == "computed" and made.head is None and made.recorded is None
    assert made.values != pytest.approx(
        head_map(trace, Look(attention=attention, layer=1, head=2), words()).values, nan_ok=True
    )


def test_one_head_is_the_recorded_map() -> None:
    """Nothing is computed where nothing was asked for."""
    trace, look = example(), Look(layer=1, head=3)
    made = attention_map(trace, look, words())
    assert made.is_recorded and made.caption == head_map(trace, look, words()).caption


def test_scores_are_pooled_too() -> None:
    """At the chosen stage."""
    trace = example()
    made = attention_map(trace, Look(layer=0, stage="scaled", aligned="layer_max"), words())
    assert made.values == pytest.approx(trace["encoder.layers.0.self_attn.scaled"].max(0))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rollout_goes_up_to_the_chosen_layer_and_says_that_it_is_a_heuristic(language: str) -> None:
    """From the weights, whatever the stage; across two texts there is none, and the mean stands instead."""
    trace = example()
    for layer in range(2):
        look = Look(layer=layer, stage="scores", aligned="rollout")
        made = attention_map(trace, look, words(language))
        wanted = rollout(taps("encoder.self_attn", trace, range(layer + 1)))
        assert made.values == pytest.approx(wanted, abs=1e-7)
        assert "2020" in made.caption.note and words(language)("heads.pooled_of.rollout", layer=layer) in made.caption.title
    across = Look(attention="decoder.cross_attn", aligned="rollout")
    assert pooled_as(across) == "all" and "rollout" not in offered_pools(across)
    assert alignment(trace, across, words()).values == pytest.approx(
        alignment(trace, attrs.evolve(across, aligned="all"), words()).values
    )


@pytest.mark.parametrize("key", ["layer_max", "all_max"])
def test_lines_show_the_maximum_as_well(key: str) -> None:
    """The same numbers as the map."""
    trace = begun()
    look = Look(attention="decoder.cross_attn", layer=1, aligned=key)
    assert alignment(trace, look, words()).values == pytest.approx(attention_map(trace, look, words()).values)


@pytest.mark.parametrize("key", ALIGNED)
def test_below_the_threshold_cells_are_hidden_and_the_others_keep_their_numbers(key: str) -> None:
    """The note says which share of all weight is left."""
    trace, look = example(), Look(aligned=key)
    whole, made = attention_map(trace, look, words("en")), attention_map(trace, attrs.evolve(look, threshold=0.25), words("en"))
    hidden = whole.values < 0.25
    assert 0 < hidden.sum() < hidden.size and np.isnan(made.values[hidden]).all() and made.closed[hidden].all()
    assert np.array_equal(made.values[~hidden], whole.values[~hidden])
    share = 100 * math.fsum(whole.values[~hidden].tolist()) / math.fsum(whole.values.ravel().tolist())
    assert f"{share:.3g} %" in made.caption.note
    assert made.caption.origin == "computed" and words("en")("heads.below", threshold=0.25) in made.reason


def test_masked_cells_and_small_ones_keep_their_own_reasons() -> None:
    """Both are told, each for its cells."""
    made = attention_map(example(), Look(attention="decoder.self_attn", threshold=0.3), words("en"))
    assert len(made.reasons) == 2
    (mask, masked), (small, below) = made.reasons
    assert mask != small and masked[0, 1] and not (masked & below).any() and (masked | below == made.closed).all()


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_without_special_tokens_each_row_sums_to_one_again(attention: str) -> None:
    """Rows and columns of <bos> and the end are closed, and the others stand to each other as before."""
    trace, look = begun(), Look(attention=attention, specials="hidden", layer=1, head=2)
    whole = attention_map(trace, attrs.evolve(look, specials="shown"), words("en"))
    made = attention_map(trace, look, words("en"))
    if attention == "encoder.self_attn":
        assert np.array_equal(made.values, whole.values) and made.is_recorded  # Our source has no special tokens.
        return
    rows, columns = (0, 0) if attention == "decoder.self_attn" else (len(whole.values) - 1, None)
    assert made.closed is not None and made.closed[rows].all() and np.isnan(made.values[rows]).all()
    assert columns is None or made.closed[:, columns].all()
    for row, before in zip(made.values, whole.values, strict=True):
        shown = np.isfinite(row)
        if shown.any():
            assert math.fsum(row[shown].tolist()) == pytest.approx(1, abs=1e-6)
            assert row[shown] / row[shown].sum() == pytest.approx(before[shown] / before[shown].sum(), abs=1e-6)
    assert words("en")("heads.special_note") in made.caption.note


def test_a_row_that_looked_at_special_tokens_alone_has_no_numbers() -> None:
    """It is closed rather than made up; scores are never renormalised."""
    trace = begun()
    tap = "decoder.layers.0.self_attn.weights"
    weights = trace[tap].copy()
    weights[:, 1] = [1, 0, 0]
    sinks = attrs.evolve(trace, arrays={**trace.arrays, tap: weights})
    made = attention_map(sinks, Look(attention="decoder.self_attn", specials="hidden"), words())
    assert np.isnan(made.values[1]).all() and np.isfinite(made.values[2, 1:]).all()
    scores = attention_map(
        sinks, Look(attention="decoder.self_attn", stage="scores", specials="hidden", threshold=0.5), words()
    )
    assert scores.is_recorded
    assert [is_special(trace, token) for token in trace.tokens.target] == [True, False, False]


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("key", ["head", "layer_max", "all"])
def test_every_attention_has_lines_with_the_numbers_of_its_map(attention: str, key: str) -> None:
    """Self-attention as well as cross-attention; of scores, their weights."""
    trace, look = begun(), Look(attention=attention, layer=1, head=2, aligned=key)
    lines, grid = attention_lines(trace, look, words("en")), attention_map(trace, look, words("en"))
    assert np.array_equal(lines.values, grid.values, equal_nan=True)
    assert (lines.rows, lines.columns, lines.head) == (grid.rows, grid.columns, grid.head)
    assert lines.caption.note == words("en")("heads.lines_note")
    scores = attention_lines(trace, attrs.evolve(look, stage="scores"), words("en"))
    assert np.array_equal(scores.values, grid.values, equal_nan=True)


def test_of_very_many_lines_the_strongest_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is said how many."""
    monkeypatch.setattr(lines, "MOST_LINES", 5)
    trace = example()
    whole, made = attention_map(trace, Look(), words("en")), attention_lines(trace, Look(), words("en"))
    shown = np.isfinite(made.values)
    assert shown.sum() == 5 and whole.values[shown].min() >= whole.values[~shown].max()
    assert words("en")("heads.strongest", count=5) in made.caption.note and made.recorded is None


@pytest.mark.parametrize("attention", ["encoder.self_attn", "decoder.self_attn"])
def test_a_change_at_a_line_of_self_attention_is_one_of_its_own_side(attention: str) -> None:
    """A cell of the head, or the vector of the token that stands in either row."""
    lines = attention_lines(example(), Look(attention=attention, head=2), words("en"))
    side = attention.partition(".")[0]
    tap = f"{side}.layers.0.self_attn.weights"
    rows, columns = (attrs.evolve(axis, side=end) for axis, end in ((lines.rows, "below"), (lines.columns, "above")))
    apart = attrs.evolve(lines, rows=rows, columns=columns)
    assert changeable(apart, frozenset({("below", 3), ("above", 1)})) == ChangePlace(tap, 2, 3, 1)
    assert changeable(apart, frozenset({("above", 1)})) == ChangePlace(f"{side}.embedding.output", None, 1)
    assert changeable(apart, frozenset({("below", 2)})) == ChangePlace(f"{side}.embedding.output", None, 2)
