"""Which tokens of one text correspond to which of another, so that two maps of different sentences can be compared."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import Axis

Pairs = tuple[tuple[int, int], ...]


@attrs.frozen
class Matched:
    """Pairs of positions (in the first text, in the second one) that are compared, and the tokens without a partner."""

    pairs: Pairs
    alone: tuple[str, ...]  # in the order of the texts, the first text's before the second's

    @property
    def first(self) -> NDArray[np.int_]:
        """The positions in the first text [pair]."""
        return np.array([pair[0] for pair in self.pairs], int)

    @property
    def second(self) -> NDArray[np.int_]:
        """The positions in the second text [pair]."""
        return np.array([pair[1] for pair in self.pairs], int)


def matched(first: Sequence[str], second: Sequence[str], by: str) -> Matched:
    """Match by "place", the first with the first, or by "token": equal tokens in the same order.

    Two texts without a common token are matched by place.
    """
    by_place = tuple((place, place) for place in range(min(len(first), len(second))))
    pairs = by_place if by == "place" else equal_tokens(first, second) or by_place
    one, two = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    alone = [token for place, token in enumerate(first) if place not in one]
    alone += [token for place, token in enumerate(second) if place not in two]
    return Matched(pairs, tuple(alone))


def equal_tokens(first: Sequence[str], second: Sequence[str]) -> Pairs:
    """The pairs of equal tokens, in the order of both texts. Ratcliff and Obershelp 1988, as in `difflib`."""
    blocks = SequenceMatcher(None, list(first), list(second), autojunk=False).get_matching_blocks()
    return tuple((block.a + step, block.b + step) for block in blocks for step in range(block.size))


def matched_axis(first: Axis, second: Axis, match: Matched) -> Axis:
    """The second text's axis with the pairs alone; where two tokens differ, the label is "first→second"."""
    labels = []
    for one, two in match.pairs:
        mine, theirs = second.label(two), first.label(one)
        labels.append(mine if mine == theirs else f"{theirs}→{mine}")
    whole = len(match.pairs) == len(second.labels)
    # A token lights up by its position, which a pair's place is only if no token was left out before it.
    return attrs.evolve(second, labels=tuple(labels), side=second.side if whole else "")
