"""The logit lens, what each layer would predict, and the Jacobian lens, with fitted matrices; and how often they agree."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.printed import printed
from explorer.trace.tabular import Columns, Tables, Tabular, cells


@attrs.frozen
class Agreement:
    """At how many of `places` each layer's likeliest word is the one that the output finds likeliest.

    `lens` and `jacobian` have by tap how many there are, of `places` places in `sentences` held-out sentences. The matrices
    were fitted on `fitted` other sentences.
    """

    taps: tuple[str, ...]
    lens: tuple[int, ...]
    jacobian: tuple[int, ...]
    places: int
    sentences: int
    fitted: int

    def shares(self, *, jacobian: bool) -> tuple[float, ...]:
        """[tap] the shares of places, from 0 to 1."""
        return tuple(count / self.places for count in (self.jacobian if jacobian else self.lens))

    @property
    def better(self) -> int:
        """In how many layers before the last the Jacobian lens agrees more often."""
        return sum(mine > theirs for mine, theirs in zip(self.jacobian[:-1], self.lens[:-1], strict=True))

    @property
    def worse(self) -> int:
        """In how many layers before the last the Jacobian lens agrees less often."""
        return sum(mine < theirs for mine, theirs in zip(self.jacobian[:-1], self.lens[:-1], strict=True))

    def values(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return attrs.asdict(self)

    @classmethod
    def of_values(cls, told: dict[str, Any]) -> "Agreement":
        """The figures that `values` made. Raises TypeError and ValueError for others."""
        turned: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}
        made = cls(**turned)
        counts = (*made.lens, *made.jacobian, made.sentences, made.fitted)
        right = len(made.taps) == len(made.lens) == len(made.jacobian) and all(type(each) is int for each in counts)
        if not right or type(made.places) is not int or made.places < 1 or not all(0 <= n <= made.places for n in made.lens):
            raise ValueError("agreement")
        return made


@attrs.frozen(eq=False)
class Lens(Tabular):
    """What each layer would predict: the output's probabilities, made of the stream after each addition of the decoder.

    `taps` [row] are where the stream was taken. `ids` and `probabilities` [row, position, rank] are the likeliest symbols,
    `names` the texts of all of them by id. `written` [position] are the ids of the generated words, `written_p` and
    `ranks` [row, position] their probability there and their place from 1. The last row is the output itself.

    `agreement` is what was measured of a Jacobian lens on held-out sentences; None for the lens without matrices.
    """

    taps: tuple[str, ...]
    ids: NDArray[np.int64]
    probabilities: Array
    written: tuple[int, ...]
    written_p: Array
    ranks: NDArray[np.int64]
    tokens: tuple[str, ...] = ()  # [position] the words that are read
    names: Mapping[int, str] = attrs.field(factory=dict)
    agreement: Agreement | None = None

    def tables(self) -> Tables:
        """`likeliest`: a row for each tap, position and rank; `written`: for each tap and position, the generated word's."""
        return {
            "likeliest": self._likeliest,
            "written": partial(cells, {"p": self.written_p, "rank": self.ranks}, tap=self.taps, position=None),
        }

    def _likeliest(self) -> Columns:
        ranks = range(1, self.ids.shape[2] + 1)
        told = cells({"id": self.ids, "p": self.probabilities}, tap=self.taps, position=None, rank=ranks)
        return {**told, "text": [self.names[int(each)] for each in told["id"]]}

    def agrees(self) -> NDArray[np.bool_]:
        """[row, position] where the likeliest symbol is the generated one."""
        same: NDArray[np.bool_] = self.ids[:, :, 0] == np.array(self.written)
        return same

    def __repr__(self) -> str:
        """One line for each row, at most ten lines."""
        lines = [
            f"{tap}: " + " ".join(f"{self.names[int(top[0])]} {p[0]:.2f}" for top, p in zip(ids[:12], row, strict=False))
            for tap, ids, row in zip(self.taps, self.ids, self.probabilities, strict=True)
        ]
        return printed("\n".join(lines if len(lines) <= 10 else [*lines[:4], f"… {len(lines) - 9} more", *lines[-5:]]))
