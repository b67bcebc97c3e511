"""The figures that stand beside a tap in a list of all taps: its Summary, and how far another pass is from it."""

from collections.abc import Mapping

import attrs
import numpy as np

from explorer.stops import Stop, stop_at
from explorer.trace.arrays import Array
from explorer.trace.measures.head_distance import in_both
from explorer.trace.measures.measures import Summary, summary
from explorer.trace.recorded_pass import RecordedPass

_PIECE = 2**20  # Numbers of taps that are measured together; their figures come together.
_BLOCK = 2**20  # Numbers between two looks at whether to stop.
_NONE: Mapping[str, float] = {}


@attrs.frozen
class TapFigures:
    """The Summary of a tap, None where its array was not kept, and the largest difference from the pass compared with.

    `dtype` is the kind of the recorded numbers, "" where they were not kept. `difference` is None where there is no such pass,
    where it lacks the tap, or where the shapes differ. `product` is the sum of the tensor times its gradient (nats), None
    where there is no gradient.
    """

    summary: Summary | None
    dtype: str = ""
    difference: float | None = None
    product: float | None = None


@attrs.frozen(eq=False)
class MeasuredTaps:
    """The figures of some taps of one Trace, by name."""

    figures: Mapping[str, TapFigures]


def tap_figures(trace: RecordedPass, name: str, stop: Stop | None = None, products: Mapping[str, float] = _NONE) -> TapFigures:
    """The figures of one tap; `products` has by tap the sum of the tensor times its gradient (nats), where there are gradients.

    Raises UnknownTap, and Superseded as soon as `stop` says so."""
    if trace.map(name).array is None:
        return TapFigures(None)
    about, other, difference = summary(trace[name], stop), trace.compared_with, None
    if other is not None and agree(trace, name):
        difference = largest(trace[name], other[name], stop)
    return TapFigures(about, str(trace[name].dtype), difference, products.get(name))


def measured_taps(
    trace: RecordedPass, names: tuple[str, ...], stop: Stop | None = None, products: Mapping[str, float] = _NONE
) -> MeasuredTaps:
    """The figures of these taps. Raises like `tap_figures`."""
    return MeasuredTaps({name: tap_figures(trace, name, stop, products) for name in names})


def agree(trace: RecordedPass, name: str) -> bool:
    """Whether the pass compared with has this tap in the same shape, and both arrays were kept: then places correspond."""
    other = trace.compared_with
    return other is not None and in_both(trace, other, name)


def differences(now: Array, before: Array) -> Array:
    """[…] now − before, place by place; 0 where both are the same infinity, NaN where one of them is NaN."""
    with np.errstate(invalid="ignore"):  # −∞ − (−∞) is NaN, and is put right below.
        made: Array = now - before
    both = np.isinf(now) & (now == before)
    if both.any():
        made[both] = 0
    return made


def largest(now: Array, before: Array, stop: Stop | None = None) -> float:
    """max |now − before| over all places but NaN; 0.0 where there are none. Raises Superseded as soon as `stop` says so."""
    top, one, two = 0.0, now.ravel(), before.ravel()
    for start in range(0, one.size, _BLOCK):
        stop_at(stop)
        # d = max |A − B|; a NaN counts for nothing
        found = np.abs(differences(one[start : start + _BLOCK], two[start : start + _BLOCK]))
        top = max(top, float(np.fmax.reduce(found, initial=0.0)))
    return top


def grouped(trace: RecordedPass, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The taps in groups of about a million numbers, in the same order: what is measured in one piece."""
    groups: list[list[str]] = []
    room = 0
    for name in names:
        size = int(np.prod(trace.shape(name)))
        if not groups or size > room:
            groups.append([])
            room = _PIECE
        groups[-1].append(name)
        room -= size
    return tuple(map(tuple, groups))
