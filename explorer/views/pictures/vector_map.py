"""Draws a VectorMap: the vocabulary as a cloud, and the way of each token through the layers.

Keys: left and right go from token to token, up and down through the layers, Enter or a click chooses one.
"""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import VectorMap
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.vector_map import Point, Points, nearest, points, told_point, vector_map
from explorer.picture.marks import Rect
from explorer.views.painting.cell_cursor import arrow
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_NEAR_PX = 8.0  # the distance at which the mouse meets a point


class VectorMapView(Surface):
    """Shows a VectorMap. Signals: chose(position) for a token."""

    draws_in_px = True

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: VectorMap | None = None
        self.here: Point | None = None  # the point under the mouse, or that the keys have reached
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 120)

    def draw(self, picture: VectorMap, words: Words) -> None:
        self.picture, self.words, self.here = picture, words, None
        self.setAccessibleDescription(in_words(picture, words))
        self.tell_again()
        self.update()

    def points(self) -> Points:
        """Where everything stands (px); the view must have a picture."""
        assert self.picture is not None  # Callers have checked.
        return points(self.picture, self._area())

    def _area(self) -> Rect:
        return Rect(0, 0, self.wide, self.high)

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None or self.words is None:
            return
        sketch = Sketch(self.theme, self.theme.signed_colours, self.measure)
        spots = {place for side, place in self.lit if side == self.picture.side}
        lit = frozenset(spots & set(range(len(self.picture.tokens))))
        vector_map(sketch, self.picture, self.words, self._area(), lit, self.here)
        paint_marks(painter, sketch.marks, self.theme)
        self.paint_focus(painter)

    def describe(self, point: Point | None) -> Pointed:
        if point is None or self.picture is None or self.words is None:
            return NOTHING
        tokens = frozenset({(self.picture.side, point.token)}) if point.symbol is None else frozenset[tuple[str, int]]()
        return Pointed(told_point(self.picture, point, self.words), tokens)

    def _at(self, event: QMouseEvent) -> Point | None:
        place = self.at(event)
        return None if self.picture is None else nearest(self.points(), place.x(), place.y(), _NEAR_PX)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = self._at(event)
        if here != self.here:
            self.here = here
            self.update()
        self.tell(event.globalPosition().toPoint(), self.describe(here))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        here = self._at(event)
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
        else:
            super().keyPressEvent(event)
