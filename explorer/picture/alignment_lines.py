"""The lines of an Alignment: their width and colour, the change that one stands for, and their description in words."""

import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.kinds import Alignment, Axis, Caption
from explorer.picture.scales import Scale
from explorer.picture.theme import Theme
from explorer.state.offers import ChangePlace
from explorer.trace.arrays import Array
from explorer.trace.tap_names import place_of

Lengths = NDArray[np.floating]
_WIDEST_PX, _THINNEST_PX = 4.0, 1.0
_DASHES = ("", "dashed", "dotted")
_HEADS = 12  # heads whose weights are told
_LISTED = 6  # weights of a token that are listed one by one; the others are summed


def head_colour(head: int, theme: Theme) -> tuple[str, str]:
    """The hexadecimal colour of a head's lines, and after the first eight heads "dashed" or "dotted", by turns."""
    return theme.heads[head % len(theme.heads)], _DASHES[head // len(theme.heads) % len(_DASHES)]


def strokes(values: Array, scale: Scale) -> tuple[Lengths, Lengths]:
    """Width (px) and opacity (0 to 1) of each weight's line. Their product, the ink, is proportional to the weight."""
    share = np.clip((np.nan_to_num(values, nan=scale.low) - scale.low) / (scale.high - scale.low), 0.0, 1.0)
    # Screens draw lines thinner than a pixel badly, so a small weight has a faint line instead of a thinner one.
    # width = max(1, 4 · √share); opacity = 4 · share / width
    widths = np.maximum(_THINNEST_PX, _WIDEST_PX * np.sqrt(share))
    return widths, _WIDEST_PX * share / widths


def changeable(picture: Alignment, tokens: frozenset[tuple[str, int]]) -> ChangePlace | None:
    """The place of the change that a reader asks for at a token, or at the line between two tokens.

    The line of one head stands for a cell, and that of a layer's mean for the layer. A token stands for its vector. None for
    the mean over all layers, which the pass does not compute, for the end of the sentence, and for a word of several tokens.
    """
    n_rows, n_columns = picture.values.shape
    row = next(iter(picture.rows.indices(tokens, n_rows)), None)
    column = next(iter(picture.columns.indices(tokens, n_columns)), None)
    ends = (picture.rows, row), (picture.columns, column)
    if any(place is not None and len(axis.rows(place)) > 1 for axis, place in ends):
        return None
    row, column = (None if place is None else axis.rows(place)[0] for axis, place in ends)
    if row is not None and column is not None:
        of_one = picture.head is not None
        made = ChangePlace(picture.caption.tap, picture.head, row if of_one else None, column if of_one else None)
        return None if "*" in made.tap else made
    side = place_of(picture.caption.tap).side
    if column is not None:
        keys = "encoder" if ".cross_attn." in picture.caption.tap else side
        return ChangePlace(f"{keys}.embedding.output", None, column)
    if row is None or row + picture.rows.shift >= n_rows:
        return None
    return ChangePlace(f"{side}.embedding.output", None, row + picture.rows.shift)


def tell_line(picture: Alignment, row: int, column: int, words: Words) -> str:
    """One weight in words: value, query and key, tap and shape; of several heads the weight of each."""
    where = f"{_at(picture.rows, row)}  →  {_at(picture.columns, column)}"
    if picture.overlaid:
        weights = [(each.head, float(each.values[row, column])) for each in picture.overlaid]
        return _tell_heads(where, [(head, value, "") for head, value in weights], picture.caption, words)
    return words(
        "picture.cell",
        value=_figure(float(picture.values[row, column]), words),
        where=where,
        tap=picture.caption.tap,
        shape=picture.caption.shape,
    ) + told_origin(picture.caption, words)


def tell_row(picture: Alignment, row: int, words: Words) -> str:
    """The source tokens that a target position looks at, largest weights first, in words; of several heads each one's first."""
    who = _at(picture.rows, row)
    if picture.overlaid:
        firsts = [(each.head, *_first(each.values[row], "→", picture.columns)) for each in picture.overlaid]
        return _tell_heads(who, firsts, picture.caption, words)
    return _tell(who, "→", picture.values[row], picture.columns, picture.caption, words)


def tell_column(picture: Alignment, column: int, words: Words) -> str:
    """The target positions that look at a source token, largest weights first, in words; of several heads each one's first."""
    who = _at(picture.columns, column)
    if picture.overlaid:
        firsts = [(each.head, *_first(each.values[:, column], "←", picture.rows)) for each in picture.overlaid]
        return _tell_heads(who, firsts, picture.caption, words)
    return _tell(who, "←", picture.values[:, column], picture.rows, picture.caption, words)


def _first(values: Array, arrow: str, others: Axis) -> tuple[float, str]:
    """The largest of some weights, and the token that it belongs to."""
    best = int(np.nan_to_num(values, nan=-1.0).argmax())
    return float(values[best]), f"{arrow} {others.label(best)}"


def _tell_heads(who: str, each: list[tuple[int, float, str]], made: Caption, words: Words) -> str:
    """A weight of every head (head, weight, token); of many heads those with the largest weights."""
    shown = sorted(sorted(each, key=lambda one: -np.nan_to_num(one[1], nan=-1.0))[:_HEADS])
    lines = ["  ".join(filter(None, (f"H{head}", token, _figure(value, words)))) for head, value, token in shown]
    if len(each) > len(shown):
        lines.append(words("alignment.other_heads", count=len(each) - len(shown)))
    return "\n".join([who, *lines, f"{made.tap} {made.shape}"]) + told_origin(made, words)


def tell_all(picture: Alignment) -> str:
    """The whole picture in words, for screen readers: each row with the token that it looks at most."""
    values = picture.values
    bests = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)  # [row]
    told = [
        f"{label} → {picture.columns.label(best)} {number(float(values[row, best]))}"
        for row, (label, best) in enumerate(zip(picture.rows.labels, bests.tolist(), strict=True))
        if np.isfinite(values[row, best])
    ]
    return "; ".join(told)


def _tell(who: str, arrow: str, values: Array, others: Axis, made: Caption, words: Words) -> str:
    order = np.argsort(-np.nan_to_num(values, nan=-1.0), kind="stable")
    shown, rest = order[:_LISTED], order[_LISTED:]
    lines = [f"{arrow} {others.label(int(i))}  {_figure(float(values[i]), words)}" for i in shown]
    if len(rest):
        lines.append(words("alignment.others", count=len(rest), value=number(float(np.nansum(values[rest], dtype=np.float64)))))
    return "\n".join([who, *lines, f"{made.tap} {made.shape}"]) + told_origin(made, words)


def _at(axis: Axis, index: int) -> str:
    return f"{axis.name} {axis.number(index)} {axis.label(index)}"


def _figure(value: float, words: Words) -> str:
    return words("legend.closed") if np.isnan(value) else number(value)
