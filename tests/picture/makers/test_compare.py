"""Comparing two passes: which tokens of their sentences are paired, and the difference at each place of a tap."""

from itertools import pairwise

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.lang import Words
from explorer.picture.kinds import Axis
from explorer.picture.makers.compare import equal_tokens, matched, matched_axis, place_difference
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example

TOKENS = st.lists(st.sampled_from("我你他看书的。"), max_size=8)
WEIGHTS = "decoder.layers.1.self_attn.weights"
MASKED = "decoder.layers.1.self_attn.masked"


def longest_common(first: list[str], second: list[str]) -> int:
    """The length of the longest common subsequence, by the usual table: an upper bound that is found independently."""
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first):
        for j, two in enumerate(second):
            best[i + 1][j + 1] = best[i][j] + 1 if one == two else max(best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


@given(TOKENS, TOKENS)
def test_only_equal_tokens_are_paired_and_in_order(first: list[str], second: list[str]) -> None:
    """No token twice, none crosses another, and some pair is found wherever there is a common token."""
    pairs = equal_tokens(first, second)

    assert all(first[one] == second[two] for one, two in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    assert bool(pairs) == bool(set(first) & set(second))
    assert len(pairs) <= longest_common(first, second)


@given(TOKENS, TOKENS)
def test_every_token_is_paired_or_named(first: list[str], second: list[str]) -> None:
    """What is left out is told, by place as well."""
    for by in ("token", "place"):
        match = matched(first, second, by)
        assert len(match.alone) == len(first) + len(second) - 2 * len(match.pairs)


def test_the_same_sentence_is_matched_whole() -> None:
    """Then both ways are one."""
    words = ["他", "在", "看", "书"]
    for by in ("token", "place"):
        assert matched(words, words, by).pairs == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_different_tokens_are_both_named() -> None:
    """First the one put aside; a whole axis keeps the side whose tokens light up, a part does not."""
    first, second = Axis("q", ("猫", "是"), "source"), Axis("q", ("狗", "是"), "source")
    whole = matched_axis(first, second, matched(first.labels, second.labels, "place"))
    part = matched_axis(first, second, matched(first.labels, second.labels, "token"))

    assert (whole.labels, whole.side) == (("猫→狗", "是"), "source")
    assert (part.labels, part.side) == (("是",), "")


def beside(text: str = "我爱北京天安门", **knobs: object) -> Trace:
    return attrs.evolve(example(), compared_with=example(text=text, **knobs))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tap", [WEIGHTS, "encoder.layers.0.norm1", "generator.logits"])
def test_each_cell_is_now_minus_then(language: str, tap: str) -> None:
    """Of the chosen head, or of a tap without heads; the note has the largest."""
    trace, words = beside(temperature=0.5), Words.load(language)
    made = place_difference(trace, Look(tap=tap), words, 1)
    other = trace.compared_with
    assert made is not None and other is not None
    wanted = trace[tap] - other[tap]
    wanted = wanted[1] if wanted.ndim == 3 else wanted
    shown = np.where(np.isnan(made.values), np.float32(0), made.values)

    np.testing.assert_array_equal(shown, wanted)
    assert made.caption.note == words("compare.largest", difference=f"{np.abs(wanted).max():.3g}")
    assert (made.caption.origin, made.head) == ("computed", 1 if tap == WEIGHTS else None)


def test_cells_closed_in_both_passes_are_closed() -> None:
    """They are no difference of 0, and where one of the passes looks ahead they are open."""
    both = place_difference(beside(seed=3), Look(tap=MASKED), Words.load("en"))
    one = place_difference(beside(causal_mask=False), Look(tap=WEIGHTS), Words.load("en"))

    assert both is not None and both.closed is not None and np.isnan(both.values[0, 1:]).all()
    assert one is not None and one.closed is None and (one.values[0, 1:] < 0).all()


def test_other_tokens_are_named_then_and_now() -> None:
    """Places are compared and not words, which the labels say."""
    made = place_difference(beside(text="我爱上海天安门"), Look(tap="encoder.norm"), Words.load("en"))

    assert made is not None
    assert "上海→北京" in made.rows.labels and "我" in made.rows.labels


def test_where_nothing_agrees_there_is_no_picture() -> None:
    """Neither without a second pass, nor for another number of tokens."""
    look, words = Look(tap="encoder.norm"), Words.load("en")

    assert place_difference(example(), look, words) is None
    assert place_difference(beside(text="我爱"), look, words) is None
