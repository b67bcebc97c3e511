"""The axes of maps: what stands along them, and which tokens a label stands for."""

from collections.abc import Iterable

import attrs
import numpy as np

from explorer.trace.arrays import Array
from explorer.trace.word_groups import Groups


@attrs.frozen
class Axis:
    """One axis of a map: its name, the labels along it (none for features) and the side whose tokens the labels are.

    `numbered` is True where a label's position has a meaning and is shown beside it. Label i is token i + `shift` of the
    side: the shift is 1 where a row is named after the token that it predicts, which comes one position later.

    Where a label is a word that was cut into several tokens, `groups` has the rows (or columns) of its tokens, for each label.
    """

    name: str
    labels: tuple[str, ...] = ()
    side: str = ""
    numbered: bool = True
    shift: int = 0
    groups: Groups = ()

    def label(self, index: int) -> str:
        """The label at `index`; the index itself where the axis has no labels."""
        return self.labels[index] if self.labels else str(index)

    def rows(self, index: int) -> tuple[int, ...]:
        """The rows of the tokens at `index`: itself, or those of a word."""
        return self.groups[index] if self.groups else (index,)

    def spot(self, index: int) -> tuple[str, int]:
        """Side and position of the token at `index`; of a word, of its first token."""
        return self.side, self.rows(index)[0] + self.shift

    def spots(self, index: int) -> frozenset[tuple[str, int]]:
        """Side and position of all tokens at `index`."""
        return frozenset((self.side, row + self.shift) for row in self.rows(index))

    def index(self, place: int) -> int:
        """The index of the label that stands for the token at a position."""
        row = place - self.shift
        return next((index for index, group in enumerate(self.groups) if row in group), row)

    def number(self, index: int) -> str:
        """The position of a label as text: "3", or "3–5" for the tokens of a word."""
        rows = self.rows(index)
        return str(rows[0]) if len(rows) == 1 else f"{rows[0]}–{rows[-1]}"

    def indices(self, spots: Iterable[tuple[str, int]], size: int) -> list[int]:
        """The indices of those tokens (side, position) that lie on this axis of `size` labels."""
        found = (self.index(place) for side, place in spots if side == self.side)
        return list(dict.fromkeys(index for index in found if 0 <= index < size))


def strongest(rows: Axis, columns: Axis, unfolded: Array | None, row: int, column: int) -> tuple[int, int]:
    """The tokens' row and column that stand for a cell: its own, or of two words those with the largest weight between them."""
    return strongest_of(rows.rows(row), columns.rows(column), unfolded)


def strongest_of(queries: tuple[int, ...], keys: tuple[int, ...], unfolded: Array | None) -> tuple[int, int]:
    """The query and the key with the largest weight between them; without weights the first ones."""
    if unfolded is None or len(queries) == len(keys) == 1:
        return queries[0], keys[0]
    cells = np.nan_to_num(unfolded[np.ix_(queries, keys)], nan=-1.0)
    query, key = divmod(int(cells.argmax()), len(keys))
    return queries[query], keys[key]
