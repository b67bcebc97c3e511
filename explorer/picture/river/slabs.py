"""The layers of a half: lanes that run through them, bands between lanes, feed-forward tiles, and a thumbnail of each head."""

import math
from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from explorer.picture.marks import Bands, Box, Cells, Lanes, Mark, Px, Rect
from explorer.picture.river.grid import HalfGrid, RiverGrid, Slab, Zone
from explorer.picture.river.kept import KeptMarks, Same
from explorer.picture.river.pixels import sheet, stretched
from explorer.picture.river.place import Place
from explorer.picture.river.river import Half, River, RiverBlock
from explorer.picture.river.scene import Answering, Drawn, Hot
from explorer.picture.scales import GAP, Scale, indices
from explorer.trace.arrays import Array
from explorer.trace.measures.measures import entropy_bits

THICKEST = 0.4  # of a lane's pitch
_FEW = 14  # lanes up to which weights from _LEAST are drawn
_LEAST, _LEAST_OF_MANY = 0.05, 0.12
MOST_BANDS = 4000
_LEAST_PILLAR = 12.0  # px of a folded layer in which bands can be seen
_TILE_PX = 3.0
USUAL_SHARE = 0.998  # The scale of tiles ends at this share of the units.
_SAMPLE, _NEARLY = 4096, 0.99  # the numbers of a sample, and the share of it that is surely before that place
_FRAME = 45  # the colour index of a tile's frame: a light one


def draw_slabs(river: River, half: Half, place: HalfGrid, colours: str, kept: KeptMarks) -> Drawn:
    """Feed-forward tiles and thumbnails of one half. Their boxes are part of the ground, lanes and bands come from `lanes` and
    `bands`."""
    scene: list[Mark] = []
    hot: list[Answering] = []
    for slab, blocks in zip(place.slabs, half.layers, strict=True):
        if slab.folded:
            if slab.wide < _LEAST_PILLAR:
                scene += _pillar(blocks, slab, place, colours)
            continue
        for zone, block in zip(slab.zones, blocks, strict=True):
            if block.hidden is not None:
                scene += kept.of(("tiles", block, zone, place), partial(_tiles, block.hidden, zone, place))
        for attention, room in slab.heads:
            drawn = thumbnails(river, next(each for each in blocks if each.attention == attention), room, colours, kept)
            scene += drawn.scene
            hot += drawn.hot
    return Drawn(tuple(scene), tuple(hot))


def thickness(length: Array, river: River, pitch: float) -> Px:
    """px of a lane whose vector has this length; one factor for the whole river, so that lanes can be compared.

    A vector that is no number, as behind a row without a softmax, has the thinnest lane.
    """
    most = min(THICKEST * pitch, 13.0)
    widths: Px = np.asarray(length, np.float32) * np.float32(most / river.longest)
    np.nan_to_num(widths, copy=False, nan=0.0)
    np.maximum(widths, min(1.0, 0.6 * pitch), out=widths)
    np.minimum(widths, most, out=widths)
    return widths


def lanes(river: River, half: Half, place: HalfGrid, kept: KeptMarks) -> Lanes:
    """The residual stream of every token of a half, from what goes in to what comes out."""
    # A half with another block that is looked at has the same lengths, and these are one object.
    key = "lanes", Same(half.length), Same(half.last), place, river.longest, half is river.halves[-1], river.step_lane
    return kept.of(key, partial(_lanes, river, half, place))


def _lanes(river: River, half: Half, place: HalfGrid) -> Lanes:
    x, lengths = [place.start], [half.length]
    before = half.length
    for slab, blocks in zip(place.slabs, half.layers, strict=True):
        if slab.folded:
            x += [slab.x, slab.x + slab.wide]
            lengths += [before, blocks[-1].length]
        for zone, block in zip(slab.zones, blocks, strict=False):
            x += [zone.x, zone.x + zone.wide]
            lengths += [before if block is blocks[0] else lengths[-1], block.length]
        before = blocks[-1].length
    last = place.slabs[-1]
    right = last.x + last.wide
    x += [right, min(right + 14, max(place.end, right + 2) - 1)]
    lengths += [before, half.last]
    x.append(max(place.end, x[-1] + 1))
    lengths.append(half.last)
    widths = thickness(np.array(lengths).T, river, place.pitch)  # [lane, point]
    y = (place.top + place.pitch * (np.arange(half.n) + 0.5)).astype(np.float32)
    opacity = np.ones(half.n, np.float32)
    if half is river.halves[-1] and half.side == "decoder":
        opacity[river.step_lane + 1 :] = 0.55
    return Lanes(np.array(x, np.float32), y, widths, opacity, "water")


def bands(river: River, half: Half, place: HalfGrid, grid: RiverGrid, kept: KeptMarks) -> list[Bands]:
    """The weights of every open block of a half as bands between lanes, faint first."""
    beyond = river.halves[-1].side, river.step_lane  # The step's lane is asked for where the last half is a decoder.
    return [
        kept.of(("bands", block, zone, grid, beyond), partial(block_bands, river, block, zone, grid))
        for zone, block in open_zones(half, place)
    ]


def open_zones(half: Half, place: HalfGrid) -> Iterator[tuple[Zone, RiverBlock]]:
    """The columns that have room for bands, each with its attention."""
    for slab, blocks in zip(place.slabs, half.layers, strict=True):
        zones = slab.zones if not slab.folded else _pillar_zones(slab, blocks)
        for zone, block in zip(zones, blocks, strict=False):
            if block.drawn is not None:
                yield zone, block


def _pillar_zones(slab: Slab, blocks: tuple[RiverBlock, ...]) -> tuple[Zone, ...]:
    """The columns of a folded layer's attentions: all of its width where that is enough for bands, else none."""
    if slab.wide < _LEAST_PILLAR:
        return ()
    return tuple(Zone(block.part, slab.x + 1, slab.wide - 3) for block in blocks if block.attends)


def least_weight(block: RiverBlock) -> float:
    """The weight from which a band is drawn: 0.05 between few lanes, more between many."""
    assert block.drawn is not None  # The caller has checked.
    n = block.drawn.shape[1]
    if n <= _FEW:
        return _LEAST
    return _LEAST_OF_MANY if block.part == "cross_attn" else max(1.5 / n, 0.02)


def block_bands(river: River, block: RiverBlock, zone: Zone, grid: RiverGrid, rows: NDArray[np.bool_] | None = None) -> Bands:
    """The bands of one block; with `rows` [query, key] those alone, in the accent's colour."""
    assert block.drawn is not None  # The caller has checked.
    weights = block.drawn
    focus = block.attention == river.attention and block.layer == river.layer
    across = block.part == "cross_attn"
    queries, keys = grid.half(block.attention.partition(".")[0]), grid.halves[0] if across else None
    keys = keys or queries
    seen = weights >= least_weight(block)  # Closed cells are not: NaN is never more than a number.
    if not across:
        seen.ravel()[:: seen.shape[1] + 1] = False  # The diagonal: the lane itself says it.
    if rows is not None:
        seen &= rows
    elif seen.size > MOST_BANDS and seen.sum() > MOST_BANDS:
        seen &= weights >= np.partition(weights[seen], -MOST_BANDS)[-MOST_BANDS]
    query, key = np.nonzero(seen)
    w = weights[query, key]
    order = np.argsort(w, kind="stable")
    query, key, w = query[order], key[order], w[order]
    y0 = (keys.top + keys.pitch * (key + 0.5)).astype(np.float32)
    y1 = (queries.top + queries.pitch * (query + 0.5)).astype(np.float32)
    return _styled(river, block, zone, grid, (query, y0, y1, w), focus=focus, accent=rows is not None)


def _styled(
    river: River,
    block: RiverBlock,
    zone: Zone,
    grid: RiverGrid,
    ends: tuple[NDArray[np.intp], Px, Px, Array],
    *,
    focus: bool,
    accent: bool,
) -> Bands:
    query, y0, y1, w = ends
    pitch = min(half.pitch for half in grid.halves)
    across = block.part == "cross_attn"
    # width = max(0.8, w · widest)
    widest = min(13.0, max(0.5 * pitch, 7.0)) if focus else min(max(0.3 * pitch, 3.0), 6.0)
    width = np.maximum(0.8 if not accent else 1.2, w * widest)
    if accent:
        opacity = 0.45 + 0.55 * w
    else:
        opacity = (0.11 + 0.55 * w) * (1.0 if focus else 0.6)
        if block.attention.startswith("decoder") and river.halves[-1].side == "decoder":
            opacity = np.where(query <= river.step_lane, opacity, 0.4 * opacity)
    lead = (22.0 if focus else 30.0) if across else 0.0
    return Bands(
        left=zone.x - lead,
        right=zone.x + zone.wide,
        y0=y0,
        y1=y1,
        width=width.astype(np.float32),
        opacity=opacity.astype(np.float32),
        colour="accent" if accent else "band",
        bend=(0.68, 0.5) if across else (0.5, 0.5),
        fade=14.0 if across else 7.0,
    )


def _tiles(hidden: Array, zone: Zone, place: HalfGrid) -> list[Mark]:
    """A tile of the activated units above each lane: rows and columns of maxima; it hangs above, for the stream runs on."""
    pitch = place.pitch
    wide = zone.wide - 10
    if wide < 6:
        return []
    top = usual_top(hidden) or float(hidden.max(initial=0)) or 1.0
    if pitch >= 16:
        rows, high = max(1, round(0.42 * pitch / _TILE_PX)), float(round(0.42 * pitch))
    else:
        rows, high = 1, max(1.0, 0.7 * pitch)
    across = max(1, int(wide / _TILE_PX))
    count = rows * across
    edges = (np.arange(count) * hidden.shape[1]) // count
    units = hidden if hidden.shape[1] < count else np.maximum.reduceat(hidden, edges, axis=1)
    if units.shape[1] < count:
        rows, across = 1, units.shape[1]
    cells = units[:, : rows * across].reshape(-1, rows, across)  # [lane, row, column]
    index = indices(cells, Scale(0.0, top, "tiles"))
    if pitch < 16:
        return [Cells(Rect(zone.x + 5, place.top, wide, pitch * place.n), index[:, 0], "tiles")]
    return [_hanging(index, Rect(zone.x + 5, place.top, wide, pitch * place.n), round(high))]


def usual_top(magnitudes: Array) -> float:
    """The number from which the scale of tiles ends: the one at that share of all, in their order; 0 if it is not above 0.

    Most units of a ReLU are at 0; they are left out, because np.partition takes ten times as long as a sort where so many are
    alike. Of many numbers only those are put in order that are no less than nearly all of a sample: a twelfth of the time.
    """
    n_beyond = magnitudes.size - int(USUAL_SHARE * (magnitudes.size - 1))  # the number and all that are larger
    above = magnitudes[magnitudes > _nearly(magnitudes)]
    if above.size < n_beyond:  # The sample was not like the rest.
        above = magnitudes[magnitudes > 0]
    place = above.size - n_beyond
    return float(np.partition(above, place)[place]) if place >= 0 else 0.0


def _nearly(magnitudes: Array) -> float:
    """A number that is probably less than the usual one, and more than most; 0 where there are few."""
    if magnitudes.size < 4 * _SAMPLE:
        return 0.0
    sample = np.sort(magnitudes.ravel()[:: magnitudes.size // _SAMPLE])
    return float(sample[int(_NEARLY * len(sample))])


def _hanging(tiles: NDArray[np.uint8], rect: Rect, high: int) -> Cells:
    """Tiles [lane, row, column] in frames that hang above their lanes on two legs, as one image."""
    n = len(tiles)
    pitch, wide = round(rect.high / n), round(rect.wide)
    made = np.full((n, pitch, wide + 2), GAP, np.uint8)
    made[:, 1 : high + 3] = _FRAME
    made[:, 2 : high + 2, 1:-1] = stretched(tiles, high, wide)
    made[:, high + 3 : pitch // 2, 0] = made[:, high + 3 : pitch // 2, -1] = _FRAME
    return Cells(Rect(round(rect.x) - 1, rect.y, wide + 2, pitch * n), made.reshape(n * pitch, wide + 2), "tiles")


def thumbnails(river: River, block: RiverBlock, room: Rect, colours: str, kept: KeptMarks | None = None) -> Drawn:
    """A thumbnail of each head's weights in a field; heads wrap to rows. Of a long text they show the whole map."""
    weights = block.weights if block.weights is not None else block.blocks
    if weights is None:
        return Drawn(())
    n_heads = len(weights)
    places, hot = _head_places(n_heads, room, block.attention, block.layer)
    if not places:
        return Drawn(())
    key = "thumbnails", Same(weights), room, river.scale, colours
    scene: list[Mark] = [(kept or KeptMarks()).of(key, partial(_sheet, block, weights, room, river.scale, colours, places))]
    if (block.attention, block.layer) == (river.attention, river.layer) and river.head is not None:
        scene.append(Box(places[min(river.head, n_heads - 1)].grown(2), "", "accent", radius=1, width=2))
    return Drawn(tuple(scene), hot)


def _sheet(block: RiverBlock, weights: Array, room: Rect, scale: Scale, colours: str, places: tuple[Rect, ...]) -> Cells:
    shut = None if block.closed is None or block.weights is None else block.closed
    high, wide = round(places[0].high), round(places[0].wide)
    if high * wide < weights.shape[-2] * weights.shape[-1]:  # Only the cells that have a pixel get a colour.
        weights, shut = stretched(weights, high, wide), None if shut is None else stretched(shut, high, wide)
    return Cells(*sheet(indices(weights, scale, shut), places, room), colours)


@lru_cache(maxsize=64)  # see `River.focus`
def _head_places(n_heads: int, room: Rect, attention: str, layer: int) -> tuple[tuple[Rect, ...], tuple[Hot, ...]]:
    """Where the thumbnails of a block's heads stand in a field, in whole pixels, and what answers there; none without room."""
    across = best_columns(n_heads, room.wide, room.high)
    down = -(-n_heads // across)
    gap = 4.0 if room.wide / across > 18 else 2.0
    wide, high = (room.wide - gap * (across - 1)) / across, (room.high - gap * (down - 1)) / down
    if wide < 3 or high < 3:
        return (), ()
    places = tuple(
        Rect(
            math.floor(room.x + (head % across) * (wide + gap)),
            math.floor(room.y + (head // across) * (high + gap)),
            math.floor(wide),
            math.floor(high),
        )
        for head in range(n_heads)
    )
    return places, tuple(
        Hot(rect, Place("head", attention=attention, layer=layer, head=head)) for head, rect in enumerate(places)
    )


def best_columns(n: int, width: float, height: float) -> int:
    """Into how many columns `n` thumbnails go: no place stays empty, and the smaller side of each is as large as it can be."""

    def smaller(across: int) -> float:
        down = -(-n // across)
        wide, high = width / across, height / down
        waste = across * down - n
        return (min(wide, high) + 0.1 * max(wide, high)) * (0.8 if waste else 1.0)

    return max(range(1, n + 1), key=smaller)


def _pillar(blocks: tuple[RiverBlock, ...], slab: Slab, place: HalfGrid, colours: str) -> list[Mark]:
    """A folded layer: for each lane how widely its mean attention is spread (entropy over its largest), as one cell."""
    block = next((each for each in blocks if each.drawn is not None), None)
    if block is None or block.drawn is None:
        return []
    n = block.drawn.shape[1]
    share = entropy_bits(np.nan_to_num(block.drawn)) / max(math.log2(max(n, 2)), 1e-9)  # [query]
    index = indices(share.astype(np.float32)[:, None], Scale(0.0, 1.0, "tiles"))
    w = max(1.0, slab.wide - 5)
    return [Cells(Rect(slab.x + 2, place.top, w, place.pitch * place.n), index, "tiles", opacity=0.8)]
