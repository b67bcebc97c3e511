"""The head that is looked at: its map, whose rows lie on the lanes of the words that it writes, and all heads of its block."""

import math

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_numbers import FAINTER, has_room, is_dark, is_small
from explorer.picture.kinds import Axis, Heatmap
from explorer.picture.layout.cells import VisibleArea, part
from explorer.picture.marks import Box, Cells, Label, Mark, Rect
from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.pixels import hatches, sheet, with_gaps
from explorer.picture.river.place import Place
from explorer.picture.river.river import River, RiverBlock
from explorer.picture.river.scene import Drawn, Hot, about_width, fitting
from explorer.picture.river.slabs import best_columns
from explorer.picture.river.strips import fitted_columns, labelled, shown_text, smaller
from explorer.picture.scales import LEVELS, indices

_POOL_PX, _POOL_HIGH, _POOL_GAP = 11.0, 16.0, 3.0  # px, of the two buttons beside the heads
_CELL = (76.0, 44.0)  # px of a cell at most
_LABEL_W = 78.0
_WEIGHT_PX = 22.0  # the width of a thumbnail below which its weight has room


def map_rect(river: River, grid: RiverGrid) -> Rect:
    """The cells of the focus map, without labels."""
    assert river.map is not None  # The caller has checked.
    n_rows, n_columns = _lanes(river)
    label_w = _label_w(river, grid)
    top = grid.map.y + (40 if grid.narrow else 46)
    wide, high = grid.map.right - grid.map.x - label_w, grid.map.bottom - top
    cell_w = min(wide / n_columns, _CELL[0] * max(1.0, grid.width / 1200))
    if grid.map_rows_on_lanes:
        cell_h = grid.half(river.attention.partition(".")[0]).pitch
    else:
        cell_h = min(high / n_rows, _CELL[1] * max(1.0, grid.height / 900), max(cell_w, 18.0))
    cell_w = math.floor(cell_w) if cell_w > 6 else cell_w
    return Rect(grid.map.x + label_w, top, cell_w * n_columns, cell_h * n_rows)


def _label_w(river: River, grid: RiverGrid) -> float:
    """The room of the rows' labels (px); words are longer than tokens."""
    if not grid.narrow:
        return _LABEL_W
    return 60.0 if river.halves[0].single else 72.0


def _lanes(river: River) -> tuple[int, int]:
    return river.half_of(river.attention, "query").n, river.half_of(river.attention, "key").n


def draw_focus(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """Title, map, labels, and the row of all heads."""
    if river.map is None or grid.map.high < 60 or grid.map.wide < 100:
        return Drawn(())
    rect = map_rect(river, grid)
    scene: list[Mark] = [_title(river, grid, rect, words)]
    scene += _cells(attrs.evolve(river.map, scale=river.scale), rect)
    scene += _row_labels(river, grid, rect)
    scene += _column_labels(river, grid, rect)
    hot = [Hot(rect, Place("map", attention=river.attention, layer=river.layer))]
    return Drawn(tuple(scene), tuple(hot))


def _title(river: River, grid: RiverGrid, rect: Rect, words: Words) -> Label:
    px = 12 if grid.narrow else 13
    which = [words(f"river.which{form}.{river.pooled or 'head'}", head=river.head) for form in ("", "_short")]
    keys = (f"river.map.{river.attention}", f"river.map.{river.attention}.short")
    names = [words(key, layer=river.layer, which=told) for key, told in zip(keys, which, strict=True)]
    name = fitting(names, 1.08 * px, grid.map.wide) or names[-1]
    return Label(grid.map.x, rect.y - (34 if grid.narrow else 38), name, px, bold=True)


def _cells(picture: Heatmap, rect: Rect) -> list[Mark]:
    n_rows, n_columns = picture.values.shape[-2:]
    if picture.levels is not None:
        n_rows, n_columns = picture.levels.shape
        view = VisibleArea(0, 0, n_columns, n_rows, rect.wide, rect.high)
        made = part(picture.levels, picture.scale, view)
        return [Cells(rect, made.index, picture.scale.colours)]
    index = indices(picture.values, picture.scale, picture.closed)
    wide, high = rect.wide / n_columns, rect.high / n_rows
    if min(wide, high) < 6:
        return [Cells(rect, index, picture.scale.colours)]
    scene: list[Mark] = [Cells(rect, with_gaps(index, round(rect.high), round(rect.wide)), picture.scale.colours)]
    scene += hatches(index, rect)
    if has_room(wide, high):
        scene += _numbers(picture, index, rect)
    return scene


def _numbers(picture: Heatmap, index: np.ndarray, rect: Rect) -> list[Mark]:
    n_rows, n_columns = picture.values.shape
    wide, high = rect.wide / n_columns, rect.high / n_rows
    made: list[Mark] = []
    for row in range(n_rows):
        for column in range(n_columns):
            value = float(picture.values[row, column])
            if index[row, column] < LEVELS and math.isfinite(value):
                colour = "on_dark" if is_dark(int(index[row, column]), picture.scale.colours) else "on_light"
                opacity = FAINTER if is_small(value, picture.scale) else 1.0
                x, y = rect.x + (column + 0.5) * wide, rect.y + (row + 0.5) * high
                made.append(
                    Label(x, y, f"{value:.2f}", 13 if high >= 24 else 11, colour, value >= 0.1, "middle", opacity=opacity)
                )
    return made


def row_names(river: River) -> tuple[tuple[str, ...], str, int]:
    """The labels of the map's rows, the sentence they belong to, and by how many tokens they are ahead of their lanes."""
    half = river.half_of(river.attention, "query")
    axis: Axis = river.map.rows if river.map is not None else Axis("")
    ahead = axis.shift - half.first  # The rows of an excerpt begin with its first token.
    if half.side == "decoder" and river.map is not None and ahead:
        return tuple(shown_text(label) for label in river.written.labels), half.tokens, ahead
    return tuple(shown_text(label) for label in half.labels), half.tokens, 0


def _row_labels(river: River, grid: RiverGrid, rect: Rect) -> list[Mark]:
    names, _side, _shift = row_names(river)
    pitch = rect.high / len(names)
    kept = labelled(len(names), pitch, (river.query,), tuple(map(len, names)))
    px = 13 if pitch >= 18 else 11
    room = rect.x - grid.map.x - 8
    return [
        Label(rect.x - 8, rect.y + pitch * (row + 0.5), names[row], smaller(names[row], px, room), align="right", room=room)
        for row in kept
    ]


def _column_labels(river: River, grid: RiverGrid, rect: Rect) -> list[Mark]:
    half = river.half_of(river.attention, "key")
    wide = rect.wide / half.n
    px, room, named = columns_of(river, grid, rect)
    return [
        Label(rect.x + wide * (key + 0.5), rect.y - 14, shown_text(half.labels[key]), px, align="middle", room=room)
        for key in named
    ]


def columns_of(river: River, grid: RiverGrid, rect: Rect) -> tuple[float, float, tuple[int, ...]]:
    """Size and room (px) of the labels above the map's cells, and the columns that have one."""
    half = river.half_of(river.attention, "key")
    wide = rect.wide / half.n
    return fitted_columns(half.labels, wide, 14 if wide > 44 and not grid.narrow else 11, max(wide - 2, 34.0))


def draw_heads(river: River, grid: RiverGrid, words: Words, pair: tuple[int, int]) -> Drawn:
    """All heads of the block that is looked at, with the weight of one pair in each."""
    block = river.focus
    if block is None or block.weights is None or grid.heads.high < 30 or river.map is None:
        return Drawn(())
    cells = map_rect(river, grid)
    n_heads = len(block.weights)
    text_h = 32.0 if not grid.narrow and grid.heads.high > 60 else 16.0
    left = grid.map.x + _label_w(river, grid)
    room = Rect(left, grid.heads.y, max(cells.wide, grid.heads.right - left if n_heads > 8 else cells.wide), grid.heads.high)
    across = n_heads if room.wide / n_heads >= 26 else best_columns(n_heads, room.wide, room.high)
    down = -(-n_heads // across)
    if down > 1:
        text_h = 0.0
    gap = 8.0 if across <= 8 else 4.0
    wide = (room.wide - gap * (across - 1)) / across
    high = min((room.high - gap * (down - 1)) / down - text_h, 1.6 * wide)
    if wide < 4 or high < 4:
        return Drawn(())
    scale = river.scale
    closed = None if block.closed is None else np.broadcast_to(block.closed, block.weights.shape)
    index = indices(block.weights, scale, closed)
    scene: list[Mark] = [Label(grid.heads.x, room.y + 6, words("river.heads", count=n_heads), 11, "faint")]
    has_weights = text_h > 20 and wide >= _WEIGHT_PX
    if has_weights:
        scene.append(
            Label(left - 8, room.y + high + 25, _pair_name(river, pair, left - grid.map.x - 8), 11, "faint", align="right")
        )
    places = []
    for head in range(n_heads):
        x, y = room.x + (head % across) * (wide + gap), room.y + (head // across) * (high + gap)
        places.append(Rect(round(x), round(y), round(wide), round(high)))
        on = head == river.head
        if text_h:
            scene.append(Label(x + wide / 2, y + high + 10, str(head), 11, "accent" if on else "faint", on, "middle"))
        if has_weights:
            value = float(block.weights[head][pair])
            told = "–" if math.isnan(value) else f"{100 * value:.0f}%"
            scene.append(Label(x + wide / 2, y + high + 25, told, 11, "accent" if on else "text", on, "middle"))
    scene.append(Cells(*sheet(index, tuple(places), room), scale.colours))
    if river.head is not None:
        scene.append(Box(places[min(river.head, n_heads - 1)].grown(3), "", "accent", radius=2, width=2))
    hot = [Hot(rect, Place("head", attention=river.attention, layer=river.layer, head=h)) for h, rect in enumerate(places)]
    switch = pool_switch(river, Rect(grid.heads.x, room.y + 16, left - grid.heads.x - 12, high), words)
    return Drawn((*scene, *switch.scene), (*hot, *switch.hot))


def _pair_name(river: River, pair: tuple[int, int], room: float) -> str:
    """Query and key of a pair, or the key alone where both have no room."""
    names, _side, _shift = row_names(river)
    key = shown_text(river.half_of(river.attention, "key").labels[pair[1]])
    return fitting([f"{names[pair[0]]}→{key}", f"→{key}"], 11, room)


def best_key(river: River, query: int) -> int:
    """The lane that a query of the focus looks at most."""
    assert river.focus is not None and river.focus.drawn is not None  # Callers have a focus.
    return int(np.nan_to_num(river.focus.drawn[query], nan=-1.0).argmax())


def masked_block(river: River) -> tuple[int, RiverBlock | None]:
    """The decoder's layer whose mask is shown beside an encoder, and its self-attention; None where there is none to show."""
    half = river.target
    if half is None or len(river.halves) == 1:
        return 0, None
    layer = river.layer if river.attention.startswith("decoder") else 0
    block = next((each for each in half.layers[layer] if each.part == "self_attn"), None)
    return layer, block if block is not None and block.weights is not None else None


def draw_mask(river: River, grid: RiverGrid, words: Words, colours: str) -> Drawn:
    """The self-attention of the layer that is looked at, mean of its heads: what the causal mask leaves open."""
    half, (layer, block) = river.target, masked_block(river)
    if half is None or block is None or block.weights is None or grid.mask.wide < 100 or grid.mask.high < 60:
        return Drawn(())
    mean = block.weights.mean(axis=0)  # [query, key]
    size = min(grid.mask.high - 4, 0.42 * grid.mask.wide, 150.0)
    cell = size / half.n
    cell = math.floor(cell) if cell > 2 else cell
    rect = Rect(grid.mask.x, grid.mask.y, cell * half.n, cell * half.n)
    index = indices(mean, river.scale, block.closed)
    scene: list[Mark] = [Cells(rect, index, colours)]
    if cell >= 4:
        scene += hatches(index, rect)
    x = rect.right + 10
    key = "river.mask.closed" if block.closed is not None else "river.mask.open"
    which = words("river.mask.which", layer=layer, heads=len(block.weights))
    lines = [words("river.mask.title"), which, *words(key).split("\n")]
    if all(about_width(line, 11) <= grid.mask.right - x for line in lines):
        for place, line in enumerate(lines):
            scene.append(Label(x, rect.y + 8 + 16 * place, line, 11, "faint" if place else "text"))
    return Drawn(tuple(scene), (Hot(rect, Place("block", attention=block.attention, layer=layer)),))


def pool_switch(river: River, room: Rect, words: Words) -> Drawn:
    """Two buttons: the mean or the maximum of all heads in place of one. The one that is on gives the chosen head back.

    Without room there are none.
    """
    texts = {key: words(f"river.pools.{key}") for key in river.pools}
    wide = max((about_width(text, _POOL_PX) + 14 for text in texts.values()), default=0.0)
    if not texts or wide > room.wide or len(texts) * (_POOL_HIGH + _POOL_GAP) > room.high:
        return Drawn(())
    scene: list[Mark] = []
    hot: list[Hot] = []
    for place, (key, text) in enumerate(texts.items()):
        rect, on = Rect(room.x, room.y + place * (_POOL_HIGH + _POOL_GAP), wide, _POOL_HIGH), key == river.pooled
        scene.append(Box(rect, "accent" if on else "card", "" if on else "hairline", radius=3))
        scene.append(Label(rect.x + wide / 2, rect.y + 8, text, _POOL_PX, "on_accent" if on else "text", on, "middle"))
        hot.append(Hot(rect, Place("pool", side=key, attention=river.attention, layer=river.layer)))
    return Drawn(tuple(scene), tuple(hot))
