"""The additions of one layer, found by the numbers of a pass: at which places which module's output was added to the stream.

A layer is given the stream r and gives out the last one. Its additions are no modules, but each sum is read by one, or given
out. So a sum is a tensor t for which t = r + c·y holds to the rounding of its numbers, where y is what a module gave out, and c
is 1 but in few families. In post-norm models the stream goes on behind the norm that reads t. Two blocks that run in parallel
are added at once: t = r + y₁ + y₂.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import attrs
import torch
from torch import Tensor

from explorer.foreign.norms import is_norm
from explorer.foreign.watching import Call

_ROUNDING = 16  # units in the last place, of the sum of all sizes
_MOST_ADDITIONS = 3  # A layer of a decoder has two attentions and a network.


@attrs.frozen(eq=False)
class FoundAddition:
    """One place of a layer where something is added: `added` are the calls whose output that is, times `factor`.

    `before` is the stream that the blocks read, and `since` the time from which it is there. `norm` is the call of the norm
    behind the addition of a post-norm model.
    """

    added: tuple[Call, ...]
    factor: float
    before: Tensor
    since: int
    norm: Call | None = None


def additions(layer: Call, inside: Sequence[Call]) -> tuple[FoundAddition, ...] | None:
    """The additions of a layer in the order of computation; None where its output is no such sum."""
    if layer.read is None or layer.made is None or layer.read.shape != layer.made.shape:
        return None
    wide = [call for call in inside if call.made is not None and call.made.shape == layer.made.shape]
    return _onward(layer, inside, wide, layer.read, layer.entered, _MOST_ADDITIONS)


def _onward(
    layer: Call, inside: Sequence[Call], wide: Sequence[Call], stream: Tensor, since: int, most: int
) -> tuple[FoundAddition, ...] | None:
    """The additions from a stream on to what the layer gives out."""
    assert layer.made is not None
    if torch.equal(stream, layer.made):
        return ()
    if not most:
        return None
    for found, total, at in _next(layer, inside, wide, stream, since):
        rest = _onward(layer, inside, wide, total, at, most - 1)
        if rest is not None:
            return (found, *rest)
        for norm in _norms_of(wide, total, at):
            assert norm.made is not None
            rest = _onward(layer, inside, wide, norm.made, norm.left, most - 1)
            if rest is not None:
                return (attrs.evolve(found, norm=norm), *rest)
    return None


def _next(
    layer: Call, inside: Sequence[Call], wide: Sequence[Call], stream: Tensor, since: int
) -> Iterator[tuple[FoundAddition, Tensor, int]]:
    """Every next sum, with the time at which it is read: first those of one output, then those of two."""
    apart = _apart(wide, stream, since)
    sums = list(_sums(layer, inside, stream, since))
    for n in (1, 2):
        for total, at in sums:
            there = [call for call in apart if call.left < at]
            for some in combinations(there, n):
                factor = _factor(total, stream, some)
                if factor is not None:
                    yield FoundAddition(some, factor, stream, since), total, at


def _apart(wide: Sequence[Call], stream: Tensor, since: int) -> list[Call]:
    """The calls since a time whose outputs differ from the stream and from each other: of equal ones the first."""
    found: list[Call] = []
    for call in sorted((call for call in wide if call.left > since), key=lambda call: call.left):
        made = call.made
        assert made is not None
        if not torch.equal(made, stream) and not any(torch.equal(made, each.made) for each in found):  # type: ignore[arg-type]
            found.append(call)
    return found


def _sums(layer: Call, inside: Sequence[Call], stream: Tensor, since: int) -> Iterator[tuple[Tensor, int]]:
    """The tensors that may be the next sum, with the time when each is read: what modules read, then what the layer gives."""
    seen: list[Tensor] = [stream]
    for call in sorted(inside, key=lambda each: each.entered):
        read = call.read
        if call.entered <= since or read is None or read.shape != stream.shape:
            continue
        if not any(torch.equal(read, each) for each in seen):
            seen.append(read)
            yield read, call.entered
    assert layer.made is not None
    yield layer.made, layer.left


def _factor(total: Tensor, stream: Tensor, added: Sequence[Call]) -> float | None:
    """c of total = stream + c·Σ added; None where the sum is another one."""
    factor = _factor_of_rows(total[-1:], stream[-1:], [call.made[-1:] for call in added if call.made is not None])
    if factor is None:  # Of almost all that are tried, one row is enough.
        return None
    return _factor_of_rows(total, stream, [call.made for call in added if call.made is not None])


def _factor_of_rows(total: Tensor, stream: Tensor, added: Sequence[Tensor]) -> float | None:
    parts = [part.double() for part in added]
    y, t, r = torch.stack(parts).sum(dim=0), total.double(), stream.double()
    size = float((y * y).sum())
    if size == 0:
        return None
    for c in (1.0, float(((t - r) * y).sum() / size)):
        room = t.abs() + r.abs() + sum((c * part).abs() for part in parts)
        if c and bool(((t - r - c * y).abs() <= _ROUNDING * torch.finfo(total.dtype).eps * room).all()):
            return c
    return None


def _norms_of(wide: Sequence[Call], total: Tensor, at: int) -> Iterator[Call]:
    """The calls of norms that read a sum."""
    for call in wide:
        if call.entered >= at and call.read is not None and torch.equal(call.read, total):
            assert call.made is not None
            if is_norm(call.module, call.read, call.made):
                yield call
