"""All that was written after one text, as a tree: a word that is replaced by another one begins a branch."""

import attrs
import numpy as np

from explorer.trace.arrays import Array
from explorer.trace.found.continuation import NextToken


@attrs.frozen(eq=False)
class WrittenTree:
    """The `tokens` that were written; `parents` has the number of the one before each, -1 behind the text itself.

    `at` is the last token of the present continuation, -1 before the first one.
    """

    tokens: tuple[NextToken, ...] = ()
    parents: tuple[int, ...] = ()
    at: int = -1

    def path(self, node: int) -> tuple[int, ...]:
        """The numbers of the tokens from the first one to this one."""
        found: list[int] = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return tuple(reversed(found))

    @property
    def written(self) -> tuple[NextToken, ...]:
        """The tokens of the present continuation."""
        return tuple(self.tokens[node] for node in self.path(self.at))

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the present continuation."""
        return tuple(token.id for token in self.written)

    @property
    def ended(self) -> bool:
        """Whether the present continuation has come to its end."""
        return self.at >= 0 and self.tokens[self.at].ends

    def with_token(self, token: NextToken) -> "WrittenTree":
        """The tree with one more token behind the present continuation, which then ends with it."""
        for node, (parent, other) in enumerate(zip(self.parents, self.tokens, strict=True)):
            if parent == self.at and other.id == token.id:
                return self.going_on_at(node)
        return WrittenTree((*self.tokens, token), (*self.parents, self.at), len(self.tokens))

    def going_on_at(self, node: int) -> "WrittenTree":
        """The same tree with the present continuation up to this token; -1 is the text itself."""
        return attrs.evolve(self, at=node)

    def cache(self) -> tuple[Array, Array] | None:
        """Keys and values [layer, head, position, feature] of all that was read for the present continuation.

        None where nothing was written, or where the model's keys are not seen.
        """
        keys: Array | None = None
        values: Array | None = None
        for token in self.written:
            if token.keys is None or token.values is None:
                return None
            keys, values = _followed(keys, token.keys, token.first), _followed(values, token.values, token.first)
        return None if keys is None or values is None else (keys, values)


def _followed(before: Array | None, rows: Array, first: int) -> Array:
    """The rows so far, and from `first` on the new ones."""
    if before is None or first == 0:
        return rows
    return np.concatenate((before[:, :, :first], rows), axis=2)
