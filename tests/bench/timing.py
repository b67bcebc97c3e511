"""Repeated and paired measurements: two pieces of work in turn, so that what the machine does meanwhile hits both."""

import gc
import time
from collections.abc import Callable

import attrs
import numpy as np

Work = Callable[[], object]
Clock = Callable[[], float]
"""Does the work once and says how many ms it took."""


@attrs.frozen
class Sample:
    """What one thing measured, again and again."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The value below which this share of them lies."""
        return float(np.quantile(self.values, share))

    @property
    def spread(self) -> str:
        """The quartiles."""
        return f"{self.quantile(0.25):.3g} … {self.quantile(0.75):.3g}"


@attrs.frozen
class Pair:
    """Both sides in ms, and the quotient ours / theirs of each round."""

    ours: Sample
    theirs: Sample

    @property
    def ratios(self) -> Sample:
        """Ours / theirs of each round."""
        return Sample(tuple(one / other for one, other in zip(self.ours.values, self.theirs.values, strict=True)))


def elapsed_ms(work: Work) -> float:
    """Do it once."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def paired(ours: Work, theirs: Work, *, budget_s: float, least: int = 15, most: int = 300, warm_up: int = 3) -> Pair:
    """Two pieces of work in this process, for about `budget_s`."""
    one, other = in_turn(
        [lambda: elapsed_ms(ours), lambda: elapsed_ms(theirs)], budget_s=budget_s, least=least, most=most, warm_up=warm_up
    )
    return Pair(one, other)


def in_turn(clocks: list[Clock], *, budget_s: float, least: int, most: int, warm_up: int = 1) -> list[Sample]:
    """Rounds in which each clock runs once, forward and backward alternately, for about `budget_s`."""
    times: list[list[float]] = [[] for _ in clocks]
    end_s = time.perf_counter() + budget_s
    gc.collect()  # what other rows have left behind is not these clocks' affair
    for turn in range(-warm_up, most):
        if turn >= least and time.perf_counter() > end_s:
            break
        for place in range(len(clocks)) if turn % 2 else reversed(range(len(clocks))):
            ms = clocks[place]()
            if turn >= 0:
                times[place].append(ms)
    return [Sample(tuple(each)) for each in times]


def repeated(clock: Clock, *, budget_s: float, least: int = 15, most: int = 300, warm_up: int = 3) -> Sample:
    """One clock again and again."""
    return in_turn([clock], budget_s=budget_s, least=least, most=most, warm_up=warm_up)[0]


def second_of_two(clock: Clock) -> float:
    """The first run of a side finds the caches full of the other side's numbers; the second is what counts."""
    clock()
    return clock()
