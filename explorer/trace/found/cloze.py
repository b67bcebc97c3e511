"""What a masked model says of a text when each of its tokens is hidden in turn: the Cloze, with its pseudo-log-likelihood.

Salazar et al. 2020, "Masked language model scoring".
"""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.arrays import Array
from explorer.trace.tabular import Columns, Tables, Tabular, cells


@attrs.frozen(eq=False)
class Cloze(Tabular):
    """What the model fills in at each place [place], where `mask` stood instead of the token.

    `positions` are the places of the hidden tokens in the text, special ones left out, and `tokens` and `ids` what stood
    there. `log_p` (nats) and `ranks` (from 1) are those of the hidden token; `candidates` and `probabilities` [place, rank]
    are the likeliest symbols, with the texts of their ids in `names`.
    """

    mask: str
    positions: tuple[int, ...]
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    log_p: NDArray[np.float64]
    ranks: NDArray[np.int64]
    candidates: NDArray[np.int64]
    probabilities: Array
    names: Mapping[int, str]
    n_symbols: int

    def tables(self) -> Tables:
        """`tokens`: a row for each hidden token; `candidates`: a row for each place and rank."""
        return {"tokens": self._tokens, "candidates": self._candidates}

    def _tokens(self) -> Columns:
        places = {"position": self.positions, "text": self.tokens, "id": self.ids}
        return {**places, "log_p": self.log_p, "rank": self.ranks}

    def _candidates(self) -> Columns:
        ranks = range(1, self.candidates.shape[1] + 1)
        told = cells({"id": self.candidates, "p": self.probabilities}, position=self.positions, rank=ranks)
        return {**told, "text": [self.names[int(each)] for each in told["id"]]}

    @property
    def total(self) -> float:
        """The pseudo-log-likelihood of the text: Σ log P(token | all other tokens), in nats."""
        return float(self.log_p.sum())

    def to_dict(self) -> dict[str, Any]:
        """All numbers in types that JSON has."""
        places = [
            {
                "position": position,
                "token": token,
                "id": self.ids[place],
                "log_p": float(self.log_p[place]),
                "rank": int(self.ranks[place]),
                "candidates": [
                    {"id": int(id_), "text": self.names[int(id_)], "p": float(p)}
                    for id_, p in zip(self.candidates[place], self.probabilities[place], strict=True)
                ],
            }
            for place, (position, token) in enumerate(zip(self.positions, self.tokens, strict=True))
        ]
        return {"mask": self.mask, "pseudo_log_likelihood": self.total, "places": places}

    def __repr__(self) -> str:
        rows = " ".join(f"{token} {value:.2f}" for token, value in zip(self.tokens[:12], self.log_p, strict=False))
        return f"Cloze({self.total:.3f}: {rows}{' …' if len(self.tokens) > 12 else ''})"
