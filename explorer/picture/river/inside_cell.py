"""How one cell of an opened head comes about, and the same cell in all heads."""

import math

import numpy as np

from explorer.lang import Words
from explorer.picture.marks import Box, Cells, Label, Line, Mark, Rect
from explorer.picture.river.focus import row_names
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside_grid import Inside
from explorer.picture.river.opened import OpenedHead
from explorer.picture.river.pixels import sheet
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn, Hot, about_width, fitting
from explorer.picture.river.slabs import best_columns
from explorer.picture.river.strips import columns, shown_text
from explorer.picture.scales import Scale, indices

_FIGURES_PX, _BETWEEN_PX = 126.0, 8.0  # px of the figures at least, and between them and the heads
_VALUE_PX = 38.0  # px of a thumbnail that has room for a head's number and a weight of four signs


def draw_cell(river: River, head: OpenedHead, place: Inside, words: Words, colours: Colours, pair: tuple[int, int]) -> Drawn:
    """Products of the query and the key, their sum, and what follows from it; and the same cell in each head."""
    rect = place.below
    if rect.high < 84:
        return Drawn(())
    query, key = pair
    keys = river.half_of(river.attention, "key")
    made: list[Mark] = [Box(Rect(rect.x, rect.y, rect.wide, 1), "hairline")]
    made.append(Label(rect.x, rect.y + 14, words("river.inside.cell"), 12, bold=True))
    names = (row_names(river)[0][query], shown_text(keys.labels[key]))
    told = words("river.inside.cell_of", query=names[0], seen=names[1])
    made.append(
        Label(rect.x + about_width(words("river.inside.cell"), 12) + 16, rect.y + 14, told, 12, "accent", room=0.4 * rect.wide)
    )
    figures_w = max(0.2 * rect.wide, _FIGURES_PX)
    left_w = min(0.44 * rect.wide, 0.7 * rect.wide - figures_w - 24 - _BETWEEN_PX)
    made += _products(head, Rect(rect.x, rect.y + 28, left_w, rect.high - 30), pair, colours)
    made += _figures(head, Rect(rect.x + left_w + 24, rect.y + 26, figures_w, rect.high - 26), pair, words)
    heads = _heads(river, place.heads, pair, words)
    return Drawn((*made, *heads.scene), heads.hot)


def _products(head: OpenedHead, rect: Rect, pair: tuple[int, int], colours: Colours) -> list[Mark]:
    q, k = head.query[pair[0]], head.key[pair[1]]
    products = q * k  # [feature]
    reach = float(max(np.abs(q).max(), np.abs(k).max())) or 1.0
    scale = Scale(-reach, reach, colours.signed)
    x, w = rect.x + 26, rect.wide - 26
    high = min(16.0, 0.18 * rect.high)
    made: list[Mark] = []
    for which, (name, values) in enumerate((("q", q), ("k", k))):
        y = rect.y + which * (high + 3)
        made.append(Label(rect.x, y + high / 2, name, 11, "faint"))
        made.append(Cells(Rect(x, y, w, high), indices(columns(values[None], int(w)), scale), colours.signed))
    top = rect.y + 2 * (high + 3) + 2
    middle, half = top + (rect.bottom - top) / 2, (rect.bottom - top) / 2 - 2
    largest = float(np.abs(products).max()) or 1.0
    made.append(Label(rect.x, middle, "q×k", 10, "faint"))
    made.append(Line(x, middle, x + w, middle, "hairline"))
    shown = columns(products[None], int(w / 2))[0]
    step = w / len(shown)
    for place, value in enumerate(shown.tolist()):
        tall = abs(value) / largest * half
        made.append(
            Box(
                Rect(x + place * step + 0.5, middle - (tall if value > 0 else 0), max(step - 1, 1), tall),
                "accent" if value > 0 else "band",
            )
        )
    return made


def _figures(head: OpenedHead, rect: Rect, pair: tuple[int, int], words: Words) -> list[Mark]:
    """The sum of the products, what it is divided by, its power, and its share of the row."""
    score, masked, weight = (float(values[pair]) for values in (head.scores, head.masked, head.weights))
    row = head.masked[pair[0]].astype(np.float64)
    lines: list[tuple[tuple[str, ...], str, bool]] = [  # texts from long to short, the number, whether it is the last one
        ((words("river.inside.sum", count=head.query.shape[1]), "Σ q×k"), _short(score), False)
    ]
    if math.isfinite(masked):
        key = "river.inside.divided_biased" if head.biased else "river.inside.divided"
        lines.append(((words(key, divisor=f"{head.divisor:.4g}"),), _short(masked), False))
        power = float(np.exp(np.float64(masked)))
        total = float(np.nansum(np.exp(row)))
        if math.isfinite(total):
            lines.append(((f"e^{_short(masked)}", "e^x"), _short(power), False))
            lines.append(
                ((words("river.inside.share", total=_short(total)), f"÷ {_short(total)}", "÷ Σ"), f"{weight:.3f}", True)
            )
    else:
        lines.append(((words("legend.closed"),), "–", True))
    step = min(24.0, rect.high / max(len(lines), 1))
    made: list[Mark] = []
    for place, (texts, value, last) in enumerate(lines):
        y = rect.y + step * (place + 0.5)
        room = rect.wide - 1.2 * about_width(value, 13) - 6
        made.append(Label(rect.x, y, fitting(texts, 12, room) or texts[-1], 12, "faint", room=room))
        made.append(Label(rect.right, y, value, 13, "accent" if last else "text", True, "right"))
    return made


def _short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _shortest(weight: float) -> str:
    """A weight in three signs: ".86" or "1.0"."""
    return f"{weight:.2f}".removeprefix("0") if round(weight, 2) < 1 else f"{weight:.1f}"


def _heads(river: River, rect: Rect, pair: tuple[int, int], words: Words) -> Drawn:
    block = river.focus
    if block is None or block.weights is None:
        return Drawn(())
    n_heads = len(block.weights)
    top = rect.y + 20
    across = best_columns(n_heads, rect.wide, rect.bottom - top)
    down = -(-n_heads // across)
    text_h = 14.0 if (rect.bottom - top) / down >= 34 else 0.0
    wide, high = (rect.wide - 8 * (across - 1)) / across, (rect.bottom - top) / down - text_h - 6
    if wide < 6 or high < 6:
        return Drawn(())
    closed = None if block.closed is None else np.broadcast_to(block.closed, block.weights.shape)
    places = [
        Rect(
            round(rect.x + (h % across) * (wide + 8)),
            round(top + (h // across) * (high + text_h + 6)),
            round(wide),
            round(high),
        )
        for h in range(n_heads)
    ]
    index = indices(block.weights, river.scale, closed)
    made: list[Mark] = [Label(rect.x, rect.y + 8, words("river.inside.heads", count=n_heads), 11, "faint")]
    made.append(Cells(*sheet(index, tuple(places), Rect(rect.x, top, rect.wide, rect.bottom - top)), river.scale.colours))
    for head, each in enumerate(places):
        on = head == river.head
        if on:
            made.append(Box(each.grown(2), "", "accent", radius=2, width=2))
        if text_h:
            value = float(block.weights[head][pair])
            made.append(Label(each.x, each.bottom + 8, str(head), 11, "accent" if on else "faint", on))
            told = "–" if math.isnan(value) else f"{value:.2f}" if wide >= _VALUE_PX else _shortest(value)
            made.append(Label(each.right, each.bottom + 8, told, 11, "accent" if on else "text", on, "right"))
    hot = tuple(
        Hot(each, Place("head", attention=river.attention, layer=river.layer, head=head)) for head, each in enumerate(places)
    )
    return Drawn(tuple(made), hot)
