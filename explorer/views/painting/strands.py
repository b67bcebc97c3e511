"""The strands of an Alignment: a line or an arc for each weight, of several heads beside each other in colours of their own.

Straight strands of one colour are one image, as each is a span in every row or column of pixels (`spans.py`). A stroke of
QPainter takes 0.06 ms, so that the two hundred strands of a short sentence held the window for longer than a frame.
"""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from explorer.picture.alignment_lines import strokes
from explorer.picture.kinds import Alignment, HeadLines
from explorer.picture.layout.alignment_marks import ink_of_heads, strand
from explorer.picture.layout.strands import Lines, Placed, Places, asides
from explorer.picture.marks import Path
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.spans import coverage, ink_of, inked

_Floats = NDArray[np.float32]
_STEPS = 65_535
_SEEN = 0.5 / 255  # the smallest opacity that a screen can show
_LINES_AT_ONCE, _ARCS_AT_ONCE = 128, 48  # strokes that take about 8 ms
_SPANS_AT_ONCE = 2**17  # the same, of straight strands of one colour, which are made without strokes


@attrs.frozen(eq=False)
class Setting:
    """What the strands of a painting depend on: any other picture, place, size or theme is another painting."""

    picture: Alignment
    made: Placed
    left: float  # px, where the figure begins in the view
    size: QSize
    ratio: float  # of the screen's pixels to those of the view
    theme: Theme

    def same(self, other: "Setting") -> bool:
        """Whether another setting has the very same picture and layout, and all else is equal."""
        parts: list[Any] = [other.left, other.size, other.ratio, other.theme.name]
        same = self.picture is other.picture and self.made is other.made
        return same and [self.left, self.size, self.ratio, self.theme.name] == parts


class StrandPainting:
    """An image that gets its strands little by little, the strongest first.

    Decision: some strands at each painting of the view. Rejected: all at once; two thousand take a tenth of a second, and with
    several heads more.
    """

    def __init__(self, setting: Setting, seen: NDArray[np.bool_]) -> None:
        self.setting, self.seen = setting, seen
        self.image = QPixmap(setting.size * setting.ratio)
        self.image.setDevicePixelRatio(setting.ratio)
        self.image.fill(QColor(setting.theme.card))
        picture = setting.picture
        self._heads = picture.overlaid or (HeadLines(-1, picture.values),)
        self._inks = ink_of_heads(picture, setting.theme)
        self._places = asides(len(self._heads), min(setting.made.above.widths))
        widths, opacities = strokes(np.stack([each.values for each in self._heads]), picture.scale)
        self._widths, self._opacities = widths, opacities  # [head, row, column]
        found = np.flatnonzero(seen & (opacities >= _SEEN))
        # Steps of 1/65,535 are finer than a screen shows, and are sorted in a twentieth of the time: a long text has a million.
        fainter = np.rint((1 - opacities.ravel()[found]) * _STEPS).astype(np.uint16)
        self._waiting = found[np.argsort(fainter, kind="stable")]  # places in [head, row, column], laid flat
        self._done = 0

    @property
    def ready(self) -> bool:
        """Whether all strands are painted."""
        return self._done >= len(self._waiting)

    @property
    def n_painted(self) -> int:
        """How many strands are painted."""
        return min(self._done, len(self._waiting))

    def paint(self, painter: QPainter) -> None:
        """Paint the image, after some more strands were painted into it."""
        if not self.ready:
            strands = self.setting.made.strands
            with QPainter(self.image) as inside:
                if isinstance(strands, Lines) and not self.setting.picture.overlaid:
                    self._paint_lines(inside, strands)
                else:
                    self._paint_strokes(inside, _ARCS_AT_ONCE if self.setting.picture.arcs else _LINES_AT_ONCE)
        painter.drawPixmap(0, 0, self.image)

    def _next(self, count: int) -> tuple[NDArray[np.intp], ...]:
        """Heads, rows and columns of so many strands that are still to be painted."""
        flat = self._waiting[self._done : self._done + count]
        self._done += count
        return np.unravel_index(flat, self._opacities.shape)

    def _paint_lines(self, painter: QPainter, lines: Lines) -> None:
        setting = self.setting
        wide, high = setting.size.width() * setting.ratio, (lines.last - lines.first) * setting.ratio
        where = self._next(max(16, int(_SPANS_AT_ONCE / (wide + high))))
        some = Strokes(where[1], where[2], self._widths[where], self._opacities[where])
        colour = setting.theme.accent
        painter.drawImage(*lines_image(lines, some, colour, setting.left, setting.size.width(), setting.ratio))

    def _paint_strokes(self, painter: QPainter, count: int) -> None:
        painter.translate(self.setting.left, 0)
        paths = [self._strand(int(head), int(row), int(column)) for head, row, column in zip(*self._next(count), strict=True)]
        paint_marks(painter, [path for path in paths if self._is_in_sight(path)], self.setting.theme)

    def _strand(self, head: int, row: int, column: int) -> Path:
        cell = head, row, column
        width, opacity = float(self._widths[cell]), float(self._opacities[cell])
        return strand(self.setting.made, (row, column), self._inks[head], width, opacity, self._places[head])

    def _is_in_sight(self, path: Path) -> bool:
        left, ends = -self.setting.left, [x for x, _y in path.points]
        return max(ends) >= left and min(ends) <= left + self.setting.size.width()


class StrandPaintings:
    """The painting of all strands, which is kept while some are lit, and the painting of those.

    `newest` is the one that was asked for last.
    """

    def __init__(self) -> None:
        self.kept: list[StrandPainting] = []
        self.newest: StrandPainting | None = None

    def of(self, setting: Setting, seen: NDArray[np.bool_]) -> StrandPainting:
        """The painting of the visible strands [row, column]: one that was begun, or a new one."""
        fitting = [each for each in self.kept if each.setting.same(setting)]
        found = next((each for each in fitting if np.array_equal(each.seen, seen)), None)
        if found is None:
            found = StrandPainting(setting, seen)
            self.kept = [*fitting[:1], found]
        self.newest = found
        return found


@attrs.frozen(eq=False)
class Strokes:
    """Some strands: their rows and columns, widths (px) and opacities."""

    rows: Places
    columns: Places
    widths: _Floats
    opacities: _Floats


def lines_image(lines: Lines, strokes: Strokes, colour: str, left: float, width: float, ratio: float) -> tuple[QPointF, QImage]:
    """Where the image of some strands begins (px), and the image, as wide as the view; `left` is where the figure begins in it.

    A strand ends level with the tokens. One that runs down more than across is a span in each row of pixels, another one in
    each column: so neither is cut into steps.
    """
    top, bottom = round(lines.first * ratio), round(lines.last * ratio)
    high, wide = max(1, bottom - top), max(1, round(width * ratio))
    start = ((lines.above[strokes.columns] + left) * ratio).astype(np.float32)  # in device pixels, as all below
    across = ((lines.below[strokes.rows] + left) * ratio).astype(np.float32) - start
    half, opacity = (np.float32(0.5 * ratio) * strokes.widths).astype(np.float32), strokes.opacities.astype(np.float32)
    flat = np.abs(across) > high
    steep, slope = ~flat, across / np.float32(high)
    sums = _spans(start[steep], slope[steep], half[steep], opacity[steep], high, wide).T
    if flat.any():
        slope = np.float32(high) / across[flat]
        sums = np.add(sums, _spans(-start[flat] * slope, slope, half[flat], opacity[flat], wide, high))
    image = inked(sums, colour)
    image.setDevicePixelRatio(ratio)
    return QPointF(0, top / ratio), image


def _spans(first: _Floats, slope: _Floats, half: _Floats, opacity: _Floats, n_steps: int, most: int) -> NDArray[np.int32]:
    """[place, step] the ink of strands whose middles go from `first` by `slope` with each step; places end at `most`."""
    # middle = first + slope · step; half the span = half the width · √(1 + slope²)
    middle = first[:, None] + slope[:, None] * (np.arange(n_steps, dtype=np.float32) + np.float32(0.5))
    reach, shown = (half * np.sqrt(1 + slope * slope))[:, None], opacity[:, None]
    return coverage(middle, reach, np.broadcast_to(ink_of(shown), middle.shape), most, shown)
