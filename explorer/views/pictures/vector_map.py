"""Draws a VectorMap with pyqtgraph: the vocabulary as a cloud, and the way of each token through the layers.

Keys: left and right go from token to token, up and down through the layers, Enter or a click chooses one. The wheel, + and −
zoom, 0 and a double click show everything; a drag moves the map. Where few points are in sight, they are named.
"""

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import VectorMap
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.vector_map import (
    END_PX,
    NEAR_PX,
    STATION_PX,
    SYMBOL_PX,
    Part,
    Point,
    Points,
    marked,
    nearest,
    points,
    ring,
    told_point,
    whole,
    write_names,
)
from explorer.picture.marks import Rect
from explorer.picture.theme import Theme
from explorer.views.controls.layouts import filled
from explorer.views.painting.cell_cursor import arrow
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.plot import Plot
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_REACH_PX = 8.0  # the distance at which the mouse meets a point
_MOST_NAMED = 60  # symbols in sight that are named
_MOST_ZOOM = 1000.0
_WAY_PX = 1.2


class _Plane(Plot):
    """The plot of a VectorMapView, which writes the names in front of all points."""

    def __init__(self, view: "VectorMapView") -> None:
        super().__init__()
        self._view = view
        for side in ("left", "bottom"):
            self.hideAxis(side)
        self.getPlotItem().getViewBox().setAspectLocked()
        self.getPlotItem().layout.setContentsMargins(0, 0, 0, 0)

    def drawForeground(self, painter: QPainter, _part: QRectF) -> None:
        self._view.paint_in_front(painter)

    def fit(self) -> None:
        self._view.fit()


class VectorMapView(Surface):
    """Shows a VectorMap. Signals: chose(position) for a token."""

    draws_in_px = True

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: VectorMap | None = None
        self.here: Point | None = None  # the point under the mouse, or that the keys have reached
        self._zoomed = False  # whether somebody has chosen the part that is in sight
        self.plot = _Plane(self)
        self._box = self.plot.getPlotItem().getViewBox()
        self._cloud, self._near, self._stations = (pg.ScatterPlotItem(pen=None, pxMode=True) for _ in range(3))
        self._ways = [pg.PlotCurveItem(antialias=True, connect="finite") for _ in range(2)]  # of tokens, and of strong ones
        for item in (self._cloud, *self._ways, self._stations, self._near):
            self.plot.addItem(item)
        filled(QVBoxLayout(self), (self.plot, 1), margins_px=(0, 0, 0, 0))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)
        self._box.sigRangeChangedManually.connect(self._was_zoomed)
        self._box.sigResized.connect(self._resized)
        self.plot.scene().sigMouseMoved.connect(self._moved)
        self.plot.scene().sigMouseClicked.connect(self._clicked)
        self.plot.left.connect(lambda: self.leaveEvent(QEvent(QEvent.Type.Leave)))
        self.set_theme(self.theme)

    def draw(self, picture: VectorMap, words: Words) -> None:
        before, self.picture, self.words, self.here = self.picture, picture, words, None
        self.setAccessibleDescription(in_words(picture, words))
        if before is None or before.cloud is not picture.cloud:
            self._cloud.setData(pos=picture.cloud, size=2 * SYMBOL_PX)
            if before is None or before.cloud.shape != picture.cloud.shape:
                self._zoomed = False  # It is the map of another vocabulary.
        self._near.setData(pos=picture.cloud[list(marked(picture))], size=2 * NEAR_PX)
        self._draw_ways()
        if not self._zoomed:
            self.fit()
        self.tell_again()

    def _strong(self) -> frozenset[int]:
        """The tokens that are lit, or else the chosen one."""
        if self.picture is None:
            return frozenset()
        lit = {place for side, place in self.lit if side == self.picture.side}
        return frozenset(lit & set(range(len(self.picture.tokens)))) or frozenset({self.picture.chosen})

    def _draw_ways(self) -> None:
        """A line and dots for each token, those of strong ones in front and in the accent."""
        if self.picture is None:
            return
        path, strong = self.picture.path.astype(np.float64), self._strong()
        n_places, n_tokens = path.shape[:2]
        order = sorted(range(n_tokens), key=strong.__contains__)
        for way, some in zip(
            self._ways, ([t for t in order if t not in strong], [t for t in order if t in strong]), strict=True
        ):
            apart = np.full((len(some), 1, 2), np.nan)  # between one way and the next
            xy = np.concatenate([path[:, some].transpose(1, 0, 2), apart], axis=1).reshape(-1, 2)
            way.setData(xy[:, 0], xy[:, 1])
        sizes = np.full((n_tokens, n_places), 2 * STATION_PX)
        sizes[:, -1] = 2 * END_PX
        brushes = [pg.mkBrush(self._colour_of(token in strong)) for token in order for _ in range(n_places)]
        self._stations.setData(pos=path[:, order].transpose(1, 0, 2).reshape(-1, 2), size=sizes.reshape(-1), brush=brushes)
        self.update()

    def _colour_of(self, strong: bool) -> str:
        return self.theme.accent if strong else self.theme.disabled

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.plot.setBackground(theme.card)
        self._cloud.setBrush(pg.mkBrush(theme.closed_line))
        self._near.setBrush(pg.mkBrush(theme.accent))
        for strong, way in enumerate(self._ways):
            way.setPen(pg.mkPen(self._colour_of(bool(strong)), width=_WAY_PX))
        self._draw_ways()

    def light(self, tokens: frozenset[tuple[str, int]]) -> None:
        before = self._strong()
        super().light(tokens)
        if self._strong() != before:
            self._draw_ways()

    def update(self, *part: Any) -> None:
        """Paint again what stands in front of the points, too."""
        super().update(*part)
        self.plot.viewport().update()

    # What is in sight

    def fit(self) -> None:
        """Show everything."""
        if self.picture is not None:
            self._zoomed = False
            part = whole(self.picture, self._area())
            across = part.right - part.left
            self._box.setLimits(minXRange=across / _MOST_ZOOM, maxXRange=2 * across)
            self._box.setRange(xRange=(part.left, part.right), yRange=(part.low, part.high), padding=0)

    def _was_zoomed(self, *_given: object) -> None:
        self._zoomed, self.here = True, None  # Another point is under the mouse now.
        self.tell_again()

    def _resized(self, *_given: object) -> None:
        if not self._zoomed:
            self.fit()

    def _area(self) -> Rect:
        return Rect(0, 0, self.wide, self.high)

    def points(self) -> Points:
        """Where everything stands (px); the view must have a picture."""
        assert self.picture is not None  # Callers have checked.
        (left, right), (low, high) = self._box.viewRange()
        return points(self.picture, self._area(), Part(left, right, low, high))

    def _in_sight(self, at: Points) -> NDArray[np.intp]:
        """The symbols in sight, where these are few."""
        x, y = at.cloud.T
        found = np.flatnonzero((x >= 0) & (x < self.wide) & (y >= 0) & (y < self.high))
        return found if len(found) <= _MOST_NAMED else found[:0]

    def paint(self, painter: QPainter, part: QRect) -> None:
        """The plot paints all of it, and `paint_in_front` what stands in front of its points."""

    def paint_in_front(self, painter: QPainter) -> None:
        """Paint names, the point that is pointed at, and the frame of the focus."""
        if self.picture is not None:
            at, sketch = self.points(), Sketch(self.theme, self.theme.signed_colours, self.measure)
            write_names(sketch, self.picture, at, self._strong(), self._in_sight(at))
            if self.here is not None:
                ring(sketch, at, self.here)
            painter.save()
            painter.setBackground(QColor(self.theme.card))  # Labels are drawn for this background.
            painter.scale(self.larger, self.larger)
            paint_marks(painter, sketch.marks, self.theme)
            self.paint_focus(painter)
            painter.restore()

    # Mouse and keys

    def describe(self, point: Point | None) -> Pointed:
        if point is None or self.picture is None or self.words is None:
            return NOTHING
        tokens = frozenset({(self.picture.side, point.token)}) if point.symbol is None else frozenset[tuple[str, int]]()
        return Pointed(told_point(self.picture, point, self.words), tokens)

    def _at(self, place: QPointF) -> Point | None:
        """What stands at a place of the plot (px)."""
        return (
            None
            if self.picture is None
            else nearest(self.points(), place.x() / self.larger, place.y() / self.larger, _REACH_PX)
        )

    def _moved(self, place: QPointF) -> None:
        here = self._at(place)
        if here != self.here:
            self.here = here
            self.update()
        self.tell(self.plot.mapToGlobal(self.plot.mapFromScene(place)), self.describe(here))

    def _clicked(self, event: Any) -> None:
        self.setFocus()
        here = self._at(event.scenePos())
        if here is not None and here.symbol is None and event.button() == Qt.MouseButton.LeftButton:
            self.chose.emit(here.token)

    def left(self) -> None:
        self.here = None

    def _beside(self, picture: VectorMap, down: int, across: int) -> Point:
        """The point one token, or one layer, from where keys are; they begin at the last place of the chosen token."""
        last = len(picture.places) - 1
        place, token = (
            (last, picture.chosen) if self.here is None or self.here.symbol is not None else (self.here.place, self.here.token)
        )
        place, token = place - down, token + across  # Up goes further through the model.
        return Point(place=min(max(place, 0), last), token=min(max(token, 0), len(picture.tokens) - 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = arrow(event)
        if self.picture is None or not self.picture.tokens:
            super().keyPressEvent(event)
        elif step is not None:
            self.here = self._beside(self.picture, *step)
            self.tell_by_keys(self.describe(self.here))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.here is not None and self.here.symbol is None:
            self.chose.emit(self.here.token)
        elif self.plot.zooms(event):
            self._zoomed = event.key() != Qt.Key.Key_0
        else:
            super().keyPressEvent(event)
