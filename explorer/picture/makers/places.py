"""Two passes compared place by place: any tap of the present one minus the same tap of the one put aside."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Heatmap
from explorer.picture.layout.cells import LARGE_CELLS
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, token_axis
from explorer.picture.makers.matching import matched, matched_axis
from explorer.picture.scales import centred_scale
from explorer.state.look import Look
from explorer.trace.levels import levels
from explorer.trace.measures.tap_figures import agree, differences
from explorer.trace.trace import Trace


def place_difference(trace: Trace, look: Look, words: Words, head: int = 0) -> Heatmap | None:
    """The chosen tap now minus the same tap of the pass put aside [row, column]; of a tap with heads, that of `head`.

    None where no pass was put aside, or where the shapes differ: then no place has a partner. Raises UnknownTap, UnknownHead.
    """
    other, tap = trace.compared_with, look.tap
    if other is None or not agree(trace, tap):
        return None
    has_heads = trace.axes(tap)[0] == "head"
    now, before = (one.head(tap, head) if has_heads else one[tap] for one in (trace, other))
    # D[r,c] = A[r,c] − A′[r,c], also where row or column is another token
    made = differences(now, before)  # [row, column]
    shut = [closed_of(one, tap, head) for one in (trace, other)]
    closed = shut[0] & shut[1] if shut[0] is not None and shut[1] is not None else None
    values, large = masked_values(made, closed), made.size > LARGE_CELLS
    told = caption(trace, tap, words, _note(made, words))
    return Heatmap(
        values=values,
        closed=closed,
        levels=levels(made, signed=True) if large else None,
        rows=_axis(trace, tap, 0, words),
        columns=_axis(trace, tap, 1, words),
        scale=centred_scale(values, look.signed_colours),
        reason="" if closed is None else closed_reason(trace, words, tap),
        caption=attrs.evolve(told, title=words("compare.difference"), formula=words("compare.formula"), origin="computed"),
        head=head if has_heads else None,
    )


def _axis(trace: Trace, tap: str, place: int, words: Words) -> Axis:
    """The row (0) or column (1) axis of a tap's maps; where the other pass has another token, the label is "then→now"."""
    name, other = trace.axes(tap)[-2:][place], trace.compared_with
    assert other is not None  # The caller has checked.
    now, before = token_axis(trace, tap, name, words), token_axis(other, tap, name, words)
    return matched_axis(before, now, matched(before.labels, now.labels, "place")) if now.labels else now


def _note(made: np.ndarray, words: Words) -> str:
    # largest = max |D[r,c]| over all cells but NaN
    largest = float(np.fmax.reduce(np.abs(made), axis=None, initial=0.0))
    return words("compare.largest", difference=f"{largest:.3g}")
