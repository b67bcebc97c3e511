"""Two states compared: the one that was put aside, the present one, and their difference."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Bars, Caption, Heatmap
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.output import top_bars
from explorer.picture.scales import centred_scale
from explorer.state.look import Look
from explorer.trace.trace import Trace


def aside(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The chosen head's map in the state that was put aside; None where there is no such state."""
    other = trace.compared_with
    return None if other is None else _titled(head_map(other, look.fitted(other), words), words("compare.aside"))


def now(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map in the present state."""
    return _titled(head_map(trace, look, words), words("compare.now"))


def difference(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The present map minus the one put aside [query, key]; None where no state was put aside.

    Where the two maps belong to different sentences or heads, no cells correspond: the map is one NaN, and its note says
    why.
    """
    other = trace.compared_with
    if other is None:
        return None
    theirs = look.fitted(other)
    first, second = head_map(other, theirs, words), head_map(trace, look, words)
    # Cells correspond only where both maps have the same tokens and show the same attention, layer and head.
    same = (first.rows.labels, first.columns.labels) == (second.rows.labels, second.columns.labels) and (
        theirs.attention,
        theirs.layer,
        theirs.head,
    ) == (look.attention, look.layer, look.head)
    tap = look.attention_tap()
    with np.errstate(invalid="ignore"):  # Cells closed in both give −∞ − (−∞) = NaN.
        values = trace[tap][look.head] - other[tap][look.head] if same else np.full((1, 1), np.nan, np.float32)
    closed = None if not same or first.closed is None or second.closed is None else first.closed & second.closed
    # largest = max |now[q,k] − aside[q,k]| over all cells but NaN
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    note = (
        words("compare.largest", difference=f"{largest:.3g}")
        if same
        else words("compare.other_shape", first=_where(first), second=_where(second))
    )
    return Heatmap(
        values=values,
        rows=second.rows if same else attrs.evolve(second.rows, labels=("",)),
        columns=second.columns if same else attrs.evolve(second.columns, labels=("",)),
        closed=closed,
        reason=second.reason,
        scale=centred_scale(values, look.signed_colours),
        caption=Caption(
            title=words("compare.difference"),
            tap=second.caption.tap,
            shape=second.caption.shape,
            note=note,
            origin="computed",
            formula=words("compare.formula"),
        ),
    )


def bars_aside(trace: Trace, look: Look, words: Words) -> Bars | None:
    """The likeliest next symbols in the state that was put aside; None where there is no such state."""
    other = trace.compared_with
    if other is None:
        return None
    made = top_bars(other, look.fitted(other), words)
    return attrs.evolve(
        made, ids=(), caption=attrs.evolve(made.caption, title=f"{words('compare.aside')} · {made.caption.title}")
    )


def bars_now(trace: Trace, look: Look, words: Words) -> Bars:
    """The likeliest next symbols in the present state."""
    made = top_bars(trace, look, words)
    return attrs.evolve(
        made, ids=(), caption=attrs.evolve(made.caption, title=f"{words('compare.now')} · {made.caption.title}")
    )


def departures_html(rows: Sequence[tuple[str, object, object]], words: Words) -> str:
    """The model's departures from the paper as rich text. A row holds a knob's name, its value here and the paper's."""
    if not rows:
        return words("compare.no_departures")
    head = f"<tr><td></td><td><b>{words('compare.here')}</b>&nbsp;&nbsp;</td><td><b>{words('compare.paper')}</b></td></tr>"
    body = "".join(
        f"<tr><td>{words(f'knob.{name}.name')}&nbsp;&nbsp;</td><td>{_value(name, here, words)}&nbsp;&nbsp;</td>"
        f"<td>{_value(name, paper, words)}</td></tr>"
        for name, here, paper in rows
    )
    return f"<table cellspacing='2'>{head}{body}</table>"


def _value(name: str, value: object, words: Words) -> str:
    if isinstance(value, bool):
        return "✓" if value else "—"
    key = f"choice.{name}.{value}"
    return words(key) if key in words else f"{value:g}" if isinstance(value, float) else str(value)


def _titled(made: Heatmap, which: str) -> Heatmap:
    return attrs.evolve(made, caption=attrs.evolve(made.caption, title=f"{which} · {made.caption.title}"))


def _where(made: Heatmap) -> str:
    """The tokens and the tap of a map, as text."""
    return f"{' '.join(made.rows.labels)} · {made.caption.tap}"
