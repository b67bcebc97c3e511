"""Temperature, top-k and top-p, held against sums done another way; and the bars that show them."""

import math
from itertools import combinations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.picture.makers import output
from explorer.state.look import Look
from explorer.tokens.vocabulary import END
from explorer.trace.sampling import cut_away, mass_cut_away, sampling_probabilities
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, LANGUAGES, asked, example, words

EN = words("en")
LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=8)
SHARES = st.lists(st.integers(0, 50), min_size=2, max_size=7).filter(any)


def slow_softmax(logits: list[float], temperature: float) -> list[float]:
    """By the definition, each power by itself; the quotient z[j] − z[i] instead of a common shift."""
    return [1 / math.fsum(math.exp(min(700.0, (other - own) / temperature)) for other in logits) for own in logits]


def smallest_sets(shares: list[int], most: int, wanted: float) -> set[frozenset[int]]:
    """All smallest sets of symbols whose sum reaches `wanted` of the `most` likeliest's, by trying every set."""
    allowed = sorted(range(len(shares)), key=lambda i: (-shares[i], i))[:most]
    whole = sum(shares[i] for i in allowed)
    for size in range(1, len(allowed) + 1):
        found = {
            frozenset(each)
            for each in combinations(allowed, size)
            if sum(shares[i] for i in each) >= wanted * whole - 1e-9 * whole
        }
        if found:
            return found
    raise AssertionError("the whole set reaches everything")


def kept(probabilities: np.ndarray, top_k: int = 0, top_p: float = 1.0) -> set[int]:
    return set(np.flatnonzero(~cut_away(probabilities, top_k, top_p)).tolist())


@given(logits=LOGITS, temperature=st.floats(0.1, 3))
def test_probabilities_are_the_definitions(logits: list[float], temperature: float) -> None:
    """Against a sum of quotients; they sum to one."""
    made = sampling_probabilities(np.array(logits, np.float32), temperature)
    np.testing.assert_allclose(made, slow_softmax(logits, temperature), rtol=1e-9, atol=1e-300)
    assert made.dtype == np.float64
    assert math.isclose(made.sum(), 1.0, rel_tol=1e-12)


def test_the_comparison_of_probabilities_can_fail() -> None:
    """Another temperature is another distribution."""
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(sampling_probabilities(np.array([1.0, 2.0]), 1.01), slow_softmax([1.0, 2.0], 1.0), rtol=1e-9)


def test_large_logits_do_not_overflow() -> None:
    """exp(10000) has no float."""
    np.testing.assert_array_equal(sampling_probabilities(np.array([1000.0, 0.0, -np.inf], np.float32), 0.1), [1, 0, 0])


def test_a_low_temperature_sharpens_and_a_high_one_levels() -> None:
    """The likeliest becomes likelier below 1 and less likely above, and the order stays."""
    logits = np.array([1.0, 3.0, 2.0])
    cold, plain, hot = (sampling_probabilities(logits, t) for t in (0.5, 1.0, 2.0))
    assert cold.max() > plain.max() > hot.max() > 1 / 3
    assert all(np.argsort(each).tolist() == [0, 2, 1] for each in (cold, plain, hot))


@given(shares=SHARES, top_k=st.integers(0, 9), percent=st.integers(1, 100))
def test_what_is_kept_is_a_smallest_set_that_reaches_p(shares: list[int], top_k: int, percent: int) -> None:
    """Top-k first, then p of what is left: against every subset of every size."""
    probabilities = np.array(shares, float) / sum(shares)
    most = top_k or len(shares)
    made = kept(probabilities, top_k, percent / 100)
    if percent == 100:
        assert made == set(sorted(range(len(shares)), key=lambda i: (-shares[i], i))[:most])
    else:
        assert frozenset(made) in smallest_sets(shares, most, percent / 100)


@pytest.mark.parametrize(
    ("top_k", "top_p", "expected"),
    [
        (0, 1.0, {0, 1, 2, 3}),
        (2, 1.0, {0, 1}),
        (9, 1.0, {0, 1, 2, 3}),
        (0, 0.9, {0, 1}),
        (0, 0.91, {0, 1, 2}),
        (0, 0.05, {0}),
        (0, 0.6, {0}),
        (2, 0.66, {0}),
        (2, 0.67, {0, 1}),
        (1, 0.99, {0}),
    ],
)
def test_both_rules_by_hand(top_k: int, top_p: float, expected: set[int]) -> None:
    """0.6 + 0.3 reaches 0.9, although in binary it is a little less; with k = 2 the first has 0.6 / 0.9 = 0.667."""
    assert kept(np.array([0.6, 0.3, 0.06, 0.04]), top_k, top_p) == expected


def test_of_equals_the_smaller_ids_are_kept() -> None:
    """So that the same picture comes twice."""
    assert kept(np.full(4, 0.25), top_k=2) == {0, 1}
    assert kept(np.full(4, 0.25), top_p=0.75) == {0, 1, 2}


def test_the_share_cut_away_is_what_is_missing_from_one() -> None:
    """In float64, also from float32 numbers."""
    probabilities = np.array([0.5, 0.25, 0.125, 0.125], np.float32)
    assert mass_cut_away(probabilities, cut_away(probabilities, 2, 1.0)) == 0.25
    assert mass_cut_away(probabilities, cut_away(probabilities, 0, 1.0)) == 0.0


# The bars


def row_of(trace: Trace, look: Look) -> np.ndarray:
    """With Python's own exp and exact sum: the quotients above would take a minute over a whole vocabulary."""
    powers = [math.exp(z / look.sampling_temperature) for z in trace["generator.logits"][look.position].tolist()]
    return np.array(powers) / math.fsum(powers)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_at_temperature_one_the_bars_are_the_recorded_numbers(architecture: str) -> None:
    """To the last bit, nothing hatched, nothing outlined, and ids that name the very cells."""
    trace = example(architecture)
    made = output.top_bars(trace, Look(position=1), EN)
    np.testing.assert_array_equal(made.values, trace["generator.probabilities"][1][list(made.ids)])
    assert made.labels == tuple(output.symbol(trace, i) for i in made.ids)
    assert (made.cut, made.chosen, made.caption.tap) == (None, None, "generator.probabilities")
    entropy = -math.fsum(p * math.log2(p) for p in map(float, trace["generator.probabilities"][1]) if p)
    assert f"entropy {entropy:.4g} bits" in made.caption.note


@pytest.mark.parametrize("temperature", [0.1, 0.7, 3.0])
def test_at_another_temperature_they_are_those_of_the_logits(temperature: float) -> None:
    """And the caption says what was computed, and from what."""
    trace, look = example(), Look(position=2, sampling_temperature=temperature)
    made, row = output.top_bars(trace, look, EN), row_of(trace, look)
    best = sorted(range(len(row)), key=lambda i: (-row[i], i))[:20]
    np.testing.assert_allclose(made.values, row[best], rtol=1e-6)
    assert made.scale.high == made.values[0]
    assert made.caption.tap == "generator.logits" and f"T = {temperature:g}" in made.caption.formula


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("top_k", "top_p"), [(7, 1.0), (0, 0.5), (300, 0.02)])
def test_the_note_counts_what_is_kept_and_weighs_what_is_cut(language: str, top_k: int, top_p: float) -> None:
    """By going down the sorted row until the sum is reached."""
    trace, look = example(), Look(sampling_temperature=0.5, top_k=top_k, top_p=top_p)
    row = sorted(row_of(trace, look), reverse=True)
    allowed = row[:top_k] if top_k else row
    count = next(n for n in range(1, len(allowed) + 1) if math.fsum(allowed[:n]) >= top_p * math.fsum(allowed) * (1 - 1e-12))
    made = output.top_bars(trace, look, words(language))
    entropy = -math.fsum(p * math.log2(p) for p in row if p)
    for figure in (f"{count}", f"{len(row)}", f"{100 * (1 - math.fsum(row[:count])):.4g} %", f"{entropy:.4g}"):
        assert figure in made.caption.note
    assert made.cut is not None and made.cut.tolist() == [place >= count for place in range(len(made.values))]


def test_the_token_of_the_sentence_is_marked() -> None:
    """Among the twenty in its place; otherwise it is appended, with its own probability, its own cut and id."""
    trace = asked()
    for position in (0, 1, -1):
        look = Look(position=position, top_k=5)
        made, step = output.top_bars(trace, look, EN), look.step(trace)
        row = trace["generator.probabilities"][step]
        taken = trace.expected[step]
        assert made.chosen is not None and made.ids[made.chosen] == taken
        assert made.values[made.chosen] == row[taken]
        rank = int((row > row[taken]).sum())
        assert made.chosen == min(rank, 20) and len(made.ids) == (21 if rank >= 20 else 20)
        assert bool(made.cut[made.chosen]) == (rank >= 5)
    assert trace.expected[-1] == END


def test_a_token_among_the_likeliest_is_not_shown_twice() -> None:
    """The bar in its place is outlined."""
    trace = asked()
    row = trace["generator.probabilities"][0]
    third = int(np.argsort(-row, kind="stable")[2])
    target = (trace.tokens.target[0], attrs.evolve(trace.tokens.target[1], id=third), trace.tokens.target[2])
    made = output.top_bars(attrs.evolve(trace, tokens=attrs.evolve(trace.tokens, target=target)), Look(position=0), EN)
    assert made.chosen == 2 and len(made.ids) == len(set(made.ids)) == 20
