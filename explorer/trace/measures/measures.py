"""Figures about recorded arrays, computed in float64."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.stops import Stop, stop_at
from explorer.trace.arrays import Array
from explorer.trace.recorded_pass import RecordedPass

_BLOCK = 2**18  # Numbers of a large array that are measured at once.


@attrs.frozen
class Summary:
    """Minimum, maximum, mean and deviation of the finite values, and the shares of NaN and of infinite values among all.

    If no value is finite, the first four are NaN.
    """

    shape: tuple[int, ...]
    low: float
    high: float
    mean: float
    deviation: float
    nan_share: float
    infinite_share: float


def summary(array: Array, stop: Stop | None = None) -> Summary:
    """The Summary of one array. The variance is divided by n. Raises Superseded as soon as `stop` says so.

    It is worked out block by block, so that an array of any size takes the memory of a block.
    """
    numbers = array.ravel()
    blocks = [numbers[start : start + _BLOCK] for start in range(0, numbers.size, _BLOCK)]
    low, high, total, n, nan = math.inf, -math.inf, 0.0, 0, 0
    for block in blocks:
        stop_at(stop)
        finite = _finite(block)
        nan += 0 if finite.size == block.size else int(np.isnan(block).sum())
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
            total, n = total + float(finite.sum(dtype=np.float64)), n + finite.size
    shares = (nan / numbers.size, (numbers.size - n - nan) / numbers.size) if numbers.size else (0.0, 0.0)
    if not n:
        return Summary(array.shape, math.nan, math.nan, math.nan, math.nan, *shares)
    mean, squares = total / n, 0.0
    for block in blocks:
        stop_at(stop)
        # σ² = Σ (x − mean)² / n
        apart = _finite(block).astype(np.float64) - mean
        squares += float(apart @ apart)
    return Summary(array.shape, low, high, mean, math.sqrt(squares / n), *shares)


def _finite(block: Array) -> Array:
    """The finite numbers of a block."""
    finite = np.isfinite(block)
    return block if finite.all() else block[finite]


def entropy_bits(weights: Array) -> NDArray[np.float64]:
    """[…] the entropy in bits of each row of [..., key]: 0 for one token alone, log2(n) for n equal weights. Shannon 1948."""
    p = weights.astype(np.float64)
    # H = -Σ p·log2(p), where 0·log2(0) is 0
    logs = np.log2(p, where=p > 0, out=np.zeros_like(p))
    result: NDArray[np.float64] = -(p * logs).sum(axis=-1)
    return result + 0.0  # This turns a negative zero into a positive one.


def strongest_pair(weights: Array) -> tuple[int, int]:
    """Query and key of the largest weight [query, key] off the diagonal; (0, 0) where there is none."""
    open_ = np.nan_to_num(weights, nan=-1.0).copy()
    if open_.shape[0] == open_.shape[1] and open_.shape[0] > 1:
        np.fill_diagonal(open_, -1.0)
    query, key = divmod(int(open_.argmax()), open_.shape[1])
    return query, key


def telling_cell(weights: Array, *, own: bool) -> tuple[int, int]:
    """The query and key of a cell worth following [query, key]: a large weight in a row of high entropy.

    In self-attention, which is `own`, it lies away from the diagonal.
    """
    weights = np.nan_to_num(weights)
    # worth[q,k] = A[q,k] · H(A[q]), where H is the row's entropy in bits
    worth = weights * entropy_bits(weights)[:, None]
    if own:
        np.fill_diagonal(worth, worth * 0)
    query, key = np.unravel_index(int(np.argmax(worth)), worth.shape)
    return int(query), int(key)


def log_p(logits: Array, ids: NDArray[np.int_]) -> NDArray[np.float64]:
    """log P of each step's symbol [step], computed from the logits, since a probability that underflowed would give −∞.

    Powers are taken in float32 and summed in float64, which is twelve times as fast as float64 alone and 2e-8 away from it.
    """
    top = logits.max(axis=1)  # [step]
    # log P[id] = z[id] − max z − log Σ exp(z[j] − max z)
    powers = np.exp(logits - top[:, None]).sum(axis=1, dtype=np.float64)  # [step]
    own = logits[np.arange(len(ids)), ids].astype(np.float64)  # [step]
    result: NDArray[np.float64] = own - top - np.log(powers)
    return result


def is_word(text: str) -> bool:
    """Whether a token's text has a letter or a figure; punctuation has none."""
    return any(letter.isalnum() for letter in text)


def most_uncertain_step(trace: RecordedPass) -> int:
    """The position of the output at which the generated word had the lowest probability, the first one of several.

    The end symbol and punctuation are left out. It is -1, which a Look reads as the last position, if the model generated no
    word or if a long text left no room for the probabilities.
    """
    probabilities = trace.arrays.get("generator.probabilities")  # [position, vocab]
    if probabilities is None:
        return -1
    # The token after a position is the one that the position wrote; after the last one stands the end symbol.
    written = trace.tokens.target[1:] if trace.expected else ()
    steps = [step for step, token in enumerate(written) if is_word(token.text)]
    return min(steps, key=lambda step: float(probabilities[step, written[step].id]), default=-1)
