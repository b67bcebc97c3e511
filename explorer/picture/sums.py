"""The sums of an attribution: terms with their labels, and where a click on each leads.

Every sum is exact. An opened term shows the terms or factors that it is made of, and so on down to recorded numbers.
"""

import math
from collections.abc import Iterable, Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.tokens.pieces import MARK
from explorer.trace.found.part import Part

Goes = Mapping[str, object]
"""The fields of the Look that a click sets."""

_MARKS = f"{MARK}▁Ġ"  # our own, and those of other people's tokenizers


@attrs.frozen
class SumTerm:
    """One term of a sum: its share of the difference, and its two recorded factors, if it is a product.

    `about` names the term, its tap and what a click does; `goes` is None where it does not open.
    """

    label: str
    value: float
    about: str
    factors: tuple[float, float] | None = None
    goes: Goes | None = None
    short: str = ""  # what has room on a bar
    factor_goes: tuple[Goes | None, Goes | None] = (None, None)  # where a click on each factor leads


@attrs.frozen
class SumRow:
    """Terms that are drawn in one row of the waterfall, such as the heads of one attention."""

    name: str
    terms: tuple[SumTerm, ...]

    @property
    def value(self) -> float:
        """The sum of its terms."""
        return math.fsum(term.value for term in self.terms)


@attrs.frozen
class Group:
    """Rows that belong together: the embedding, a layer, the end."""

    name: str
    rows: tuple[SumRow, ...]

    @property
    def value(self) -> float:
        """The sum of its rows."""
        return math.fsum(row.value for row in self.rows)


@attrs.frozen
class TrailLink:
    """One number on the way from the difference to the opened sum, with its name; a click goes there."""

    label: str
    figure: str
    about: str = ""
    goes: Goes | None = None
    sign: str = ""  # what stands before it in a formula


@attrs.frozen(kw_only=True)
class Sums:
    """The numbers of an Account.

    `difference` is the recorded difference of the two logits, `total` the sum of its `n_parts` parts; `exact` is True if they
    are equal but for rounding. `groups` are the parts by layer, `kinds` their totals by kind. Where `terms` are there, they are
    shown in place of the groups: they sum to `whole`. `trail` leads to them from the difference, `chain` has the recorded
    numbers that the opened term is made of, `factors` names the two columns of factors.
    """

    word: str
    rival: str
    difference: float
    total: float
    n_parts: int
    exact: bool
    groups: tuple[Group, ...]
    kinds: tuple[tuple[str, float], ...]
    terms: tuple[SumTerm, ...] = ()
    whole: float = 0.0
    trail: tuple[TrailLink, ...] = ()
    chain: tuple[TrailLink, ...] = ()
    factors: tuple[str, str] | None = None
    factor_goes: tuple[Goes | None, Goes | None] = (None, None)  # where a click on the name of each column leads
    names: str = ""  # what the terms are, in the plural
    said: str = ""  # a sentence about what is opened
    hint: str = ""  # what can be opened next; files leave it out

    digits: int = attrs.field(init=False)
    """Digits behind the point with which the largest share has three figures, at least two."""

    @digits.default
    def _digits_for_all(self) -> int:
        shown = self.terms or tuple(term for group in self.groups for row in group.rows for term in row.terms)
        return digits_for(max((abs(term.value) for term in shown if math.isfinite(term.value)), default=1.0))


def digits_for(largest: float) -> int:
    """Digits behind the point with which a number has three figures, at least two."""
    size = abs(largest)
    return 2 if size >= 0.5 or size == 0 or not math.isfinite(size) else min(7, 2 - math.floor(math.log10(size)))


def probability(p: float) -> str:
    """A probability with three decimals, and no zero for what is not zero."""
    return "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def largest_first(terms: Iterable[SumTerm]) -> tuple[SumTerm, ...]:
    """The terms by the size of their shares."""
    return tuple(sorted(terms, key=lambda term: -abs(term.value)))


def told(value: float, digits: int = 2) -> str:
    """A share with its sign, "+0.52"."""
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text.lstrip("+−") if float(f"{value:.{digits}f}") == 0 else text


def unmarked(symbol: str) -> str:
    """A token without the mark of the space before it."""
    return symbol.lstrip(_MARKS) or symbol


def as_array(terms: Iterable[SumTerm]) -> NDArray[np.float64]:
    """[term] the shares."""
    return np.array([term.value for term in terms], np.float64)


def part_name(part: Part, words: Words) -> str:
    """A part's name: "cross L1 H4". Its tap says on which side it is."""
    key = f"{part.attention}_bias" if part.kind == "attention_bias" else part.attention if part.kind == "head" else part.kind
    layer = f" L{part.layer}" if part.layer >= 0 else ""
    return f"{words(f'why.part.{key}')}{layer}" + (f" H{part.head}" if part.head >= 0 else "")
