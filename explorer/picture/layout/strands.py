"""Where the strands of an Alignment run: lines between two rows of tokens, or arcs over one row. Lengths are px.

Of an arc the side says the direction: above the tokens it goes from a query back to a key on its left, below them ahead to
one on its right; a token that looks at itself has a small loop. Rejected: arrowheads, which are lost where forty arcs end.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.layout.alignment import Measure, Side, lay_out

Point = tuple[float, float]
Places = NDArray[np.integer]
Px = NDArray[np.floating]

_BEND = 4 / 3  # a cubic whose control points are so many times as high reaches that height in its middle
_FLATTER = 0.75  # power of an arc's span: short arcs stay visible beside long ones
_LOOP = (9.0, 18.0)  # px, half the width and the height of the loop of a token that looks at itself
_SAMPLES = 24  # straight pieces by which the distance from an arc is measured
_APART, _SPREAD = 3.0, 22.0  # px between the strands of two heads, and at most of all heads together


def asides(count: int, narrowest_px: float) -> tuple[float, ...]:
    """How far (px) the strands of each of several heads run beside the middle, so that none hides another."""
    spread = min(_APART * (count - 1), _SPREAD, 0.7 * narrowest_px)
    return tuple(spread * (place / max(1, count - 1) - 0.5) for place in range(count))


@attrs.frozen(eq=False)
class Lines:
    """Straight strands from the middles of the tokens above, at height `first`, to those below, at `last`."""

    above: Px
    below: Px
    first: float
    last: float

    def curve(self, row: int, column: int, aside: float = 0.0) -> tuple[Point, ...]:
        """Both ends of a strand."""
        return (float(self.above[column]) + aside, self.first), (float(self.below[row]) + aside, self.last)

    def away(self, x: float, y: float, rows: Places, columns: Places) -> Px:
        """The distance of a point from each of these strands, infinite beside the lines' heights."""
        down = (y - self.first) / (self.last - self.first)
        if not 0 <= down <= 1:
            return np.full(len(rows), math.inf)
        across = self.below[rows] - self.above[columns]
        # distance from a line = horizontal distance · cos(angle between the line and the vertical)
        tilt = np.hypot(across, self.last - self.first)
        distance: Px = np.abs(self.above[columns] + across * down - x) * (self.last - self.first) / tilt
        return distance


@attrs.frozen(eq=False)
class Arcs:
    """Strands over one row of tokens: up from `top` by at most `up`, or down from `bottom` by at most `down`."""

    middles: Px
    top: float
    bottom: float
    up: float
    down: float

    def curve(self, row: int, column: int, aside: float = 0.0) -> tuple[Point, ...]:
        """The four points of a cubic from the token on the left to that on the right; `aside` moves both ends outward."""
        controls = self._controls(np.array([row]), np.array([column]), aside)[0]
        return tuple((float(x), float(y)) for x, y in controls)

    def away(self, x: float, y: float, rows: Places, columns: Places) -> Px:
        """The distance of a point from each of these strands."""
        t = np.linspace(0, 1, _SAMPLES + 1)
        # B(t) = Σ_i binomial(3, i) (1 − t)^(3 − i) t^i P_i
        basis = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])  # [control, point]
        points = np.einsum("cp,scx->spx", basis, self._controls(rows, columns, 0.0))  # [strand, point, x y]
        start, step = points[:, :-1], np.diff(points, axis=1)
        length = np.maximum((step * step).sum(axis=-1), 1e-9)
        # The foot of the point on each straight piece lies at share s of its way.
        share = np.clip(((np.array([x, y]) - start) * step).sum(axis=-1) / length, 0, 1)  # [strand, piece]
        foot = start + share[..., None] * step
        distance: Px = np.hypot(foot[..., 0] - x, foot[..., 1] - y).min(axis=1)
        return distance

    def _controls(self, rows: Places, columns: Places, aside: float) -> Px:
        """[strand, control, x y] of cubics."""
        left, right = self.middles[np.minimum(rows, columns)], self.middles[np.maximum(rows, columns)]
        ahead, own = columns > rows, columns == rows
        # height = room · (span / longest span)^0.75
        share = (np.abs(columns - rows) / max(1, len(self.middles) - 1)) ** _FLATTER
        base = np.where(ahead, self.bottom, self.top)
        high = np.where(ahead, -self.down, self.up) * share + np.where(ahead, -aside, aside)
        bend = base - _BEND * high
        first, last = left - aside, right + aside
        made = np.stack([first, base, first, bend, last, bend, last, base], axis=-1).reshape(-1, 4, 2)
        wide, tall = _LOOP[0] + aside, _BEND * (_LOOP[1] + aside)
        middle, top = self.middles[rows], np.full(len(rows), self.top)
        loops = np.stack([middle, top, middle - 2 * wide, top - tall, middle + 2 * wide, top - tall, middle, top], axis=-1)
        return np.where(own[:, None, None], loops.reshape(-1, 4, 2), made)


@attrs.frozen(eq=False)
class Placed:
    """The tokens of both rows, the heights of their labels' upper edges, and the strands between them.

    Of arcs both rows are one. `height` is that of the whole.
    """

    above: Side
    below: Side
    width: float
    height: float
    above_top: float
    below_top: float
    strands: Lines | Arcs

    @property
    def heights(self) -> tuple[float, float]:
        """Between which heights strands lie; those of lines are free of labels."""
        return (self.strands.first, self.strands.last) if isinstance(self.strands, Lines) else (0.0, self.height)


@attrs.frozen
class Room:
    """The room for labels and strands: `edge` around all, `gap` between a label and the ends of its strands."""

    width: float
    height: float
    line: float  # the height of a line of text
    edge: float
    gap: float
    widest: float = math.inf  # of a horizontal label
    longest: float = math.inf  # of a turned one


def place_lines(above: tuple[str, ...], below: tuple[str, ...], measure: Measure, room: Room) -> Placed:
    """Two rows of tokens with lines between them."""
    made = lay_out(above, below, measure, room.width - 2 * room.edge, room.line, room.widest, room.longest)
    first = room.edge + made.above.reach + room.gap
    below_top = room.height - room.edge - made.below.reach
    last = max(first + 1, below_top - room.gap)
    strands = Lines(np.array(made.above.middles), np.array(made.below.middles), first, last)
    return Placed(made.above, made.below, made.width, room.height, room.edge, below_top, strands)


def place_arcs(labels: tuple[str, ...], measure: Measure, room: Room, *, ahead: bool, n_heads: int = 1) -> Placed:
    """One row of tokens with arcs above it, and with `ahead` below it as well; those of several heads around each other."""
    made = lay_out(labels, labels, measure, room.width - 2 * room.edge, room.line, room.widest, room.longest)
    side = made.above
    free = max(2.0, room.height - 2 * room.edge - side.reach - (2 if ahead else 1) * room.gap)
    up = free / 2 if ahead else free
    top = room.edge + up + room.gap
    high = max(1.0, up - max(asides(n_heads, min(side.widths))))
    strands = Arcs(np.array(side.middles), top - room.gap, top + side.reach + room.gap, high, high if ahead else 0.0)
    return Placed(side, side, made.width, room.height, top, top, strands)
