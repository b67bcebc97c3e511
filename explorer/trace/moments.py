"""Moments of a training: what the model of a snapshot answered, and what its heads looked at."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.measures.head_measures import MEASURES, head_values
from explorer.trace.trace import Trace

Values = NDArray[np.float64]
APPEARED = 0.5
"""A pattern is there where its measure is at least this: where most of a head's weight lies on it."""
PATTERNS = ("previous", "first", "diagonal", "induction")
"""The measures that are shares of a head's weight, and therefore have a threshold."""


@attrs.frozen(eq=False)
class Moment:
    """The model after a step: its own `answer` to the text, and a Trace of the attention weights of one pass.

    The pass reads the same text, and the same target, at each moment, so that the maps of all moments have the same cells.
    """

    step: int
    answer: str
    trace: Trace


def measured(moments: tuple[Moment, ...], attention: str) -> dict[str, Values]:
    """[moment, layer, head] each measure of the heads of an attention; those that mean nothing for it are left out."""
    keys = [key for key in HEAD_MEASURES if MEASURES[key].formula(attention)]
    return {key: np.stack([head_values(each.trace, attention, key) for each in moments]) for key in keys} if moments else {}


def appeared(values: Values) -> int | None:
    """The first moment from which a measure [moment] stays at `APPEARED` or above until the last one; None without one."""
    there = values >= APPEARED
    if not len(there) or not there[-1]:
        return None
    gone = np.flatnonzero(~there)
    return int(gone[-1]) + 1 if len(gone) else 0
