"""Interpolated Kneser-Ney n-grams, the baseline of the language model. Chen and Goodman 1999, section 3.1."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from explorer.tokens.vocabulary import BEGIN
from explorer.training.batches import Ids

_GRID = tuple(step / 20 for step in range(2, 20))  # discounts from 0.1 to 0.95
_ROUNDS = 2


class NGrams:
    """Counts of n-grams of ids, of 1 to `order` tokens, and the discount of each order.

    Every row begins with a given token and ends with the end symbol; all tokens after the first are predicted.
    """

    def __init__(self, rows: Iterable[Ids], n_symbols: int, order: int) -> None:
        self.n_symbols, self.order = n_symbols, order
        self.discounts = [0.75] * order
        # counts[n - 1][context][symbol], with contexts of n - 1 symbols
        self._counts: list[defaultdict[Ids, Counter[int]]] = [defaultdict(Counter) for _ in range(order)]
        for row in rows:
            for context, symbol in predicted(row, order):
                self._counts[-1][context][symbol] += 1
        # A lower order does not count how often a token follows a context, but how many different tokens precede the
        # context with it: N(·c w).
        for n in range(order - 1, 0, -1):
            for context, found in self._counts[n].items():
                for symbol in found:
                    self._counts[n - 1][context[1:]][symbol] += 1
        self._totals = [{context: found.total() for context, found in counts.items()} for counts in self._counts]

    def probability(self, symbol: int, context: Ids) -> float:
        """P(token | context of order - 1 tokens), interpolated from the uniform distribution up to the longest seen context."""
        p = 1.0 / self.n_symbols
        for n, (counts, totals, discount) in enumerate(zip(self._counts, self._totals, self.discounts, strict=True)):
            seen = context[len(context) - n :]
            if seen not in totals:
                break
            found, total = counts[seen], totals[seen]
            # P_n(w|c) = max(N(c w) - d, 0) / N(c) + d·types(c) / N(c) · P_{n-1}(w|c')
            p = max(found[symbol] - discount, 0.0) / total + discount * len(found) / total * p
        return p

    def nats(self, rows: Iterable[Ids]) -> float:
        """-Σ log P of all predicted tokens of the rows."""
        return -sum(
            math.log(self.probability(symbol, context)) for row in rows for context, symbol in predicted(row, self.order)
        )

    def tune(self, rows: Sequence[Ids]) -> None:
        """Choose the discounts that make the rows most probable, one order after the other."""
        for _ in range(_ROUNDS):
            for n in range(self.order):
                self.discounts[n] = min(_GRID, key=lambda each, n=n: self._nats_with(n, each, rows))  # type: ignore[misc]

    def _nats_with(self, n: int, discount: float, rows: Sequence[Ids]) -> float:
        self.discounts[n] = discount
        return self.nats(rows)


def predicted(row: Ids, order: int) -> Iterator[tuple[Ids, int]]:
    """(context of order - 1 tokens, token) for each token of a row after its first; begin symbols precede the row."""
    n = order - 1
    whole = (BEGIN,) * n + row
    return ((whole[place - n : place], whole[place]) for place in range(n + 1, len(whole)))
