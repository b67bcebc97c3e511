"""The ground of a river: what does not depend on the numbers of a pass. It lies below all the rest.

Captions, the layers' boxes with their names, the classical waves, signs, the legend and the switch of the bands are the same
for every pass of one shape, so a view draws and paints them once and copies the image for each key.

Decision: the ground of one shape is kept. Rejected: four grounds for shapes that come again (68.4 and 67.7 ms a key, by turns),
because three other shapes come between two alike.
"""

from collections.abc import Hashable
from functools import partial

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.marks import Box, Curves, Dots, Label, Line, Mark, Rect
from explorer.picture.river.band_switch import bands_left, captions_end, draw_switch, tell_bands
from explorer.picture.river.grid import HalfGrid, RiverGrid
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.output import draw_legend
from explorer.picture.river.place import Place
from explorer.picture.river.river import Half, River, RiverBlock
from explorer.picture.river.scene import Drawn, Hot, fitting, joined
from explorer.picture.river.strips import draw_signs, excerpt_told
from explorer.trace.arrays import Array

_SHORT_NAME_PX = 100.0
_BETWEEN_PX = 8.0  # between a text and what follows in its row


@attrs.frozen
class Colours:
    """The colour tables of weights and of signed values."""

    unit: str
    signed: str


def draw_ground(
    river: River, grid: RiverGrid, words: Words, colours: Colours, kept: KeptMarks, *, switched: bool = True
) -> Drawn:
    """The ground; where the bands are not `switched`, it says what they show."""
    parts = [maker(river, grid, words, switched=switched) for maker in (_captions, _sources)]
    for half, place in zip(river.halves, grid.halves, strict=True):
        parts.append(_boxes(river, half, place, grid, words))
        parts.append(Drawn(tuple(draw_signs(place))))
    parts.append(_waves(river, grid, words, kept))
    parts.append(draw_legend(river, grid, words, colours.unit, colours.signed))
    parts.append((draw_switch if switched else tell_bands)(river, grid, words))
    return joined(parts)


def ground_key(river: River, grid: RiverGrid, words: Words, colours: Colours) -> Hashable:
    """All that a ground depends on: rivers with equal keys have the same one."""
    first, last, said, found = river.halves[0], river.halves[-1], river.written, river.contributions
    counts = tuple(_n_heads(block) for half in river.halves for layer in half.layers for block in layer if block.attends)
    return (
        (grid, words, colours, counts),  # One shape has one grid.
        (first.output.shape[1], bool(np.any(first.positions)), first.n_tokens, first.block, bool(first.groups)),
        (last.first, last.end, last.n_tokens),
        (said.n_symbols, said.step, said.temperature),
        (river.waves.tobytes(), river.smooth.tobytes(), river.waves.shape, river.finer, river.features),
        (river.scale.high, river.longest, river.unit, river.bands, river.no_contributions, river.signed_colours),
        None if found is None else (found.names, found.reach),
    )


def _n_heads(block: RiverBlock) -> int:
    heads = block.weights if block.weights is not None else block.blocks
    return 0 if heads is None else len(heads)


def _boxes(river: River, half: Half, place: HalfGrid, grid: RiverGrid, words: Words) -> Drawn:
    """A box for each layer of a half, with the names of its attentions."""
    scene: list[Mark] = []
    hot: list[Hot] = []
    # A layer of another kind has no thumbnails: what it is stands where other layers have theirs.
    beside = next((slab.heads[0][1] for slab in place.slabs if slab.heads), None)
    for slab, blocks in zip(place.slabs, half.layers, strict=True):
        focus = river.attention.startswith(half.side) and slab.layer == river.layer
        rect = Rect(slab.x + 1, place.top - 10, slab.wide - 3, place.slab_bottom - place.top + 10)
        scene.append(Box(rect, "card", "accent" if focus else "hairline", radius=4 if not slab.folded else 2))
        hot.append(Hot(rect, Place("block", attention=blocks[0].attention, layer=slab.layer)))
        if slab.folded:
            continue
        for zone, block in zip(slab.zones, blocks, strict=True):
            hot.append(Hot(Rect(zone.x, place.top - 10, zone.wide, place.bottom - place.top + 12), block_place(block)))
        for attention, room in slab.heads:
            block = next(each for each in blocks if each.attention == attention)
            hot.append(Hot(room.grown(3), block_place(block)))  # The gaps between heads belong to their attention.
            if not grid.narrow:
                scene.append(_name(river, block, room, words))
        if not slab.heads and beside is not None and not grid.narrow:
            scene.append(_name(river, blocks[0], attrs.evolve(beside, x=slab.x + 5, wide=slab.wide - 11), words))
    return Drawn(tuple(scene), tuple(hot))


def block_place(block: RiverBlock) -> Place:
    """What a block answers."""
    return Place("block", attention=block.attention, layer=block.layer)


def _name(river: River, block: RiverBlock, room: Rect, words: Words) -> Label:
    focus = (block.attention, block.layer) == (river.attention, river.layer)
    short = ".short" if room.wide < _SHORT_NAME_PX else ""
    text = words(f"river.block.{block.attention}{short}", count=_n_heads(block) if block.attends else 0)
    return Label(room.x, room.y - 8, text, 10, "accent" if focus else "faint", focus, room=room.wide)


def _captions(river: River, grid: RiverGrid, words: Words, *, switched: bool) -> Drawn:
    """The four sentences that tell the story, each above its part."""
    px = 12.0 if grid.narrow else 13.0
    first = grid.halves[0]
    count, n_features = len(first.slabs), river.halves[0].output.shape[1]
    embeds = "embed" if np.any(river.halves[0].positions) else "embed_alone"
    told = [(grid.margin, embeds, n_features), (first.slabs[0].x + 4, "read", count)]
    if len(grid.halves) == 2:
        told.append((grid.halves[1].slabs[0].x + 4, "write", count))
    elif river.halves[0].side == "decoder":
        told[1] = (first.slabs[0].x + 4, "continue", count)
    gives = "choose" if river.target is not None else "output" if river.written.n_symbols else "vectors"
    told.append((grid.out.x, gives, river.written.n_symbols))
    ends = [*(x for x, _key, _number in told[1:]), grid.width + _BETWEEN_PX]
    if len(grid.halves) == 1:
        ends[1] = min(ends[1], bands_left(river, grid, words, switched=switched))
    elif switched:
        ends[2] = captions_end(river, grid, words)
    scene: list[Mark] = []
    for place, ((x, key, number), end) in enumerate(zip(told, ends, strict=True), 1):
        values = {"count": f"{number:,}" if key in ("choose", "output") else number, "step": river.written.step + 1}
        texts = [words(f"river.caption.{key}{length}", **values) for length in ("", ".short", ".shortest")]
        if key in ("choose", "output") and river.written.temperature != 1:
            texts = [f"{text} · T = {river.written.temperature:g}" for text in texts]
        scene.append(Label(x, grid.captions_y, str(place), px, "accent", bold=True))
        scene.append(Label(x + 14, grid.captions_y, fitting(texts, px, end - x - 14 - _BETWEEN_PX), px))
    return Drawn(tuple(scene))


def _sources(river: River, grid: RiverGrid, words: Words, *, switched: bool) -> Drawn:
    """What the lower half reads: the words written so far, and the upper half's output. A river with one half has neither."""
    if len(grid.halves) == 1:
        return Drawn(())
    first, second = grid.halves
    room = second.slabs[0].x - second.label.x - 4
    texts = [words("river.written_so_far"), words("river.written_short")]
    if not river.halves[1].whole:
        texts = [f"{texts[0]}  {excerpt_told(river.halves[1])}", excerpt_told(river.halves[1])]
    end = min(second.slabs[0].x + second.slabs[0].wide, bands_left(river, grid, words, switched=switched) - _BETWEEN_PX) - 14
    memory = fitting([words("river.memory"), words("river.memory_short")], 11, end - grid.memory)
    written = Label(second.label.x, second.top - 14, fitting(texts, 11, room), 11, "faint")
    return Drawn((written, Label(grid.memory + 14, first.top - 8, memory, 11, "faint")))


def _waves(river: River, grid: RiverGrid, words: Words, kept: KeptMarks) -> Drawn:
    """The classical curves: single features of the positions along the places, this sentence's places shaded."""
    rect, waves = grid.waves, river.waves
    if not len(waves) or rect.high < 28 or rect.wide < 160:
        return Drawn(())
    left = rect.x + (70 if grid.narrow else 92)
    plot = Rect(left, rect.y + 4, rect.right - left, rect.high - 8)
    n_tokens = river.halves[0].n_tokens
    shown = min(len(waves), max(24, n_tokens + 2))
    middle, half = plot.y + plot.high / 2, plot.high / 2 - 2
    scale = half / max(1.0, float(np.abs(waves).max()))
    shaded = (min(n_tokens, shown) - 1) / (shown - 1) * plot.wide
    scene: list[Mark] = [Box(Rect(plot.x, plot.y, max(shaded, 2.0), plot.high), "band", opacity=0.08, radius=2)]
    scene.append(Line(plot.x, middle, plot.right, middle, "hairline"))
    fine = river.smooth[: (shown - 1) * river.finer + 1]
    key = "curves", fine.tobytes(), fine.shape, plot, scale
    scene.append(kept.of(key, partial(_curves, fine, plot, middle, scale)))
    if plot.wide / shown >= 6:
        marked = waves[: min(n_tokens, shown), :2]  # A dot at each place: what was recorded.
        at = plot.x + np.arange(len(marked), dtype=np.float32) / (shown - 1) * plot.wide
        scene += [Dots(at.astype(np.float32), (middle - row * scale).astype(np.float32), 1.5, "band") for row in marked.T]
    scene.append(Label(rect.x, rect.y + 12, words("river.waves"), 11, "faint", room=left - rect.x - 6))
    if rect.high >= 44:
        told = words("river.waves_of", features=", ".join(map(str, river.features)))
        scene.append(Label(rect.x, rect.y + 28, told, 10, "faint", room=left - rect.x - 6))
    return Drawn(tuple(scene), (Hot(rect, Place("waves")),))


def _curves(fine: Array, plot: Rect, middle: float, scale: float) -> Curves:
    """The curves through the points of `fine` [point, feature], slow ones fainter."""
    x = (plot.x + np.arange(len(fine)) / (len(fine) - 1) * plot.wide).astype(np.float32)
    number = np.arange(fine.shape[1], dtype=np.float32)
    return Curves(x, (middle - fine.T * scale).astype(np.float32), 0 * number + 1.3, 0.95 - 0.15 * number, "band")
