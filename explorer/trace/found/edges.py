"""Edges: how the log-probability of each word changes when one cell of one head's attention is masked.

A cell is masked before the softmax, so the rest of its row still sums to 1. An effect is log p(word) with the cell masked −
log p(word) as it is, in nats, of the same words.
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array, frozen_array
from explorer.trace.printed import printed


@attrs.frozen(kw_only=True, eq=False)
class Edges:
    """The effects of one head's cells: `values` [query, key, word], in nats. `words` are those of `Effects`.

    NaN stands where there is nothing to close: `closed` [query, key] are cells that the mask has closed, `alone` [query, key]
    the only open ones of their rows, without which a query would see nothing. The first `exact_rows` queries are exact, each
    cell by a pass of its own; the others are estimated from the gradient.
    """

    attention: str
    layer: int
    head: int
    words: tuple[str, ...]
    word_ids: tuple[int, ...]
    values: Array
    closed: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    exact_rows: int

    @property
    def exact(self) -> bool:
        """Whether every cell is exact."""
        return self.exact_rows >= len(self.values)

    def is_of(self, attention: str, layer: int, head: int) -> bool:
        """Whether they are those of this head."""
        return (self.attention, self.layer, self.head) == (attention, layer, head)

    def of(self, word: int) -> "Edges":
        """The effects on the word at one place alone."""
        some = slice(word, word + 1)
        return attrs.evolve(
            self, words=self.words[some], word_ids=self.word_ids[some], values=frozen_array(self.values[..., some])
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; None stands for what is no number."""
        made = {field.name: getattr(self, field.name) for field in attrs.fields(Edges)}
        values = self.values.astype(object)
        values[~np.isfinite(self.values)] = None
        return made | {"values": values.tolist(), "closed": self.closed.tolist(), "alone": self.alone.tolist()}

    def __repr__(self) -> str:
        """At most ten lines: the size, and the strongest cells."""
        n_queries, n_keys, n_words = self.values.shape
        sizes = f"[query {n_queries}, key {n_keys}, word {n_words}]"
        told = "" if self.exact else f", the first {self.exact_rows} rows exact"
        head = f"Edges of {self.attention} layer {self.layer} head {self.head} {sizes} Δ log p in nats{told}"
        order = np.argsort(-np.nan_to_num(np.abs(self.values)), axis=None)[:5]
        places = [np.unravel_index(int(each), self.values.shape) for each in order]
        lines = [f"  {query} → {key}: {self.words[word]} {self.values[query, key, word]:+.3g}" for query, key, word in places]
        return printed("\n".join((head, *lines)))
