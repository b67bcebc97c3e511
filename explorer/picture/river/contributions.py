"""The river's second mode: bands as wide as what attention adds to the chosen word, in place of weights.

What is drawn is part of an exact sum (`trace.why`): the logit of the chosen step's word minus that of its rival. Only the
decoder has direct parts in it, and only the row of the chosen step; the weights stay behind as pale bands, so that a wide pale
band without a coloured one looks and adds nothing.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from explorer.picture.layout.follow_scene import colour
from explorer.picture.marks import Bands, Box, Label, Mark, Rect
from explorer.picture.river.grid import HalfGrid, RiverGrid, Zone
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.river import Half, River, RiverBlock
from explorer.picture.river.slabs import bands, open_zones
from explorer.picture.scales import Scale
from explorer.picture.sums import told

PALE = 0.9  # the opacity of weights behind contributions, in relation to weights alone
_LEAST = 0.02  # the share of the largest contribution from which a band is drawn
_CHIP = 0.08  # … and from which it has its number
_INK = 0.72  # the place in the table of signed colours, as on the page that takes a word apart
_CHIP_W, _CHIP_H = 44.0, 17.0


def signed_colour(river: River, sign: float) -> str:
    """The hexadecimal colour of what goes toward the word (above zero) or toward its rival."""
    return colour(float(np.sign(sign)) * _INK, Scale(-1.0, 1.0, river.signed_colours))


def mode_bands(river: River, half: Half, place: HalfGrid, grid: RiverGrid, kept: KeptMarks) -> list[Bands]:
    """The bands of a half in this mode: weights pale, and over them what the chosen step takes from each token."""
    pale = [attrs.evolve(each, opacity=PALE * each.opacity, colour="water") for each in bands(river, half, place, grid, kept)]
    return [*pale, *(made for zone, block in open_zones(half, place) for made in block_parts(river, block, zone, grid))]


def block_parts(river: River, block: RiverBlock, zone: Zone, grid: RiverGrid) -> Iterator[Bands]:
    """The contributions of one block as bands: those toward the rival, then those toward the word."""
    found = river.contributions
    row = None if found is None else found.drawn(river, block)
    if found is None or row is None or not river.shows_step:
        return
    across = block.part == "cross_attn"
    queries = grid.half("decoder")
    keys = grid.halves[0] if across else queries
    widest = min(13.0, max(0.5 * min(half.pitch for half in grid.halves), 7.0))
    for sign in (-1.0, 1.0):
        key = np.flatnonzero(row * sign >= _LEAST * found.reach)
        if not across:
            key = key[key != found.lane]  # The lane itself would hide it: its chip says it.
        if not key.size:
            continue
        share = np.minimum(row[key] * sign / found.reach, 1.0)
        yield Bands(
            left=zone.x - (22.0 if across else 0.0),
            right=zone.x + zone.wide,
            y0=(keys.top + keys.pitch * (key + 0.5)).astype(np.float32),
            y1=np.full(len(key), queries.y(found.lane), np.float32),
            # width = max(0.8, |Δ| / reach · widest)
            width=np.maximum(0.8, share * widest).astype(np.float32),
            opacity=(0.45 + 0.5 * share).astype(np.float32),
            colour=signed_colour(river, sign),
            bend=(0.68, 0.5) if across else (0.5, 0.5),
            fade=14.0 if across else 7.0,
        )


def chip_y(place: HalfGrid, y: float) -> float:
    """Where the middle of a chip on a lane at `y` stands (px): the row above the lanes belongs to the buttons."""
    return max(y, place.top + _CHIP_H / 2 - 2)


def part_chips(river: River, block: RiverBlock, zone: Zone, grid: RiverGrid, only: tuple[int, ...] = ()) -> list[Mark]:
    """The contributions of a block in numbers where their bands begin; of the keys in `only` all."""
    found = river.contributions
    row = None if found is None else found.drawn(river, block)
    if found is None or row is None or zone.wide < _CHIP_W or not river.shows_step:
        return []
    place = grid.halves[0] if block.part == "cross_attn" else grid.half("decoder")
    x = zone.x + (-8 if block.part == "cross_attn" else 3)
    scene: list[Mark] = []
    taken: list[float] = []
    for key in np.argsort(-np.abs(row), kind="stable").tolist():
        y = chip_y(place, place.y(key))
        wanted = key in only if only else abs(row[key]) >= _CHIP * found.reach
        if not wanted or any(abs(y - other) < _CHIP_H for other in taken):
            continue
        taken.append(y)
        scene.append(Box(Rect(x, y - _CHIP_H / 2, _CHIP_W, _CHIP_H), "card", signed_colour(river, row[key]), radius=3))
        scene.append(Label(x + _CHIP_W / 2, y, told(float(row[key])), 11, "text", True, "middle"))
    return scene
