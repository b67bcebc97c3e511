"""Which tokens of two sentences are compared with each other."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from explorer.picture.kinds import Axis
from explorer.picture.makers.matching import equal_tokens, matched, matched_axis

TOKENS = st.lists(st.sampled_from("我你他看书的。"), max_size=8)


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
