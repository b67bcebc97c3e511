"""Learns a vocabulary of byte-pair encoding: again and again, the most frequent pair of neighbours becomes one token.

Each different piece is processed once and weighted with its count. A merge visits only the pieces that have the pair.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush, merge
from itertools import islice, pairwise

from explorer.tokens.pieces import MARK, first_symbols, pieces

Pair = tuple[str, str]
Counted = tuple[int, str]

_RARE = 3  # Characters that occur less often get no token and are encoded in bytes.
_ONCE = 1  # Pairs that are seen only once are not merged.


def learn(texts: Iterable[str], n_symbols: int, *, always: Iterable[str] = ()) -> tuple[str, ...]:
    """At most `n_symbols` symbols, most frequent first: the characters of `texts`, those of `always`, and merges.

    A symbol always comes after its parts, so the beginning of the list is an encoding too.
    """
    counts = Counter(symbols for text in texts for symbols in _split(text))
    letters = Counter({MARK: 0, **dict.fromkeys(always, 0)})
    for symbols, count in counts.items():
        for symbol in symbols:
            letters[symbol] += count
    kept = set(always) | {MARK} | {symbol for symbol, count in letters.items() if count >= _RARE}
    alphabet = sorted(((letters[symbol], symbol) for symbol in kept), key=lambda each: (-each[0], each[1]))
    merges = islice(_Pairs(counts, kept).merges(), max(0, n_symbols - len(alphabet)))
    ordered = merge(alphabet, merges, key=lambda each: -each[0])  # If two counts are equal, the character comes first.
    return tuple(symbol for _, symbol in ordered)[:n_symbols]


def _split(text: str) -> Iterator[tuple[str, ...]]:
    for piece in pieces(text):
        symbols = first_symbols(piece, text)
        if piece.space is not None or not any(MARK in symbol for symbol in symbols):
            yield symbols


class _Pairs:
    """Counts how often two symbols are neighbours; the counts are updated with each merge."""

    def __init__(self, counts: Counter[tuple[str, ...]], alphabet: set[str]) -> None:
        self._pieces = [list(symbols) for symbols in counts]
        self._times = list(counts.values())
        self._symbols = set(alphabet)
        self._counts: Counter[Pair] = Counter()
        self._where: defaultdict[Pair, set[int]] = defaultdict(set)
        for index in range(len(self._pieces)):
            self._count(index, 1)
        self._queue = [(-count, pair) for pair, count in self._counts.items()]
        heapify(self._queue)

    def merges(self) -> Iterator[Counted]:
        """The new symbols, each with the count of its pair, most frequent first."""
        while self._queue:
            count, pair = heappop(self._queue)
            if self._counts[pair] != -count or -count <= _ONCE:
                continue  # The pair's count has changed since, or the pair is too rare.
            symbol = "".join(pair)
            is_new = symbol not in self._symbols  # Two different pairs may give the same symbol.
            self._symbols.add(symbol)
            self._merge(pair)
            if is_new:
                yield -count, symbol

    def _merge(self, pair: Pair) -> None:
        changed: set[Pair] = set()
        for index in list(self._where[pair]):
            changed |= self._count(index, -1)
            self._pieces[index] = _with_pair_joined(self._pieces[index], pair)
            changed |= self._count(index, 1)
        for each in changed:
            heappush(self._queue, (-self._counts[each], each))

    def _count(self, index: int, sign: int) -> set[Pair]:
        """Add a piece's pairs to the counts, or take them away."""
        neighbours = [pair for pair in pairwise(self._pieces[index]) if self._symbols.issuperset(pair)]
        for pair in neighbours:
            self._counts[pair] += sign * self._times[index]
            (self._where[pair].add if sign > 0 else self._where[pair].discard)(index)
        return set(neighbours)


def _with_pair_joined(symbols: list[str], pair: Pair) -> list[str]:
    joined: list[str] = []
    for symbol in symbols:
        if joined and (joined[-1], symbol) == pair:
            joined[-1] += symbol
        else:
            joined.append(symbol)
    return joined
