"""The merges of byte-pair encoding in one piece of text; each step is remembered."""

from collections.abc import Callable
from heapq import heappop, heappush

import attrs

Rank = Callable[[str], int | None]
"""A function from a symbol to its id; None if there is no such symbol."""


@attrs.frozen
class MergePart:
    """A symbol during merging: the characters that it covers, and the merges that made it, each with its turn."""

    symbol: str
    start: int
    end: int
    merges: tuple[tuple[int, str], ...] = ()


def merged(parts: list[MergePart], rank: Rank) -> list[MergePart]:
    """The parts after all merges whose results have a rank. The smallest rank is merged first, equal ones from the left."""
    chain = _Chain(parts, rank)
    turn = 0
    while chain.queue:
        _, left, right, symbol = heappop(chain.queue)
        if chain.is_still(left, right, symbol):
            chain.join(left, right, turn)
            turn += 1
    return [part for part in chain.parts if part is not None]


class _Chain:
    """Parts with links to their neighbours, and the possible merges between them. All merges take n·log n steps."""

    def __init__(self, parts: list[MergePart], rank: Rank) -> None:
        self.parts: list[MergePart | None] = [*parts, None]  # The None at the end merges with nothing.
        self.queue: list[tuple[int, int, int, str]] = []
        self._after = list(range(1, len(parts) + 2))
        self._before = list(range(-1, len(parts)))
        self._rank = rank
        for left in range(len(parts) - 1):
            self._offer(left, left + 1)

    def is_still(self, left: int, right: int, symbol: str) -> bool:
        """Whether neither of the two parts has merged with another one since this merge was offered."""
        first, second = self.parts[left], self.parts[right]
        return first is not None and second is not None and first.symbol + second.symbol == symbol

    def join(self, left: int, right: int, turn: int) -> None:
        first, second = self.parts[left], self.parts[right]
        assert first and second  # The caller has asked `is_still`.
        merges = sorted((*first.merges, *second.merges, (turn, f"{first.symbol} {second.symbol}")))
        self.parts[left] = MergePart(first.symbol + second.symbol, first.start, second.end, tuple(merges))
        self.parts[right] = None
        self._after[left] = self._after[right]
        self._before[self._after[left]] = left
        self._offer(self._before[left], left)
        self._offer(left, self._after[left])

    def _offer(self, left: int, right: int) -> None:
        # Index -1, which stands before the first part, is the None at the end as well.
        first, second = self.parts[left], self.parts[right]
        if first is None or second is None:
            return
        symbol = first.symbol + second.symbol
        rank = self._rank(symbol)
        if rank is not None:
            heappush(self.queue, (rank, left, right, symbol))
