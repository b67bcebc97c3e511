"""The columns of a river that a lesson speaks of, to be outlined: by name the room of each (px)."""

from explorer.picture.marks import Rect
from explorer.picture.river.grid import HalfGrid, RiverGrid
from explorer.picture.river.inside_grid import Inside

_AROUND_PX = 4.0
_BEFORE_NEXT_PX = 8.0  # between an outline and the number that heads the next column
_RANGE_PX = 12.0  # of the line above the vectors that tells their range


def meant_rects(names: tuple[str, ...], grid: RiverGrid, inside: Inside | None = None) -> tuple[Rect, ...]:
    """The rooms of columns by their names; a name that this river has no column for has none.

    "tokens", "embedding", "position", "sum" are the columns of the first half, "encoder" and "decoder" the layers of a side,
    "map", "heads" and "output" what they say. Of an opened block they are its steps, such as "qkv", and "heads".
    """
    rooms = _steps(inside) if inside is not None else _columns(grid)
    return tuple(_around(rooms[name]) for name in names if name in rooms)


def _steps(inside: Inside) -> dict[str, Rect]:
    top = inside.box.y + _AROUND_PX
    high = inside.top + inside.pitch * inside.n - top
    last = max(x for x, _wide in inside.steps.values())
    spared = {name: _BEFORE_NEXT_PX if x < last else 0.0 for name, (x, _wide) in inside.steps.items()}
    rooms = {name: Rect(x, top, inside.room(name) - spared[name], high) for name, (x, _wide) in inside.steps.items()}
    return rooms | {"heads": inside.heads}


def _columns(grid: RiverGrid) -> dict[str, Rect]:
    first = grid.halves[0]
    rooms = {"tokens": Rect(first.label.x, first.top, first.strips[0] - first.label.x - 8, first.pitch * first.n)}
    for name, x in zip(("embedding", "position", "sum"), first.strips, strict=True):
        rooms[name] = Rect(x, first.top - _RANGE_PX, first.strip_w, first.pitch * first.n + _RANGE_PX)
    rooms |= {half.side: _layers(half) for half in grid.halves}
    top = min(grid.out.y, grid.candidates.y + _AROUND_PX)  # below the caption
    rooms["output"] = Rect(grid.out.x, top, grid.out.wide, max(grid.out.bottom, grid.candidates.bottom) - top)
    return rooms | {"map": grid.map, "heads": grid.heads}


def _layers(half: HalfGrid) -> Rect:
    """From the first layer of a side to its last one."""
    x = half.slabs[0].x
    return Rect(x, half.top, half.slabs[-1].x + half.slabs[-1].wide - x, half.pitch * half.n)


def _around(room: Rect) -> Rect:
    return Rect(room.x - _AROUND_PX, room.y - _AROUND_PX, room.wide + 2 * _AROUND_PX, room.high + 2 * _AROUND_PX)
