"""Two passes compared: the pinned one, the present one, and their difference.

Tokens of two different sentences are paired first. A tap is compared place by place instead, whatever token stands there.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.card_text import knob_value
from explorer.picture.kinds import Axis, Bars, Caption, Closed, Heatmap
from explorer.picture.layout.cells import LARGE_CELLS
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, token_axis
from explorer.picture.makers.output import top_bars
from explorer.picture.makers.pooled import heads_map, heads_values, pooled_as, told_pool
from explorer.picture.picture import P, captioned
from explorer.picture.scales import centred_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.levels import levels
from explorer.trace.measures.tap_figures import agree, differences
from explorer.trace.trace import Trace

Pairs = tuple[tuple[int, int], ...]
_MOST_TOLD = 12  # tokens that a note names


@attrs.frozen
class Matched:
    """Pairs of positions (in the first text, in the second one) that are compared, and the tokens without a partner."""

    pairs: Pairs
    alone: tuple[str, ...]  # in the order of the texts, the first text's before the second's

    @property
    def first(self) -> NDArray[np.int_]:
        """The positions in the first text [pair]."""
        return np.array([pair[0] for pair in self.pairs], int)

    @property
    def second(self) -> NDArray[np.int_]:
        """The positions in the second text [pair]."""
        return np.array([pair[1] for pair in self.pairs], int)


def matched(first: Sequence[str], second: Sequence[str], by: str) -> Matched:
    """Match by "place", the first with the first, or by "token": equal tokens in the same order.

    Two texts without a common token are matched by place.
    """
    by_place = tuple((place, place) for place in range(min(len(first), len(second))))
    pairs = by_place if by == "place" else equal_tokens(first, second) or by_place
    one, two = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    alone = [token for place, token in enumerate(first) if place not in one]
    alone += [token for place, token in enumerate(second) if place not in two]
    return Matched(pairs, tuple(alone))


def equal_tokens(first: Sequence[str], second: Sequence[str]) -> Pairs:
    """The pairs of equal tokens, in the order of both texts. Ratcliff and Obershelp 1988, as in `difflib`."""
    blocks = SequenceMatcher(None, list(first), list(second), autojunk=False).get_matching_blocks()
    return tuple((block.a + step, block.b + step) for block in blocks for step in range(block.size))


def matched_axis(first: Axis, second: Axis, match: Matched) -> Axis:
    """The second text's axis with the pairs alone; where two tokens differ, the label is "first→second"."""
    labels = []
    for one, two in match.pairs:
        mine, theirs = second.label(two), first.label(one)
        labels.append(mine if mine == theirs else f"{theirs}→{mine}")
    whole = len(match.pairs) == len(second.labels)
    # A token lights up by its position, which a pair's place is only if no token was left out before it.
    return attrs.evolve(second, labels=tuple(labels), side=second.side if whole else "")


def left_of(trace: Trace, look: Look) -> tuple[Trace, Look] | None:
    """The pass and the head or heads of the map at the left; None where no state is pinned and no second head is chosen.

    They are the same heads in the pinned pass, or `Look.beside_head` in that pass or else in this one.
    """
    other = trace.compared_with
    if look.beside_head >= 0:
        theirs = attrs.evolve(look, layer=look.beside_layer, head=look.beside_head, aligned="head", overlaid=())
        return other or trace, theirs.fitted(other or trace)
    return None if other is None else (other, look.fitted(other))


def aside(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The chosen head's map, or that of several, in the pinned state, or a second head's; None where there is none."""
    left = left_of(trace, look)
    if left is None:
        return None
    other, theirs = left
    made = heads_map(other, theirs, words)
    return made if other is trace else captioned(_titled(made, words("compare.aside")), changes=len(other.changes))


def now(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The chosen head's map in the present state, or that of several."""
    made, left = heads_map(trace, look, words), left_of(trace, look)
    return made if left is not None and left[0] is trace else _titled(made, words("compare.now"))


def difference(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The present map minus the one at its left [query, key]; None where nothing is at its left.

    Of two different sentences the tokens that correspond are compared (`Look.matched`); the note says which were left out.
    """
    left = left_of(trace, look)
    if left is None:
        return None
    other, theirs = left
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
            title=words("compare.difference" if other is not trace else "compare.difference_heads"),
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
    """Whether the pinned state has the chosen head or layer; heads of other places have nothing in common, unless somebody
    has chosen a second head.
    """
    left = left_of(trace, look)
    if left is None:
        return False
    _other, theirs = left
    if look.beside_head >= 0:
        return theirs.attention == look.attention
    pooled = pooled_as(look)
    same_head = theirs.head == look.head or pooled != "head"
    same_layer = theirs.layer == look.layer or pooled.startswith("all")
    return theirs.attention == look.attention and same_layer and same_head


def not_comparable(trace: Trace, look: Look, words: Words) -> str:
    """The reason why the two maps cannot be subtracted, in a sentence; "" where they can, or nothing is pinned."""
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
    """The likeliest next tokens in the pinned state; None where there is none."""
    other = trace.compared_with
    if other is None:
        return None
    same_step = attrs.evolve(look, position=look.step(trace))  # Otherwise each state would open on a step of its own.
    return attrs.evolve(_titled(top_bars(other, same_step.fitted(other), words), words("compare.aside")), ids=())


def bars_now(trace: Trace, look: Look, words: Words) -> Bars:
    """The likeliest next tokens in the present state."""
    return attrs.evolve(_titled(top_bars(trace, look, words), words("compare.now")), ids=())


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


def _titled(made: P, which: str) -> P:
    return captioned(made, title=f"{which} · {made.caption.title}")


def _where(trace: Trace, look: Look, words: Words) -> str:
    """Attention, layer and head in words, or what stands for the heads."""
    return f"{words(f'attention.{look.attention}')} {told_pool(trace, look, words)}"


def place_difference(trace: Trace, look: Look, words: Words, head: int = 0) -> Heatmap | None:
    """The chosen tap now minus the same tap of the pinned pass [row, column]; of a tap with heads, that of `head`.

    None where no pass is pinned, or where the shapes differ: then no place has a partner. Raises UnknownTap, UnknownHead.
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
    told = caption(trace, tap, words, _place_note(made, words))
    return Heatmap(
        values=values,
        closed=closed,
        levels=levels(made, signed=True) if large else None,
        rows=_place_axis(trace, tap, 0, words),
        columns=_place_axis(trace, tap, 1, words),
        scale=centred_scale(values, look.signed_colours),
        reason="" if closed is None else closed_reason(trace, words, tap),
        caption=attrs.evolve(told, title=words("compare.difference"), formula=words("compare.formula"), origin="computed"),
        head=head if has_heads else None,
    )


def _place_axis(trace: Trace, tap: str, place: int, words: Words) -> Axis:
    """The row (0) or column (1) axis of a tap's maps; where the other pass has another token, the label is "then→now"."""
    name, other = trace.axes(tap)[-2:][place], trace.compared_with
    assert other is not None  # The caller has checked.
    now, before = token_axis(trace, tap, name, words), token_axis(other, tap, name, words)
    return matched_axis(before, now, matched(before.labels, now.labels, "place")) if now.labels else now


def _place_note(made: np.ndarray, words: Words) -> str:
    # largest = max |D[r,c]| over all cells but NaN
    largest = float(np.fmax.reduce(np.abs(made), axis=None, initial=0.0))
    return words("compare.largest", difference=f"{largest:.3g}")
