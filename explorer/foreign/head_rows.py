"""Which rows of which layer make each head's query, key or value: found by the numbers of a pass, and not by names.

No position turns the first row of a text. So the vector with which a head enters the attention there is a run of what one
linear layer gave out, or of what the norm behind that layer read. Families keep these runs in any order: Q, K and V in layers
of their own or in one, head by head or not, with other things between.
"""

from collections.abc import Iterator, Sequence

import attrs
import torch
from torch import Tensor

from explorer.foreign.layer_parts import is_matrix
from explorer.foreign.watching import Call

_CLOSE = 1e-5  # Numbers of a run may differ by this share of its largest.


@attrs.frozen
class HeadRows:
    """The path of a linear layer, and the first of the `width` rows of each head in it; several heads may have the same rows.

    `norm` is the path of the norm behind the product, of each head or of all; "" for none.
    """

    path: str
    starts: tuple[int, ...]
    width: int
    norm: str = ""


def head_rows(first: Tensor, calls: Sequence[Call]) -> HeadRows | None:
    """The rows that made the vectors `first` [head, feature] of the first row of a text; None where no layer gave them out.

    `calls` are those inside of the attention's module until then. The vectors may be longer by a factor, as some rotary
    positions make them.
    """
    n_features = first.shape[1]
    for vectors, norm in (*_in_front(first, calls), (first, "")):
        for call in calls:
            if is_matrix(call.module) and call.made is not None:
                starts = _starts(call.made[0], vectors)
                if starts is not None:
                    return HeadRows(call.path, starts, n_features, norm)
    return None


def _in_front(first: Tensor, calls: Sequence[Call]) -> Iterator[tuple[Tensor, str]]:
    """[head, feature] what a norm has read that gave out these vectors, with its path."""
    n_heads, n_features = first.shape
    for call in calls:
        read, made = call.read, call.made
        if is_matrix(call.module) or read is None or made is None or read.shape != made.shape or torch.equal(read, made):
            continue
        if made.shape[1] == n_heads * n_features and _alike(made[0], first.flatten()):
            yield read[0].view(n_heads, n_features), call.path
        if made.shape[1] != n_features or len(made) % n_heads:
            continue
        # The rows of one position may stand together, or those of one head.
        for rows in (slice(0, n_heads), slice(0, None, len(made) // n_heads)):
            if _alike(made[rows].flatten(), first.flatten()):
                yield read[rows], call.path


def _starts(made: Tensor, vectors: Tensor) -> tuple[int, ...] | None:
    """Where each head's vector begins in what a layer gave out; None where one of them is not there.

    Most families keep the heads at even distances, which two of them tell: looking for each one takes five times as long.
    """
    two = _each_start(made, vectors[:2])
    if two is None or len(vectors) <= len(two):
        return two
    evenly = tuple(two[0] + number * (two[1] - two[0]) for number in range(len(vectors)))
    if min(evenly) >= 0 and max(evenly) + vectors.shape[1] <= len(made) and _stand_there(made, evenly, vectors):
        return evenly
    return _each_start(made, vectors)


def _each_start(made: Tensor, vectors: Tensor) -> tuple[int, ...] | None:
    found = tuple(start for vector in vectors if (start := _start(made, vector)) is not None)
    return found if len(found) == len(vectors) and _stand_there(made, found, vectors) else None


def _stand_there(made: Tensor, starts: Sequence[int], vectors: Tensor) -> bool:
    """Whether the runs that begin there are all vectors, times one factor."""
    runs = made[torch.tensor(starts)[:, None] + torch.arange(vectors.shape[1])]  # [head, feature]
    return _alike(runs.flatten(), vectors.flatten())


def _start(made: Tensor, vector: Tensor) -> int | None:
    """The first place in `made` at which a run stands that is the vector times a factor."""
    n_starts = len(made) - len(vector) + 1
    if n_starts < 1 or len(vector) < 2:
        return None
    one, other = vector.abs().topk(2).indices.tolist()
    factors = vector[one] / made[one : one + n_starts]  # [start]
    near = (factors * made[other : other + n_starts] - vector[other]).abs() <= _CLOSE * vector[one].abs()
    return next((start for start in _numbers(near.nonzero()) if _alike(made[start : start + len(vector)], vector)), None)


def _numbers(places: Tensor) -> list[int]:
    return [int(place) for place in places.flatten()]


def _alike(one: Tensor, other: Tensor) -> bool:
    """Whether a vector is another one times a factor above zero."""
    largest = int(other.abs().argmax())
    factor = other[largest] / one[largest]
    return bool(factor > 0) and bool(torch.allclose(factor * one, other, rtol=0, atol=_CLOSE * float(other[largest].abs())))
