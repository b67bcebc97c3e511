"""What lies at a point of a river."""

import numpy as np

from explorer.picture.marks import curve
from explorer.picture.river.focus import map_rect
from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.inside_grid import Inside
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn
from explorer.picture.river.slabs import least_weight

_NEAR = 4.0  # px around a band that belong to it


def place_in_river(river: River, grid: RiverGrid, drawn: tuple[Drawn, Drawn], x: float, y: float) -> Place | None:
    """What lies at a point: of a map the pair, of a band its pair. `drawn` is what lies below and what lies above."""
    found: Place | None = drawn[1].at(x, y) or drawn[0].at(x, y)
    if found is not None and found.kind == "map":
        return _pair_at(river, grid, x, y)
    if found is None or found.kind == "block":
        return band_at(river, grid, x, y) or found
    return found


def place_inside(river: River, inside: Inside, over: Drawn, x: float, y: float) -> Place | None:
    """What lies at a point while a block is open."""
    pair = inside.pair_at(x, y) if river.opened_attention == river.attention else None
    if pair is not None:
        return Place("pair", attention=river.attention, layer=river.layer, query=pair[0], key=pair[1])
    found: Place | None = over.at(x, y)
    return found


def _pair_at(river: River, grid: RiverGrid, x: float, y: float) -> Place:
    rect = map_rect(river, grid)
    asks, answers = river.half_of(river.attention, "query"), river.half_of(river.attention, "key")
    query = min(int((y - rect.y) / rect.high * asks.n), asks.n - 1)
    key = min(int((x - rect.x) / rect.wide * answers.n), answers.n - 1)
    return Place("pair", attention=river.attention, layer=river.layer, query=query, key=key)


def band_at(river: River, grid: RiverGrid, x: float, y: float) -> Place | None:
    """The pair of the heaviest band at a point (px); None where there is none."""
    for half, place in zip(river.halves, grid.halves, strict=True):
        for slab, blocks in zip(place.slabs, half.layers, strict=True):
            for zone, block in zip(slab.zones, blocks, strict=False):
                across = block.part == "cross_attn"
                lead = 26.0 if across else 0.0
                if block.drawn is None or not zone.x - lead <= x < zone.x + zone.wide:
                    continue
                keys = grid.halves[0] if across else place
                share = (x - zone.x + lead) / (zone.wide + lead)
                s = float(np.interp(share, *curve((0.68, 0.5) if across else (0.5, 0.5))))
                first = keys.top + keys.pitch * (np.arange(block.drawn.shape[1]) + 0.5)  # [key]
                last = place.top + place.pitch * (np.arange(block.drawn.shape[0]) + 0.5)  # [query]
                middle = first[None] + (last[:, None] - first[None]) * s  # [query, key]
                weights = np.nan_to_num(block.drawn)
                near = (np.abs(middle - y) <= _NEAR + 3 * weights) & (weights >= least_weight(block))
                if not across:
                    np.fill_diagonal(near, False)
                if near.any():
                    query, key = divmod(int(np.where(near, weights, -1).argmax()), near.shape[1])
                    return Place("pair", attention=block.attention, layer=block.layer, query=query, key=key)
    return None
