"""Two states compared: the one that was put aside, the present one, and their difference."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Bars, Caption, Closed, Heatmap
from explorer.picture.makers.matching import Matched, matched, matched_axis
from explorer.picture.makers.output import top_bars
from explorer.picture.makers.pooled import heads_map, heads_values, pooled_as, told_pool
from explorer.picture.scales import centred_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

_MOST_TOLD = 12  # tokens that a note names


def aside(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The chosen head's map, or that of several, in the state that was put aside; None where there is no such state."""
    other = trace.compared_with
    if other is None:
        return None
    made = _titled(heads_map(other, look.fitted(other), words), words("compare.aside"))
    return attrs.evolve(made, caption=attrs.evolve(made.caption, changes=len(other.changes)))


def now(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map in the present state, or that of several."""
    return _titled(heads_map(trace, look, words), words("compare.now"))


def difference(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The present map minus the one put aside [query, key]; None where no state was put aside.

    Of two different sentences the tokens that correspond are compared (`Look.matched`); the note says which were left out.
    """
    other = trace.compared_with
    if other is None:
        return None
    theirs = look.fitted(other)
    first, second = heads_map(other, theirs, words), heads_map(trace, look, words)
    if not comparable(trace, look):
        return _no_difference(second, look, not_comparable(trace, look, words), words)
    rows, columns = (
        matched(one.labels, two.labels, look.matched)
        for one, two in ((first.rows, second.rows), (first.columns, second.columns))
    )
    mine, before = heads_values(trace, look), heads_values(other, theirs)
    with np.errstate(invalid="ignore"):  # Cells closed in both give −∞ − (−∞) = NaN.
        # D[i,j] = now[q_i, k_j] − aside[q'_i, k'_j] for the pairs (q_i, q'_i) and (k_j, k'_j)
        values = mine[np.ix_(rows.second, columns.second)] - before[np.ix_(rows.first, columns.first)]
    return Heatmap(
        values=values,
        rows=matched_axis(first.rows, second.rows, rows),
        columns=matched_axis(first.columns, second.columns, columns),
        closed=_both_closed(first, second, rows, columns),
        reason=second.reason or first.reason,
        scale=centred_scale(values, look.signed_colours),
        caption=Caption(
            title=words("compare.difference"),
            tap=second.caption.tap,
            shape=f"[query {values.shape[0]}, key {values.shape[1]}]",
            note=_difference_note(values, (rows, columns), words),
            origin="computed",
            formula=words("compare.formula"),
        ),
    )


def _both_closed(first: Heatmap, second: Heatmap, rows: Matched, columns: Matched) -> Closed | None:
    """The cells that are closed in both maps; None where one of them has no closed cells."""
    if first.closed is None or second.closed is None:
        return None
    closed: Closed = first.closed[np.ix_(rows.first, columns.first)] & second.closed[np.ix_(rows.second, columns.second)]
    return closed


def _difference_note(values: Array, matches: tuple[Matched, Matched], words: Words) -> str:
    """The largest difference, and the tokens that were left out."""
    # largest = max |now[q,k] − aside[q,k]| over all cells but NaN
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    told = words("compare.largest", difference=f"{largest:.3g}")
    alone = tuple(dict.fromkeys(token for match in matches for token in match.alone))
    if not alone:
        return told
    more = "" if len(alone) <= _MOST_TOLD else " …"
    return f"{told} · {words('compare.left_out', tokens=' '.join(alone[:_MOST_TOLD]) + more)}"


def comparable(trace: Trace, look: Look) -> bool:
    """Whether the state put aside has the head or layer that is looked at; those of other places have nothing in common."""
    other = trace.compared_with
    if other is None:
        return False
    theirs = look.fitted(other)
    pooled = pooled_as(look)
    same_head = theirs.head == look.head or pooled != "head"
    same_layer = theirs.layer == look.layer or pooled.startswith("all")
    return theirs.attention == look.attention and same_layer and same_head


def not_comparable(trace: Trace, look: Look, words: Words) -> str:
    """A sentence that says why the two maps cannot be subtracted; "" where they can, or nothing was put aside."""
    other = trace.compared_with
    if other is None or comparable(trace, look):
        return ""
    return words("compare.other_head", first=_where(other, look.fitted(other), words), second=_where(trace, look, words))


def _no_difference(here: Heatmap, look: Look, why: str, words: Words) -> Heatmap:
    """One NaN, with the reason in its note."""
    values = np.full((1, 1), np.nan, np.float32)
    return Heatmap(
        values=values,
        rows=attrs.evolve(here.rows, labels=("",)),
        columns=attrs.evolve(here.columns, labels=("",)),
        scale=centred_scale(values, look.signed_colours),
        caption=attrs.evolve(here.caption, title=words("compare.difference"), note=why, origin="computed"),
    )


def bars_aside(trace: Trace, look: Look, words: Words) -> Bars | None:
    """The likeliest next symbols in the state that was put aside; None where there is no such state."""
    other = trace.compared_with
    if other is None:
        return None
    same_step = attrs.evolve(look, position=look.step(trace))  # Otherwise each state would open on a step of its own.
    made = top_bars(other, same_step.fitted(other), words)
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
        f"<tr><td>{words(f'knob.{name}.name')}&nbsp;&nbsp;</td><td>{knob_value(name, here, words)}&nbsp;&nbsp;</td>"
        f"<td>{knob_value(name, paper, words)}</td></tr>"
        for name, here, paper in rows
    )
    return f"<table cellspacing='2'>{head}{body}</table>"


def knob_value(name: str, value: object, words: Words) -> str:
    """The value of a knob as a reader sees it."""
    if isinstance(value, bool):
        return "✓" if value else "—"
    key = f"choice.{name}.{value}"
    return words(key) if key in words else f"{value:g}" if isinstance(value, float) else str(value)


def _titled(made: Heatmap, which: str) -> Heatmap:
    return attrs.evolve(made, caption=attrs.evolve(made.caption, title=f"{which} · {made.caption.title}"))


def _where(trace: Trace, look: Look, words: Words) -> str:
    """Attention, layer and head in words, or what stands for the heads."""
    return f"{words(f'attention.{look.attention}')} {told_pool(trace, look, words)}"
