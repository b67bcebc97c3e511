"""An opened block: it takes all the width, and the lanes still run through it, from the layers before to those after.

Inside stand the steps of one head from left to right, each on the lane of its query; below, how one cell comes about.
"""

import math
from collections.abc import Sequence

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_numbers import is_dark
from explorer.picture.marks import AccentedLine, Box, Cells, Curves, Label, Lanes, Mark, Rect
from explorer.picture.river.accent import explained
from explorer.picture.river.focus import best_key, row_names
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside_cell import draw_cell
from explorer.picture.river.inside_grid import PILLAR, Inside, opened_half
from explorer.picture.river.opened import OpenedHead, OpenedNetwork
from explorer.picture.river.pixels import hatches, with_gaps
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import Pointing
from explorer.picture.river.river import River
from explorer.picture.river.scene import Answering, Drawn, Hot, about_width, fitting
from explorer.picture.river.slabs import THICKEST, thickness
from explorer.picture.river.strips import columns, fitted_columns, labelled, shown_text, text_px
from explorer.picture.scales import LEVELS, Scale, centred_scale, indices, robust_scale

_BOLD = 1.15  # how much wider than about a bold title may be
_KEY_PX = 28.0  # px of a key's label
_ZEROS_PX, _ZEROS_BELOW_PX = 72.0, 7.0  # px of a lane that has room for a line below its strip, and how far below it is
_FEW = 12  # tokens up to which cells have their numbers


def draw_inside(river: River, place: Inside, words: Words, colours: Colours) -> Drawn:
    """Everything of an opened block that does not follow the mouse."""
    scene: list[Mark] = [*_frame(river, place, words), _lanes(river, place)]
    if isinstance(river.opened, OpenedHead):
        scene += _steps(river, river.opened, place, words, colours)
    elif isinstance(river.opened, OpenedNetwork):
        scene += _network(river, river.opened, place, words, colours)
    return Drawn(tuple(scene), (Hot(place.box, Place("inside")),))


def _frame(river: River, place: Inside, words: Words) -> list[Mark]:
    half = opened_half(river)
    made: list[Mark] = [Box(place.box, "card", "accent", radius=5)]
    made += [
        Box(Rect(x, place.box.y, PILLAR, place.box.high), "card", "hairline", radius=3) for x in (*place.before, *place.after)
    ]
    px = text_px(place.pitch, False)
    for row in labelled(half.n, place.pitch, (river.query,), tuple(map(len, half.labels))):
        text = _row_name(river, row, px, place.label_w - 6)
        made.append(Label(16, place.y(row), text, px, bold=place.pitch >= 18, room=place.label_w - 6))
    return made


def _row_name(river: River, row: int, px: float, room: float) -> str:
    """The token of a row; with the word that it writes, where the rows of the map are named so and both have room."""
    token, (names, _side, shift) = shown_text(opened_half(river).labels[row]), row_names(river)
    if not shift or not isinstance(river.opened, OpenedHead):
        return token
    return fitting([f"{token} → {names[row]}", f"→ {names[row]}", token], px, room)


def _lanes(river: River, place: Inside) -> Lanes:
    """The residual stream: above each row, round the steps, and on at the right."""
    half = opened_half(river)
    # In the middle between the cells of two rows (see `_map`), and no wider than the gap.
    lift, gap = 0.5 * place.pitch - min(4.0, 0.13 * place.pitch), 0.26 * place.pitch
    before = river.opened_block.length if river.opened_block is not None else half.length
    x = np.array([16 + place.label_w, place.box.x + 4, place.box.right - 4, place.box.right + 200], np.float32)
    y = np.array([place.y(row) - lift for row in range(half.n)], np.float32)
    wide = thickness(before, river, min(place.pitch, 31.0, gap / THICKEST))[:, None].repeat(4, axis=1)
    return Lanes(x, y, wide, np.ones(half.n, np.float32), "water")


def _title(place: Inside, name: str, number: str, texts: Sequence[str], told: str) -> list[Mark]:
    """What heads a column: a number, the longest title that ends before the next column, and what is told below.

    Where the number leaves a title no room beside it, the title stands below, in place of what is told.
    """
    x, w = place.steps[name]
    y, room = place.box.y + 14, place.room(name) / _BOLD
    shift = 9.0 * len(number) + 4 if number else 0.0
    made: list[Mark] = [Label(x, y, number, 12, "accent", bold=True)] if number else []
    if beside := fitting(texts, 12, room - shift):
        made.append(Label(x + shift, y, beside, 12, bold=True))
        if about_width(told, 11) <= w + 10:
            made.append(Label(x, y + 17, told, 11, "faint"))
    elif below := fitting(texts, 12, room):
        made.append(Label(x, y + 17, below, 12, bold=True))
    return made


def _steps(river: River, head: OpenedHead, place: Inside, words: Words, colours: Colours) -> list[Mark]:
    made: list[Mark] = []
    masked = "closed" if head.closed is not None else "open"
    across = river.attention.endswith("cross_attn")
    for name, number in (
        ("read", "1"),
        ("qkv", "2·3"),
        ("scores", "4"),
        ("masked", "5·6"),
        ("weights", "7"),
        ("value", ""),
        ("mixed", "8"),
        ("output", "9"),
    ):
        key = "q" if name == "qkv" and across else name  # Keys and values come from the other sentence.
        if name == "read":
            made += _title(place, name, number, *_read_told(head.read_from, words))
            continue
        told = words(f"river.inside.{key}.told") if name != "masked" else words(f"river.inside.masked.{masked}")
        root = f"{head.divisor:.3g}"
        titles = [words(f"river.inside.{key}.title", root=root)]
        if name == "masked":
            titles.append(words("river.inside.masked.short", root=root))
        made += _title(place, name, number, titles, told)
    if head.read is not None:
        made += _strip(head.read, place, "read", colours)
    made += _qkv(head, place, across, colours)
    made += _strip(head.value, place, "value", colours, keys=across)
    made += _value_words(river, place) if across else []
    made += _strip(head.mixed, place, "mixed", colours)
    made += _strip(head.output, place, "output", colours)
    for name, values, scale in (
        ("scores", head.scores, centred_scale(head.scores, colours.signed)),
        ("masked", head.masked, centred_scale(head.masked, colours.signed)),
        ("weights", head.weights, river.scale),
    ):
        made += _map(river, values, head.closed if name != "scores" else None, place, name, scale)
    return made


def _value_words(river: River, place: Inside) -> list[Mark]:
    """The source's words over their values, which stand on no lane."""
    keys, (x, w), pitch = river.half_of(river.attention, "key"), place.steps["value"], place.key_pitch()
    if pitch < 24:
        return []
    above = min(0.55 * pitch, 36.0) / 2 + 4
    return [
        Label(x, place.top + pitch * (row + 0.5) - above, shown_text(label), 10, "faint", room=w)
        for row, label in enumerate(keys.labels)
    ]


def _strip(values: np.ndarray, place: Inside, name: str, colours: Colours, *, keys: bool = False) -> list[Mark]:
    """Vectors as strips on their rows; those of keys of another sentence share the height evenly."""
    x, w = place.steps[name]
    scale = robust_scale(values, colours.signed)  # One or two features are far larger than all others.
    index = indices(columns(values, int(w)), scale)
    pitch = place.key_pitch() if keys else place.pitch
    rows = [
        Cells(_strip_rect(x, w, place.top + pitch * (row + 0.5), pitch), index[row : row + 1], colours.signed)
        for row in range(len(values))
    ]
    return [*rows, Label(x, place.box.y + 48, f"±{scale.high:.2g}", 10, "faint")]


def _strip_rect(x: float, wide: float, middle: float, pitch: float) -> Rect:
    """Where a strip stands in a row with this middle: a little below it, for the lane runs above."""
    high = min(0.55 * pitch, 36.0) if pitch > 10 else pitch
    return Rect(x, middle - high / 2 + (3 if pitch > 10 else 0), wide, high)


def _qkv(head: OpenedHead, place: Inside, across: bool, colours: Colours) -> list[Mark]:
    """Query, key and value of each row, one under the other; of another sentence only the query stands on the row."""
    x, w = place.steps["qkv"]
    reach = max(float(np.abs(values).max()) for values in (head.query, head.key, head.value)) or 1.0
    scale = Scale(-reach, reach, colours.signed)
    made: list[Mark] = [Label(x, place.box.y + 48, f"±{reach:.2g}", 10, "faint")]
    names = ("q",) if across else ("q", "k", "v")
    arrays = [head.query] if across else [head.query, head.key, head.value]
    room = 0.62 * place.pitch
    each = room / len(arrays)
    for which, (name, values) in enumerate(zip(names, arrays, strict=True)):
        index = indices(columns(values, int(w) - 10), scale)
        for row in range(place.n):
            y = place.y(row) - room / 2 + each * which + 3
            made.append(Cells(Rect(x + 10, y, w - 10, max(each - 2, 1.0)), index[row : row + 1], colours.signed))
            if each >= 11:
                made.append(Label(x, y + each / 2 - 1, name, 10, "faint"))
    return made


def _map(river: River, values: np.ndarray, closed: np.ndarray | None, place: Inside, name: str, scale: Scale) -> list[Mark]:
    field = place.cells(name)
    index = indices(values, scale, closed)
    n, n_keys = values.shape
    wide, pitch = field.wide / n_keys, place.pitch
    made: list[Mark] = []
    if pitch < 14:
        made.append(Cells(field, index, scale.colours))
    else:
        high = round(0.74 * pitch)
        for row in range(n):
            rect = Rect(field.x, round(place.y(row) - high / 2 + 4), field.wide, high)
            made.append(Cells(rect, with_gaps(index[row : row + 1], high, round(field.wide)), scale.colours))
            made += hatches(index[row : row + 1], rect)
            if n_keys <= _FEW and wide >= 24 and high >= 14:
                made += _row_numbers(values[row], index[row], rect, wide, scale, weights=name == "weights")
    keys = river.half_of(river.attention, "key")
    px, room, named = fitted_columns(keys.labels, wide, 11, max(wide - 2, _KEY_PX))
    for key in named:
        label = shown_text(keys.labels[key])
        made.append(Label(field.x + wide * (key + 0.5), place.top - 6, label, px, "faint", align="middle", room=room))
    return made


def _row_numbers(values: np.ndarray, index: np.ndarray, rect: Rect, wide: float, scale: Scale, *, weights: bool) -> list[Mark]:
    made: list[Mark] = []
    for key, value in enumerate(values.tolist()):
        if index[key] < LEVELS and math.isfinite(value):
            colour = "on_dark" if is_dark(int(index[key]), scale.colours) else "on_light"
            text = f"{value:.2f}" if weights or abs(value) < 10 else f"{value:.1f}"
            px = 10.0 if wide < 32 else 11.0 if wide < 40 else 13.0
            x, y = rect.x + wide * (key + 0.5), rect.y + rect.high / 2
            bold = weights and value >= 0.1
            made.append(Label(x, y, text.replace("-", "−"), px, colour, bold, "middle"))
    return made


def _read_told(read_from: str, words: Words) -> tuple[list[str], str]:
    """Titles of the strip of what a block reads, and what it is: what a norm gives out has its gain and bias in it."""
    title = "input" if read_from == "stream" else "norm"
    return [words(f"river.inside.read.{title}")], words(f"river.inside.read.{read_from}")


def _network_told(net: OpenedNetwork, name: str, count: int, words: Words) -> tuple[list[str], str]:
    """Titles of a strip of the network, the longest first, and what it is."""
    if name == "read":
        return _read_told(net.read_from, words)
    activation = words(f"choice.activation.{net.activation}") if net.activation in ("relu", "gelu") else net.activation
    titles = [words(f"river.inside.network.{name}.title", activation=activation, count=count)]
    if name == "activated":
        return titles, words.or_other(f"river.inside.network.activated.told.{net.activation}")
    if name in ("hidden", "output"):
        titles.append(words(f"river.inside.network.{name}.short"))
    return titles, words(f"river.inside.network.{name}.told")


def _network(river: River, net: OpenedNetwork, place: Inside, words: Words, colours: Colours) -> list[Mark]:
    made: list[Mark] = []
    for name, number in (("read", "1"), ("hidden", "2"), ("activated", "3"), ("output", "4")):
        values = getattr(net, name)
        if values is None:
            continue
        titles, told = _network_told(net, name, values.shape[1], words)
        made += _title(place, name, number, titles, told)
        made += _strip(values, place, name, colours)
    return [*made, *_zeros(net, place, words)]


def _zeros(net: OpenedNetwork, place: Inside, words: Words) -> list[Mark]:
    """Below each strip how many units are not above 0; between thin lanes, where this would lie on the strips, of all tokens
    together.
    """
    x, w = place.steps["activated"]
    dead = (net.activated <= 0).mean(axis=1)  # [position]
    said = f"river.inside.network.zero.{net.activation}"
    below = [_strip_rect(x, w, place.y(row), place.pitch).bottom + _ZEROS_BELOW_PX for row in range(len(dead))]
    rows = list(zip(below, dead.tolist(), strict=True))
    if place.pitch < _ZEROS_PX:
        rows = [(place.box.y + 48, float(dead.mean()))]
    return [Label(x + w, y, words.or_other(said, share=f"{100 * share:.0f}%"), 10, "faint", align="right") for y, share in rows]


def draw_inside_over(
    river: River, place: Inside, words: Words, colours: Colours, pointing: Pointing, *, closes: bool = True
) -> Drawn:
    """What follows the mouse: the row and the cell, what the row mixes, how the cell comes about, and the sentence; and how it
    is closed, where it `closes`.
    """
    scene: list[Mark] = []
    hot: tuple[Answering, ...] = ()
    if isinstance(river.opened, OpenedHead):
        query = pointing.pair[0] if pointing.pair is not None else river.query
        key = pointing.pair[1] if pointing.pair is not None else best_key(river, query)
        scene += _row(river, river.opened, place, query, key)
        cell = draw_cell(river, river.opened, place, words, colours, (query, key))
        scene += cell.scene
        hot = cell.hot
    scene += explained(river, words, place.explanation, pointing, narrow=place.explanation.high < 40)
    sentence = next(item for item in scene if isinstance(item, AccentedLine))
    left = place.explanation.wide - about_width(sentence.text, sentence.px) - 60
    back = fitting([words("river.inside.back"), words("river.inside.back_short")], 12, left)
    if back and closes:
        y = place.explanation.y + place.explanation.high / 2
        scene.append(Label(place.explanation.right - 16, y, back, 12, "faint", align="right"))
    return Drawn(tuple(scene), hot)


def _row(river: River, head: OpenedHead, place: Inside, query: int, key: int) -> list[Mark]:
    y = place.y(query)
    high = 0.74 * place.pitch if place.pitch >= 14 else place.pitch
    shift = 4 if place.pitch >= 14 else 0
    made: list[Mark] = [
        Label(
            16,
            y,
            _row_name(river, query, text_px(place.pitch, False), place.label_w - 6),
            text_px(place.pitch, False),
            "accent",
            place.pitch >= 18,
            room=place.label_w - 6,
        )
    ]
    for name in ("scores", "masked", "weights"):
        field = place.cells(name)
        wide = field.wide / place.n_keys
        made.append(Box(Rect(field.x - 2, y - high / 2 + shift - 2, field.wide + 4, high + 4), "", "accent", 1, 2))
        made.append(Box(Rect(field.x + wide * key - 1, y - high / 2 + shift - 1, wide + 2, high + 2), "", "accent", 0, 1.5))
    made += _fan(river, head, place, query)
    return made


def _fan(river: River, head: OpenedHead, place: Inside, query: int) -> list[Mark]:
    """From each value to the row that it is mixed into, as thick as its weight."""
    across = river.attention.endswith("cross_attn")
    x0 = sum(place.steps["value"]) + 2
    x1 = place.steps["mixed"][0] - 3
    pitch = place.key_pitch() if across else place.pitch
    t = np.linspace(0, 1, 24, dtype=np.float32)
    s = t * t * (3 - 2 * t)
    weights = np.nan_to_num(head.weights[query])
    keys = np.flatnonzero(weights >= 0.01)
    w = weights[keys]
    y0 = (place.top + pitch * (keys + 0.5) + 3)[:, None]  # [key, 1]
    y = y0 + s * (place.y(query) + 3 - y0)
    return [Curves(x0 + t * (x1 - x0), y.astype(np.float32), np.maximum(1.0, 12 * w), 0.35 + 0.5 * w, "accent")]
