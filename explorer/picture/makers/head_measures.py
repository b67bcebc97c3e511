"""The head metric that labels a wall of heads: one number for each head of the chosen attention."""

import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.kinds import Measured
from explorer.state.look import Look
from explorer.trace.measures.head_measures import MEASURES, head_values, row_step
from explorer.trace.trace import Trace

MOST_CELLS = 2**19  # cells of one attention in all layers, whose entropy takes about 8 ms


def offered_measures(look: Look) -> dict[str, str]:
    """The formula of each head metric for the chosen attention; "" where it is undefined there."""
    return {key: measure.formula(look.attention) for key, measure in MEASURES.items()}


def measured_wall(trace: Trace, look: Look, words: Words, layers: tuple[int, ...]) -> Measured | None:
    """The chosen metric of the heads of these layers; None where none is chosen. Raises UnknownTap."""
    if not look.measure:
        return None
    values = head_values(trace, look.attention, look.measure, _most_cells(trace, look))[list(layers)]  # [layer, head]
    measure = MEASURES[look.measure]
    return Measured(
        key=look.measure,
        name=words(f"heads.measure.{look.measure}"),
        formula=measure.formula(look.attention),
        values=values,
        unit=measure.unit,
        order=falling(values) if look.head_order == "measure" else (),
    )


def measured_note(trace: Trace, look: Look, words: Words, measured: Measured | None) -> str:
    """The reason why heads have no number, or that only some queries were measured; else ""."""
    if measured is None:
        return ""
    if not measured.formula:
        return words("heads.none.across", measure=measured.name)
    missing = ~np.isfinite(measured.values)
    tap = look.attention_tap("weights")
    if missing.any() and trace.map(tap).array is None:
        return words("heads.none.not_kept")
    if missing.all() and look.measure == "induction":
        return words("heads.none.not_repeated")
    step = row_step(trace, look.attention, _most_cells(trace, look))
    return words("heads.sampled", step=step) if step > 1 and look.measure in ("entropy", "distance") else ""


def _most_cells(trace: Trace, look: Look) -> int:
    """How many cells of one layer are read."""
    return MOST_CELLS // trace.card.side(look.attention).n_layers


def falling(values: NDArray[np.float64]) -> tuple[int, ...]:
    """The places of [layer, head] from the largest value to the smallest; what is no number comes last, ties as they stand."""
    return tuple(int(place) for place in np.argsort(-np.nan_to_num(values.ravel(), nan=-np.inf), kind="stable"))
