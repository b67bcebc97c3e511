"""Where everything of an opened block stands (px)."""

import math

import attrs

from explorer.picture.marks import Rect
from explorer.picture.river.grid import LOW_PX, NARROW_PX
from explorer.picture.river.opened import OpenedHead, OpenedNetwork
from explorer.picture.river.river import Half, River

PILLAR = 16.0  # the width of another layer
_MOST_PILLARS = 6
_HEAD_PX = 62.0  # titles above the rows
_BETWEEN_PX = 4.0  # between two titles
_CELL_PX = 150.0  # what is below the rows


@attrs.frozen
class Inside:
    """The places of an opened head. `steps` has the left edge and the width of each column by name; row i is a query."""

    box: Rect
    top: float
    pitch: float
    n: int
    n_keys: int
    steps: dict[str, tuple[float, float]]
    before: tuple[float, ...]
    after: tuple[float, ...]
    label_w: float
    below: Rect
    explanation: Rect

    @property
    def heads(self) -> Rect:
        """The room of the thumbnails of all heads, with the line above them."""
        return Rect(self.below.x + 0.7 * self.below.wide, self.below.y + 6, 0.3 * self.below.wide, self.below.high - 8)

    def y(self, row: float) -> float:
        """The middle of a row."""
        return self.top + self.pitch * (row + 0.5)

    def room(self, name: str) -> float:
        """The width of a column up to the next one, or to the edge of the box."""
        x = self.steps[name][0]
        return min([left for left, _w in self.steps.values() if left > x], default=self.box.right) - x - _BETWEEN_PX

    def key_pitch(self) -> float:
        """The height of a key's strip in the columns of keys and values of another sentence."""
        return self.pitch * self.n / self.n_keys

    def cells(self, name: str) -> Rect:
        """The cells of a map."""
        x, w = self.steps[name]
        return Rect(x, self.top, w, self.pitch * self.n)

    def pair_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Query and key of the cell of any map at a point."""
        row = math.floor((y - self.top) / self.pitch)
        if not 0 <= row < self.n:
            return None
        for name in ("scores", "masked", "weights"):
            left, width = self.steps[name]
            if left <= x < left + width:
                return row, min(int((x - left) / width * self.n_keys), self.n_keys - 1)
        return None


def lay_out_inside(river: River, width: float, height: float) -> Inside:
    """The places of the opened block in a field of this size (px)."""
    half = opened_half(river)
    n_keys = river.half_of(river.attention, "key").n if isinstance(river.opened, OpenedHead) else half.n
    narrow = width < NARROW_PX or height < LOW_PX
    said, margin, label_w = (34.0 if narrow else 42.0), (12.0 if narrow else 16.0), (70.0 if narrow else 84.0)
    layers = [layer for each in river.halves for layer in each.layers]
    here = next(
        i for i, layer in enumerate(layers) if layer[0].layer == river.layer and layer[0].attention.startswith(half.side)
    )
    n_before, n_after = min(here, _MOST_PILLARS), min(len(layers) - here - 1, _MOST_PILLARS)
    left = margin + label_w + 4
    before = tuple(left + place * (PILLAR + 4) for place in range(n_before))
    x = left + n_before * (PILLAR + 4) + 4
    right = width - margin - n_after * (PILLAR + 4) - 4
    after = tuple(right + 4 + place * (PILLAR + 4) for place in range(n_after))
    box = Rect(x, 6, right - x, height - said - 10)
    below_h = min(_CELL_PX, 0.3 * box.high) if isinstance(river.opened, OpenedHead) else 0.0
    top = box.y + _HEAD_PX
    pitch = min((box.bottom - below_h - 12 - top) / half.n, 84.0 * max(1.0, height / 720))
    pitch = math.floor(pitch) if pitch > 12 else pitch
    below = Rect(box.x + 14, top + pitch * half.n + 10, box.wide - 28, box.bottom - top - pitch * half.n - 18)
    return Inside(
        box=box,
        top=top,
        pitch=pitch,
        n=half.n,
        n_keys=n_keys,
        steps=_columns(river, box.x + 14, box.wide - 28, half.n, n_keys),
        before=before,
        after=after,
        label_w=label_w,
        below=below,
        explanation=Rect(0, height - said, width, said),
    )


def opened_half(river: River) -> Half:
    """The half whose lanes run through the opened block."""
    side = river.opened_side
    return next(half for half in river.halves if half.side == side)


def _columns(river: River, x: float, width: float, n: int, n_keys: int) -> dict[str, tuple[float, float]]:
    """The shares of the width: maps grow with the number of keys, vectors keep a width of their own."""
    if isinstance(river.opened, OpenedNetwork):
        gap = 22.0
        each = (width - 3 * gap) / 8
        shares = {"read": each, "hidden": 2.5 * each, "activated": 2.5 * each, "output": 2 * each}
    else:
        gap = 14.0
        vector = min(72.0, 0.066 * width)
        fan = max(40.0, 0.06 * width)
        rest = width - 4 * vector - 0.7 * vector - fan - 6 * gap
        maps = min(rest, (30 + 34 + 46) * n_keys * max(1.0, width / 800))
        spare = (rest - maps) / 4
        shares = {
            "read": vector + spare,
            "qkv": vector + spare,
            "scores": maps * 30 / 110,
            "masked": maps * 34 / 110,
            "weights": maps * 46 / 110,
            "value": 0.7 * vector,
            "mixed": vector + spare,
            "output": vector + spare,
        }
    made: dict[str, tuple[float, float]] = {}
    for name, wide in shares.items():
        made[name] = (round(x), round(wide))
        x += wide + (max(40.0, 0.06 * width) if name == "value" else gap)
    return made
