"""What stands out: the lanes and bands of whatever is pointed at, and a sentence about it.

While nothing is pointed at, that is the chosen step with the token that it looks at most.
"""

from functools import partial

import numpy as np

from explorer.lang import Words
from explorer.picture.marks import AccentedLine, Box, Label, Lanes, Mark, Rect
from explorer.picture.river.contributions import block_parts, chip_y, part_chips
from explorer.picture.river.focus import columns_of, map_rect, row_names
from explorer.picture.river.grid import LEAST_LABEL_PX, HalfGrid, RiverGrid, Zone
from explorer.picture.river.kept import KeptMarks, Same
from explorer.picture.river.pointing import Pointing
from explorer.picture.river.river import Half, River, RiverBlock
from explorer.picture.river.scene import Drawn, about_width
from explorer.picture.river.slabs import block_bands, lanes, thumbnails
from explorer.picture.river.strips import lane_label, shown_text, smaller, text_px
from explorer.picture.river.tell import tell

_CHIP = 0.1  # the weight from which a band gets its per cent
_CHIP_W, _CHIP_H = 36.0, 17.0


def draw_accent(river: River, grid: RiverGrid, words: Words, pointing: Pointing, kept: KeptMarks) -> Drawn:
    """Lanes, bands, labels, chips, rows of the map, and the explanation; of a head that is pointed at all its bands."""
    if pointing.place is not None and pointing.place.kind == "head":
        return _head(river, grid, words, pointing)
    scene: list[Mark] = []
    for half, place in zip(river.halves, grid.halves, strict=True):
        scene += _lanes(river, half, place, pointing.of(half), kept)
    chips: list[Mark] = []
    for half, place in zip(river.halves, grid.halves, strict=True):
        for slab, blocks in zip(place.slabs, half.layers, strict=True):
            for zone, block in zip(slab.zones, blocks, strict=False):
                if river.bands != "weights":
                    only = () if pointing.place is None else pointing.of(river.half_of(block.attention, "key"))
                    if only or (block.attention, block.layer) == (river.attention, river.layer):
                        chips += part_chips(river, block, zone, grid, only)
                elif block.drawn is not None and (rows := _rows(river, block, pointing)) is not None and rows.any():
                    key = "accents", block, zone, grid, rows.tobytes()
                    scene.append(kept.of(key, partial(block_bands, river, block, zone, grid, rows)))
                    if block.attention == river.attention and block.layer == river.layer:
                        chips += _chips(river, block, zone, grid, rows, pointing)
    scene += chips
    scene += _map(river, grid, pointing)
    scene += _labels(river, grid, pointing)
    scene += explained(river, words, grid.explanation, pointing, narrow=grid.narrow)
    return Drawn(tuple(scene))


def _head(river: River, grid: RiverGrid, words: Words, pointing: Pointing) -> Drawn:
    """All bands of the head that is pointed at, in its zone."""
    assert pointing.place is not None  # The caller has checked.
    seen = river.seen_by(pointing.place.attention, pointing.place.layer, pointing.place.head)
    half = seen.half_of(seen.attention, "query")
    scene: list[Mark] = []
    for slab, blocks in zip(grid.half(half.side).slabs, half.layers, strict=True):
        for zone, block in zip(slab.zones, blocks, strict=False):
            if block is seen.focus and block.drawn is not None:
                if river.bands == "weights":
                    scene.append(block_bands(seen, block, zone, grid, np.ones(block.drawn.shape, bool)))
                else:
                    scene += [*block_parts(seen, block, zone, grid), *part_chips(seen, block, zone, grid)]
                rooms = (room for attention, room in slab.heads if attention == block.attention)
                frames = (thumbnails(seen, block, room, river.unit_colours).scene for room in rooms)
                scene += [item for frame in frames for item in frame if isinstance(item, Box)]
    scene += explained(seen, words, grid.explanation, pointing, narrow=grid.narrow)
    return Drawn(tuple(scene))


def _lanes(river: River, half: Half, place: HalfGrid, chosen: tuple[int, ...], kept: KeptMarks) -> list[Mark]:
    if not chosen:
        return []
    whole = lanes(river, half, place, kept)
    return [kept.of(("accent", Same(whole), chosen), partial(_accented, whole, np.array(chosen, int)))]


def _accented(whole: Lanes, chosen: np.ndarray) -> Lanes:
    return Lanes(whole.x, whole.y[chosen], whole.width[chosen], np.full(len(chosen), 0.45, np.float32), "accent")


def _rows(river: River, block: RiverBlock, pointing: Pointing) -> np.ndarray | None:
    """The cells [query, key] of a block whose bands stand out."""
    assert block.drawn is not None  # The caller has checked.
    asks, answers = river.half_of(block.attention, "query"), river.half_of(block.attention, "key")
    focus = block.attention == river.attention and block.layer == river.layer
    mask = np.zeros(block.drawn.shape, bool)
    if pointing.pair is not None:
        if focus:
            mask[pointing.pair] = True
            if pointing.place is None or pointing.place.kind != "pair":
                mask[pointing.pair[0]] = True
        elif block.part == "self_attn":
            mask[list(pointing.of(asks))] = True
        return mask
    if asks is answers:
        mask[list(pointing.of(asks))] = True
        mask[:, list(pointing.of(asks))] = True
        return mask
    if not focus and len(river.halves) == 2:
        return None
    mask[list(pointing.of(asks))] = True
    mask[:, list(pointing.of(answers))] = True
    return mask


def _chips(river: River, block: RiverBlock, zone: Zone, grid: RiverGrid, rows: np.ndarray, pointing: Pointing) -> list[Mark]:
    """A weight in per cent where its band begins; where one key is pointed at, where its bands land."""
    assert block.drawn is not None  # The caller has checked.
    asks = grid.half(block.attention.partition(".")[0])
    answers = grid.halves[0] if block.part == "cross_attn" else asks
    lands = pointing.pair is None and bool(pointing.of(river.half_of(block.attention, "key"))) and answers is not asks
    scene: list[Mark] = []
    taken: list[tuple[float, float]] = []
    found = [(float(block.drawn[q, k]), int(q), int(k)) for q, k in np.argwhere(rows) if block.drawn[q, k] >= _CHIP]
    for weight, query, key in sorted(found, reverse=True):
        if asks is answers and query == key:
            continue
        x = zone.x + zone.wide - _CHIP_W - 2 if lands else zone.x + (-8 if block.part == "cross_attn" else 3)
        y = chip_y(asks, asks.y(query)) if lands else chip_y(answers, answers.y(key))
        if any(abs(y - other) < _CHIP_H for at, other in taken if at == x) or zone.wide < _CHIP_W:
            continue
        taken.append((x, y))
        scene.append(Box(Rect(x, y - _CHIP_H / 2, _CHIP_W, _CHIP_H), "accent", radius=3))
        scene.append(Label(x + _CHIP_W / 2, y, f"{100 * weight:.0f}%", 11, "on_accent", True, "middle"))
    return scene


def _map(river: River, grid: RiverGrid, pointing: Pointing) -> list[Mark]:
    """Frames around the row and the column of what stands out."""
    if river.map is None or river.focus is None or grid.map.high < 60:
        return []
    rect = map_rect(river, grid)
    asks, answers = river.half_of(river.attention, "query"), river.half_of(river.attention, "key")
    wide, high = rect.wide / answers.n, rect.high / asks.n
    scene: list[Mark] = []
    rows = pointing.of(asks) if pointing.pair is None or asks is not answers else (pointing.pair[0],)
    columns = pointing.of(answers) if pointing.pair is None or asks is not answers else (pointing.pair[1],)
    names, _side, _shift = row_names(river)
    for row in rows:
        scene.append(Box(Rect(rect.x - 1, rect.y + high * row - 1, rect.wide + 2, high + 2), "", "accent", 1, 2))
        if high >= 11:
            room = rect.x - grid.map.x - 8
            size = smaller(names[row], 13 if high >= 18 else 11, room)
            scene.append(_over(rect.x - 8, rect.y + high * (row + 0.5), names[row], size, "right", room))
    if pointing.place is not None:
        scene += [
            Box(Rect(rect.x + wide * each - 1, rect.y - 1, wide + 2, rect.high + 2), "", "accent", 1, 2) for each in columns
        ]
    px, room, _named = columns_of(river, grid, rect)
    for column in columns:
        if wide >= 11:
            x, text = rect.x + wide * (column + 0.5), shown_text(answers.labels[column])
            need = min(about_width(text, px), room)
            if need + 2 > wide:  # The label covers those of narrow columns beside it.
                scene.append(Box(Rect(x - need / 2 - 2, rect.y - 22, need + 4, 16), "window"))
            scene.append(_over(x, rect.y - 14, text, px, "middle", room))
    return scene


def _over(x: float, y: float, text: str, px: float, align: str, room: float) -> Label:
    return Label(x, y, text, px, "accent", False, align, room)


def _labels(river: River, grid: RiverGrid, pointing: Pointing) -> list[Mark]:
    """The tokens of lanes that stand out, over their plain labels."""
    scene: list[Mark] = []
    for half, place in zip(river.halves, grid.halves, strict=True):
        px = text_px(place.pitch, grid.narrow)
        for lane in pointing.of(half):
            label, *number = lane_label(half, place, lane, px, "accent", bold=place.pitch >= 18 and not place.right_aligned)
            if place.pitch < 14:  # The token covers its neighbours' labels where all have none of their own, and so its own id.
                high = 16 if place.pitch < LEAST_LABEL_PX else place.pitch
                scene += [Box(Rect(place.label.x - 2, place.y(lane) - high / 2, place.label.wide, high), "window"), *number]
            scene.append(label)
    return scene


def explained(river: River, words: Words, rect: Rect, pointing: Pointing, *, narrow: bool) -> list[Mark]:
    """The line at the bottom: one sentence about what stands out."""
    y, margin = rect.y + rect.high / 2, 12.0 if narrow else 16.0
    px, room = 13 if narrow else 15, rect.wide - 2 * margin - 14
    about = (pointing.place, pointing.pair, pointing.source, pointing.target)
    pieces = tell(river, words, *about)
    if about_width("".join(piece.text for piece in pieces), px) > room:
        pieces = tell(river, words, *about, short=True)
    return [
        Box(rect, "card"),
        Box(Rect(rect.x, rect.y, rect.wide, 1), "hairline"),
        Box(Rect(margin, y - 9, 4, 18), "accent"),
        AccentedLine(margin + 14, y, pieces, px, room),
    ]
