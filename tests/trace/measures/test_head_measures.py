"""Measures of heads, against loops in float64 and answers known beforehand."""

import math

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UnknownMeasure, UnknownTap
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.kept_map import KeptMap
from explorer.trace.measures.head_measures import MEASURES, Seen, head_values, row_step
from explorer.trace.recorded_pass import Tokens
from tests.trace.runs import a_trace


def by_loops(key: str, weights: np.ndarray, ids: list[int], *, across: bool = False) -> float:
    """A measure of one head's [query, key], cell by cell in Python's floats: another computation of the same definition."""
    n, m = weights.shape
    rows = [[float(weight) for weight in row] for row in weights]
    match key:
        case "entropy":
            each = [-sum(a * math.log2(a) for a in row if a > 0) for row in rows]
        case "distance":
            each = [sum(a * abs(q - k) for k, a in enumerate(row)) for q, row in enumerate(rows)]
        case "previous":
            each = [rows[q][q - 1] for q in range(1, n)]
        case "first":
            each = [rows[q][0] for q in range(0 if across else 1, n)]
        case "diagonal" if across:
            each = [rows[q][math.floor(q * (m - 1) / (n - 1) + 0.5 if n > 1 else 0)] for q in range(n)]
        case "diagonal":
            each = [rows[q][q] for q in range(n)]
        case "induction":
            followers = [[k for k in range(1, q) if ids[k - 1] == ids[q]] for q in range(n)]
            each = [sum(rows[q][k] for k in keys) for q, keys in enumerate(followers) if keys]
        case other:
            raise AssertionError(other)
    return math.fsum(each) / len(each) if each else math.nan


def random_weights(heads: int, n: int, m: int, seed: int, *, causal: bool) -> np.ndarray:
    """[head, query, key] rows that sum to 1."""
    scores = np.random.default_rng(seed).normal(size=(heads, n, m)) * 3
    if causal:
        scores[:, np.triu(np.ones((n, m), bool), 1)] = -np.inf
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("key", HEAD_MEASURES)
@given(n=st.integers(1, 9), seed=st.integers(0, 99), causal=st.booleans())
def test_measures_are_those_of_loops(key: str, n: int, seed: int, causal: bool) -> None:
    """In self-attention, with repeated tokens and without, under a causal mask and without one."""
    weights = random_weights(3, n, n, seed, causal=causal)
    ids = np.random.default_rng(seed).integers(0, 4, n)
    found = MEASURES[key].of(Seen(weights, ids, np.arange(n)))
    wanted = [by_loops(key, head, ids.tolist()) for head in weights]
    assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("key", [key for key in HEAD_MEASURES if MEASURES[key].across])
@given(n=st.integers(1, 9), m=st.integers(1, 9), seed=st.integers(0, 99))
def test_measures_across_two_texts_are_those_of_loops(key: str, n: int, m: int, seed: int) -> None:
    """Queries and keys may differ in number."""
    weights = random_weights(2, n, m, seed, causal=False)
    found = MEASURES[key].of(Seen(weights, np.zeros(m, np.int64), np.arange(n), across=True))
    assert found == pytest.approx([by_loops(key, head, [0] * m, across=True) for head in weights], abs=1e-9)


def test_the_comparison_with_loops_can_fail() -> None:
    """One moved weight is enough, and the queries' own place is not the one before."""
    weights = random_weights(1, 5, 5, 0, causal=True)
    moved = weights.copy()
    moved[0, 4] = np.roll(moved[0, 4], 1)
    seen = Seen(weights, np.zeros(5, np.int64), np.arange(5))
    for key in ("distance", "previous", "first", "diagonal", "induction"):
        assert MEASURES[key].of(seen)[0] != pytest.approx(by_loops(key, moved[0], [0] * 5), abs=1e-6)


def test_heads_made_by_hand_have_the_measures_that_one_expects() -> None:
    """One looks at the token before, one at the first, one at itself, one at what followed the same token, one everywhere."""
    ids = np.array([7, 8, 9, 7, 8, 9])
    places = ([0, 0, 1, 2, 3, 4], [0] * 6, range(6), [0, 0, 0, 1, 2, 3])
    sharp = [np.eye(6, dtype=np.float32)[list(row)] for row in places]
    weights = np.stack([*sharp, np.full((6, 6), 1 / 6, np.float32)])
    seen = Seen(weights, ids, np.arange(6))
    assert MEASURES["previous"].of(seen) == pytest.approx([1, 0.2, 0, 0.2, 1 / 6])
    assert MEASURES["first"].of(seen) == pytest.approx([0.2, 1, 0, 0.4, 1 / 6])
    assert MEASURES["diagonal"].of(seen) == pytest.approx([1 / 6, 1 / 6, 1, 1 / 6, 1 / 6])
    assert MEASURES["induction"].of(seen) == pytest.approx([0, 0, 0, 1, 1 / 6])
    assert MEASURES["entropy"].of(seen) == pytest.approx([0, 0, 0, 0, math.log2(6)])


def test_every_declared_measure_has_its_row() -> None:
    """The keys that a Look may name are those of the table, in the same order."""
    assert tuple(MEASURES) == HEAD_MEASURES


def test_a_trace_tells_the_measures_of_all_heads() -> None:
    """[layer, head] of each, from its recorded weights and its tokens' ids."""
    trace = a_trace()
    for attention in trace.card.attentions:
        side, _, kind = attention.partition(".")
        measures = trace.measures(attention)
        for key, values in measures.items():
            assert values.shape == (2, 4)
            for layer in range(2):
                tap = f"{side}.layers.{layer}.{kind}.weights"
                ids = [token.id for token in trace.keys(tap)]
                for head, weights in enumerate(trace[tap]):
                    across = kind == "cross_attn"
                    wanted = by_loops(key, weights, ids, across=across) if MEASURES[key].formula(attention) else math.nan
                    assert values[layer, head] == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert np.array_equal(trace.measures()["entropy"], trace.measures("encoder.self_attn")["entropy"])


def test_repeated_tokens_give_the_induction_a_number() -> None:
    """Without them it is NaN, as distances between two texts are."""
    trace = a_trace()
    again = tuple(attrs.evolve(token, id=4) for token in trace.tokens.source)
    repeated = attrs.evolve(trace, tokens=Tokens(again, trace.tokens.target))
    assert np.isnan(trace.measures()["induction"]).all()
    assert np.isfinite(repeated.measures()["induction"]).all()
    assert np.isnan(trace.measures("decoder.cross_attn")["distance"]).all()


def test_of_a_long_text_only_kept_heads_are_measured() -> None:
    """A head whose cells were not kept has no number, and nothing is made up."""
    trace = a_trace()
    tap = "encoder.layers.0.self_attn.weights"
    map_ = trace.map(tap)
    kept = KeptMap(tap=tap, shape=map_.shape).with_close_ups({2: attrs.evolve(map_).with_levels().levels.of(2)})
    arrays = {name: array for name, array in trace.arrays.items() if name != tap}
    cut = attrs.evolve(trace, arrays=arrays, maps={tap: kept})
    found = head_values(cut, "encoder.self_attn", "entropy")
    assert np.isfinite(found[0]).tolist() == [False, False, True, False]
    assert found[0, 2] == head_values(trace, "encoder.self_attn", "entropy")[0, 2]
    assert np.isfinite(found[1]).all()


def test_evenly_spaced_queries_stand_for_a_long_text() -> None:
    """Only entropy and distance, which read every cell, look at fewer queries, and how far apart these are is known."""
    trace = a_trace()
    assert row_step(trace, "encoder.self_attn", 0) == 1
    assert row_step(trace, "encoder.self_attn", 50) == 2  # 4 heads of 5 × 5 cells
    weights = trace["encoder.layers.1.self_attn.weights"]
    found = head_values(trace, "encoder.self_attn", "distance", 50)[1]
    wanted = [np.mean([sum(head[q, k] * abs(q - k) for k in range(5)) for q in (0, 2, 4)]) for head in weights]
    assert found == pytest.approx(wanted, abs=1e-6)
    assert np.array_equal(
        head_values(trace, "encoder.self_attn", "previous", 50), head_values(trace, "encoder.self_attn", "previous")
    )


def test_what_is_no_measure_is_refused() -> None:
    """With those that there are; and an attention that the model lacks as an unknown tap."""
    with pytest.raises(UnknownMeasure, match="entropy, distance"):
        head_values(a_trace(), "encoder.self_attn", "beauty")
    with pytest.raises(UnknownTap):
        a_trace().measures("encoder.cross_attn")
