"""One attention cell in numbers, from its query and its key to what it passes on: the row of one query in one head.

Every number that the pass recorded is kept as it was recorded. What follows from it (products, powers, weights without the
mask) is computed in float64, and each step's formula is compared with the record.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.mathematics import Numbers, softmax
from explorer.picture.axis import Axis
from explorer.picture.sums import unmarked
from explorer.trace.arrays import Array
from explorer.trace.tap_names import Cell

BEATS = ("vectors", "products", "scaled", "masked", "softmax", "mixed")
"""The steps of the calculation in their order: Q and K, their products, the division, the mask, softmax, and the values."""
MOST_TERMS = 64
"""Products that are added one by one; those left out are one term."""
_NEAR = 1e-4  # the largest difference between formula and record that is rounding, as a share of the largest operand
_PLAIN_POWER = 20.0  # Powers of e up to this exponent are written as they are; larger ones are divided by the largest.


@attrs.frozen(kw_only=True, eq=False)
class Followed:
    """The row of one query q in one head, and the cell (q, k) of it that is followed. Letters as in `model.attention`.

    query [feature] Q[q]; key [feature] K[k]; scores [key] S[q]; scaled [key]; bias [key] what is added by distance, NaN where
    it is unknown, None where nothing is added; masked [key] M[q]; weights [key] A[q]; passed [key] A[q] after dropout;
    value [key, feature] V; mixed [feature] O[q].

    `divisor` divides the scores: it is √d_head · temperature if `scales`, with `scores_over` in place of √d_head where that is
    not 0. `remade` names the stages that the pass did not record cell by cell; they were computed from Q and K.
    """

    cell: Cell
    query: Array
    key: Array
    scores: Array
    scaled: Array
    bias: Numbers | None
    masked: Array
    weights: Array
    passed: Array
    value: Array
    mixed: Array
    closed: NDArray[np.bool_]
    queries: Axis
    keys: Axis
    kv_head: int  # the head of K and V, which several heads may share
    divisor: float
    d_head: int
    temperature: float
    scales: bool
    reason: str = ""  # why cells are masked
    rotary: bool = False
    remade: frozenset[str] = frozenset()
    scores_over: float = 0.0

    @property
    def n_keys(self) -> int:
        """The number of keys in the row."""
        return len(self.masked)

    @property
    def asks(self) -> str:
        """The query's token. In cross-attention it is the next token to be generated: `writes` is True then."""
        label = self.queries.label(self.cell.query)
        return unmarked(label.removeprefix("→") if self.writes else label)

    @property
    def writes(self) -> bool:
        """Whether the query's row is named after the token that it predicts."""
        return self.queries.shift > 0

    @property
    def answers(self) -> str:
        """The followed key's token."""
        return self.named(self.cell.key)

    def named(self, key: int) -> str:
        """A key's token."""
        return unmarked(self.keys.label(key))

    @property
    def products(self) -> Numbers:
        """[feature] the products Q[q, i]·K[k, i]; their sum is the score."""
        return self.query.astype(np.float64) * self.key.astype(np.float64)

    @property
    def running(self) -> Numbers:
        """[feature] the sum of the products up to each feature."""
        return np.cumsum(self.products)

    @property
    def biased(self) -> Numbers:
        """[key] the scores before the mask: scaled, and the bias added."""
        scaled = self.scaled.astype(np.float64)
        return scaled if self.bias is None else scaled + self.bias

    @property
    def unmasked(self) -> Numbers:
        """[key] the weights that the row would have without a mask: softmax of the scores before it."""
        with np.errstate(invalid="ignore"):
            return softmax(self.biased)

    @property
    def shift(self) -> float:
        """What is subtracted from every exponent: 0, or the largest score if its power of e would be too large to read."""
        largest = float(self.masked.max())
        return largest if np.isfinite(largest) and abs(largest) > _PLAIN_POWER else 0.0

    @property
    def powers(self) -> Numbers:
        """[key] e^(M[q, k] - shift), which softmax divides by their sum."""
        # A score that is NaN stays NaN without a warning.
        with np.errstate(invalid="ignore", over="ignore"):
            return np.exp(self.masked.astype(np.float64) - self.shift)

    @property
    def output_shares(self) -> Numbers:
        """[key] the share of the head's output that each key's weighted value makes; they sum to 1.

        It is the length of A[k]·V[k] along O, so it is negative where that points away from O. NaN where O is zero. O is the
        sum of the weighted values: a change of `mixed` comes after it.
        """
        weighted = self.passed.astype(np.float64)[:, None] * self.value.astype(np.float64)  # [key, feature]
        output = weighted.sum(axis=0)  # [feature]
        # share[k] = A[k] V[k]·O / |O|²
        with np.errstate(invalid="ignore", divide="ignore"):
            shares: Numbers = weighted @ output / (output @ output)
        return shares

    @property
    def differs(self) -> frozenset[str]:
        """The stages whose record differs from their formula, because of a change inside the pass."""
        score = float(self.scores[self.cell.key])
        with np.errstate(invalid="ignore"):  # A row that has only -inf becomes NaN.
            weights = softmax(self.masked.astype(np.float64))
        found = {
            "scores": _far(np.array([score]), np.array([self.products.sum()]), self.products),
            "scaled": _far(self.scaled, self.scores / self.divisor, self.scaled),
            "masked": _far(self.masked[~self.closed], self.biased[~self.closed], self.biased),
            "weights": _far(self.weights, weights, self.weights),
            "mixed": _far(self.mixed, self.passed.astype(np.float64) @ self.value, self.value),
        }
        return frozenset(stage for stage, far in found.items() if far)

    def strongest_closed(self) -> int | None:
        """The masked key that would have the largest weight without the mask; None if no key is masked or it is unknown."""
        if not self.closed.any():
            return None
        shares = np.where(self.closed, self.unmasked, -np.inf)
        best = int(np.argmax(shares))
        return best if np.isfinite(shares[best]) else None

    def terms(self, most: int) -> tuple[NDArray[np.intp], float]:
        """At most `most` features in their order, those of the largest products; and the sum of the products left out."""
        if len(self.products) <= most:
            return np.arange(len(self.products)), 0.0
        kept = np.sort(np.argsort(-np.abs(self.products), kind="stable")[: most - 1])
        return kept, float(self.products.sum() - self.products[kept].sum())

    def shown_keys(self, most: int) -> NDArray[np.intp]:
        """At most `most` keys in their order: the followed one, the strongest masked one, and those of the largest weights."""
        if self.n_keys <= most:
            return np.arange(self.n_keys)
        closed = self.strongest_closed()
        chosen = [self.cell.key] if closed in (None, self.cell.key) else [self.cell.key, closed]
        by_weight = np.argsort(-np.nan_to_num(self.weights), kind="stable")
        others = [int(key) for key in by_weight if key not in chosen][: max(0, most - len(chosen))]
        return np.sort(np.array([*chosen, *others][: max(1, most)], np.intp))


def _far(recorded: NDArray[np.floating], computed: NDArray[np.floating], operands: NDArray[np.floating]) -> bool:
    """Whether two arrays differ by more than rounding of their operands. NaN equals NaN, and an infinity itself."""
    finite = np.abs(operands[np.isfinite(operands)])
    near = _NEAR * max(1e-3, float(finite.max(initial=0.0)))
    return not np.allclose(recorded, computed, rtol=_NEAR, atol=near, equal_nan=True)
