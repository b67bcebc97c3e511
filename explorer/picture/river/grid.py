"""Where everything of a river stands (px): columns from left to right, lanes from top to bottom.

A model with both sides has the encoder's lanes above and the decoder's below; a model with one side has its
lanes on top and the room below for its heads and the map. `lay_out` knows only how many lanes, layers and heads there are.
"""

import math
from functools import lru_cache

import attrs

from explorer.picture.marks import Rect
from explorer.picture.river.river import HalfShape, River, Shape, attends, shape_of
from explorer.picture.river.slab_widths import slab_widths

NARROW_PX, LOW_PX = 1040, 560  # px of width or of height below which everything is a little smaller
_PITCH = (44.0, 40.0)  # px of a lane at most, of the upper and of the lower half, in a window of usual height
_USUAL_PX = 700.0  # px of height from which lanes and thumbnails grow
_SLAB_PX = 62.0
LEAST_LABEL_PX = 11.5  # px between two labels
_THUMBNAILS_GIVE = 0.4  # the part of their height that thumbnails give up so that every token has a label
_SHARES = {"self_attn": 0.62, "other": 0.62, "feed_forward": 0.38}
_CROSS_SHARES = {"self_attn": 0.36, "cross_attn": 0.36, "feed_forward": 0.28}
_CROSS_FOCUS = {"self_attn": 0.27, "cross_attn": 0.53, "feed_forward": 0.2}


@attrs.frozen
class Zone:
    """The columns of one block, from `x` over `wide`."""

    part: str
    x: float
    wide: float


@attrs.frozen
class Slab:
    """The columns of one layer. A folded one is too narrow for its blocks. `heads` are the places of its thumbnails."""

    layer: int
    x: float
    wide: float
    zones: tuple[Zone, ...]
    folded: bool
    heads: tuple[tuple[str, Rect], ...] = ()

    def zone(self, part: str) -> Zone:
        """The columns of a block."""
        return next(zone for zone in self.zones if zone.part == part)


@attrs.frozen(eq=False)
class HalfGrid:
    """One half: lane i has its middle at `y(i)`; `label` is the room of the tokens, `strips` are the left edges of the three
    columns of vectors, each `strip_w` wide; lanes go from `start` to `end`."""

    side: str
    n: int
    pitch: float
    top: float
    label: Rect
    right_aligned: bool
    strips: tuple[float, float, float]
    strip_w: float
    slabs: tuple[Slab, ...]
    start: float
    end: float
    slab_bottom: float

    def y(self, lane: float) -> float:
        """The middle of a lane."""
        return self.top + self.pitch * (lane + 0.5)

    @property
    def bottom(self) -> float:
        """The lower edge of the last lane."""
        return self.top + self.pitch * self.n

    def lane_at(self, y: float) -> int | None:
        """The lane at a height; None above the first and below the last."""
        lane = math.floor((y - self.top) / self.pitch) if self.pitch else -1
        return lane if 0 <= lane < self.n else None


@attrs.frozen(eq=False)
class RiverGrid:
    """The whole. `memory` is where the encoder's output turns down; `explanation` is the line below everything."""

    width: float
    height: float
    narrow: bool
    margin: float
    halves: tuple[HalfGrid, ...]
    memory: float
    out: Rect  # the words that come out, beside the lanes of the last half
    candidates: Rect
    map: Rect  # labels included
    map_rows_on_lanes: bool
    heads: Rect
    mask: Rect
    waves: Rect
    legend: Rect
    explanation: Rect
    captions_y: float

    def half(self, side: str) -> HalfGrid:
        """The grid of "encoder" or "decoder"."""
        return next(half for half in self.halves if half.side == side)


def columns_of(grid: RiverGrid) -> dict[str, tuple[float, float]]:
    """Left edge and width (px) of every Block of the architecture by its key, for the strip above the river."""
    first = grid.halves[0]
    made = {
        "tokens": (grid.margin, first.strips[0] - grid.margin - 8),
        "embedding": (first.strips[0], first.strip_w),
        "position": (first.strips[1], first.strip_w),
        "sum": (first.strips[2], first.strip_w),
    }
    for half in grid.halves:
        for slab in half.slabs:
            key = f"{half.side}.layers.{slab.layer}"
            if slab.folded:
                made[f"{key}.self_attn"] = (slab.x + 1, max(slab.wide - 2, 1.0))
            made |= {f"{key}.{zone.part}": (zone.x + 1, zone.wide - 2) for zone in slab.zones}
    return made | {"generator": (grid.out.x, grid.out.wide)}


def lay_out(river: River, width: float, height: float) -> RiverGrid:
    """The grid of a river in a field of this size (px): the same one for rivers of the same shape."""
    return _laid_out(shape_of(river), width, height)


@lru_cache(maxsize=64)  # The next head takes 9 ms, and 19 without it: what is kept of a picture asks for the very same grid.
def _laid_out(shape: Shape, width: float, height: float) -> RiverGrid:
    return _Columns(shape, width, height).grid()


class _Columns:
    """Numbers that several parts of the grid share."""

    def __init__(self, shape: Shape, width: float, height: float) -> None:
        self.shape, self.width, self.height = shape, width, height
        self.narrow = width < NARROW_PX or height < LOW_PX
        n = self.narrow
        self.margin = 12.0 if n else 16.0
        self.grow = min(max(height / _USUAL_PX, 1.0), 2.2)
        self.said = 34.0 if n else 42.0  # the explanation's line
        self.cap = 36.0 if n else 42.0  # captions and scales above the first lane
        self.end = height - self.said
        wide = max(1.0, min(width / 1190, 2.0))
        self.strip_w = (48.0 if n else 64.0) * (2 if wide > 1.7 else 1)
        self.gap = 14.0 if n else 18.0
        self.tokens_w = (74.0 if n else 92.0) * min(wide, 1.4)
        self.out_w = (150.0 if n else 186.0) * min(wide, 1.35)
        first, step = self.margin + self.tokens_w, self.strip_w + self.gap
        self.x_strips = (first, first + step, first + 2 * step)
        self.x0 = self.x_strips[2] + self.strip_w
        self.x_out = width - self.out_w - self.margin + 8

    def grid(self) -> RiverGrid:
        return self._two() if len(self.shape.halves) == 2 else self._one()

    # A model with both sides

    def _two(self) -> RiverGrid:
        upper, lower = self.shape.halves
        head_rows = 2 if self.narrow else 1
        tail = (50.0 if self.narrow else 66.0) * self.grow
        below = (92.0 if self.narrow else 128.0) * self.grow
        between = 26.0
        room = self.end - self.cap - tail - between - below - 6
        lacking = (LEAST_LABEL_PX + 1e-6) * (upper.n + lower.n) - room
        if 0 < lacking <= _THUMBNAILS_GIVE * (tail + below):
            smaller = 1 - lacking / (tail + below)
            tail, below, room = tail * smaller, below * smaller, room + lacking
        pitch = room / (upper.n + lower.n)
        most = tuple(each * self.grow for each in _PITCH)
        first, second = (_whole(min(each, pitch)) for each in most)
        spare = max(0.0, room - first * upper.n - second * lower.n)
        # Room that the lanes do not need goes to the thumbnails.
        more = min(spare, 1.2 * (tail + below))
        tail, below = tail + 0.4 * more, below + 0.6 * more
        span = self.x_out - self.x0 - (48 if self.narrow else 54)
        reads = span * self._encoder_share()
        x_memory = self.x0 + 12 + reads + 4
        top = self.cap
        lower_bottom = self.end - below - 4
        lower_top = lower_bottom - second * lower.n
        encoder = self._half(upper, self.x0 + 12, reads, first, top, top + first * upper.n + tail - 4)
        x_decoder = x_memory + (14 if self.narrow else 18)
        decoder = self._half(lower, x_decoder, span - reads, second, lower_top, self.end - 2, head_rows)
        tsw, tgap = (24.0, 10.0) if self.narrow else (34.0, 12.0)
        left = decoder.slabs[0].x - 10 - 3 * tsw - 2 * tgap
        label_w = 64.0 if self.narrow else 84.0
        decoder = attrs.evolve(
            decoder,
            label=Rect(left - label_w, lower_top, label_w - 8, second * lower.n),
            right_aligned=True,
            strips=(left, left + tsw + tgap, left + 2 * (tsw + tgap)),
            strip_w=tsw,
            start=left + 3 * tsw + 2 * tgap + 2,
            end=self.x_out - 3,
        )
        last = decoder.slabs[-1]
        falls = last.zone("cross_attn").x if not last.folded else last.x
        encoder = attrs.evolve(encoder, start=self.x0 + 2, end=falls - 12)
        return self._rest(encoder, decoder, x_memory, lower_top, lower_bottom, below)

    def _encoder_share(self) -> float:
        upper, lower = self.shape.halves
        return min(max(0.41 * math.sqrt(len(upper.layers) / len(lower.layers)), 0.25), 0.55)

    def _rest(
        self, encoder: HalfGrid, decoder: HalfGrid, x_memory: float, top: float, bottom: float, below: float
    ) -> RiverGrid:
        n, m = self.narrow, self.margin
        map_right = decoder.label.x - (12 if n else 22)
        on_lanes = self.shape.attention.startswith("decoder")
        labels_y = 46.0 if not n else 40.0
        map_rect = Rect(m, top - labels_y, map_right - m, bottom - top + labels_y)
        heads = Rect(m, bottom + (6 if n else 10), map_right - m, below - (10 if n else 14))
        mask_x = map_right + (8 if n else 12)
        mask = Rect(mask_x, heads.y, decoder.slabs[0].x - mask_x - 8, heads.high)
        waves_top = encoder.bottom + 6
        waves = Rect(m, waves_top, self.x0 - m, max(0.0, map_rect.y - waves_top - 2))
        candidates = Rect(self.x_out, self.cap - 16, self.width - m - self.x_out, top - self.cap - (6 if n else 20))
        return RiverGrid(
            width=self.width,
            height=self.height,
            narrow=n,
            margin=m,
            halves=(encoder, decoder),
            memory=x_memory,
            out=Rect(self.x_out, top, self.width - m - self.x_out, bottom - top),
            candidates=candidates,
            map=map_rect,
            map_rows_on_lanes=on_lanes,
            heads=heads,
            mask=mask,
            waves=waves,
            legend=Rect(self.x_out, bottom + 8, self.width - m - self.x_out, below - 10),
            explanation=Rect(0, self.end, self.width, self.said),
            captions_y=12.0 if n else 14.0,
        )

    # A model with one side

    def _one(self) -> RiverGrid:
        (half,) = self.shape.halves
        n, m = self.narrow, self.margin
        room = self.end - self.cap
        pitch = _whole(min(_PITCH[0] * self.grow, 0.52 * room / half.n))
        span = self.x_out - self.x0 - 34
        grid = self._half(half, self.x0 + 12, span, pitch, self.cap, self.end - 4)
        grid = attrs.evolve(grid, start=self.x0 + 2, end=self.x_out - 5)
        below = grid.bottom + 12
        left = self.x0 - m - 4
        waves_h = min(110.0, 0.28 * (self.end - below))
        heads_h = min(96.0, 0.22 * (self.end - below))
        map_top = below + waves_h + 10
        legend_y = below + 0.5 * (self.end - below) + 14
        return RiverGrid(
            width=self.width,
            height=self.height,
            narrow=n,
            margin=m,
            halves=(grid,),
            memory=0,
            out=Rect(self.x_out, self.cap, self.width - m - self.x_out, pitch * half.n),
            candidates=Rect(self.x_out, below + 20, self.width - m - self.x_out, 0.5 * (self.end - below) - 20),
            map=Rect(m, map_top, left, self.end - map_top - heads_h - 10),
            map_rows_on_lanes=False,
            heads=Rect(m, self.end - heads_h - 4, left, heads_h),
            mask=Rect(0, 0, 0, 0),
            waves=Rect(m, below, left, waves_h),
            legend=Rect(self.x_out, legend_y, self.width - m - self.x_out, min(118.0, self.end - legend_y)),
            explanation=Rect(0, self.end, self.width, self.said),
            captions_y=12.0 if n else 14.0,
        )

    # Both

    def _half(
        self, half: HalfShape, x: float, width: float, pitch: float, top: float, bottom: float, head_rows: int = 1
    ) -> HalfGrid:
        lanes_bottom = top + pitch * half.n
        slabs = []
        for slab in self._slabs(half, x, width):
            heads = _head_rects(half, slab, lanes_bottom, bottom, self.narrow) if not slab.folded else ()
            slabs.append(attrs.evolve(slab, heads=heads))
        return HalfGrid(
            side=half.side,
            n=half.n,
            pitch=pitch,
            top=top,
            label=Rect(self.margin, top, self.tokens_w - 8, pitch * half.n),
            right_aligned=False,
            strips=self.x_strips,
            strip_w=self.strip_w,
            slabs=tuple(slabs),
            start=x,
            end=x + width,
            slab_bottom=bottom,
        )

    def _slabs(self, half: HalfShape, x: float, width: float) -> list[Slab]:
        count = len(half.layers)
        focus = self.shape.layer if self.shape.attention.startswith(half.side) else None
        widths = slab_widths(count, width, focus, _SLAB_PX - 4)
        made = []
        for layer, w in enumerate(widths):
            folded = w < _SLAB_PX - 8
            parts = [attention.partition(".")[2] for attention in half.layers[layer]]
            zones = [] if folded else _zones(parts, x + 4, w - 8, layer == focus)
            made.append(Slab(layer, x, w, tuple(zones), folded))
            x += w
        return made


def _whole(pitch: float) -> float:
    """A pitch of whole pixels; of quarters where lanes are thin."""
    return math.floor(pitch) if pitch > 12 else max(math.floor(pitch * 4) / 4, 0.25)


def _zones(parts: list[str], x: float, width: float, focus: bool) -> list[Zone]:
    shares = _SHARES if "cross_attn" not in parts else _CROSS_FOCUS if focus else _CROSS_SHARES
    total = sum(shares[part] for part in parts)
    made = []
    for part in parts:
        w = width * shares[part] / total
        made.append(Zone(part, x, w))
        x += w
    return made


def _head_rects(half: HalfShape, slab: Slab, lanes_bottom: float, bottom: float, narrow: bool) -> tuple[tuple[str, Rect], ...]:
    """The places of a layer's thumbnails: one field for each attention, below the lanes."""
    attentions = [block for block in half.layers[slab.layer] if attends(block)]
    named = 0.0 if narrow else 14.0
    top = lanes_bottom + (6 if narrow else 5)
    each = (bottom - 4 - top) / max(len(attentions), 1)  # A layer of another kind has none.
    return tuple(
        (attention, Rect(slab.x + 5, top + place * each + named, slab.wide - 11, max(each - named - 4, 4.0)))
        for place, attention in enumerate(attentions)
    )
