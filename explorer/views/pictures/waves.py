"""Draws Waves with pyqtgraph, which brings zoom, pan and axes. A double click shows everything.

Keys: left and right go from place to place, up and down from curve to curve, Home and End to the ends; +, − and 0 zoom.

Numbers stand at whole places alone, so these have dots. Between them a curve is smooth where a formula says so (`between`),
and otherwise a straight line.
"""

from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGraphicsItem, QHBoxLayout, QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.cell_text import number, place_told, rough, told_origin
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Waves
from explorer.picture.scales import colours_of_curves, round_up
from explorer.picture.theme import LIGHT, Theme
from explorer.views.controls.layouts import filled
from explorer.views.painting.cell_cursor import CellCursor, arrow
from explorer.views.painting.plot import Plot
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.painting.read_as import read_as
from explorer.views.painting.spoken import say
from explorer.views.pictures.curve_names import CurveNames

_LEGEND_FROM_PX = 170
_MOST_NAMES = 0.45  # of the width; wider names stand in the legend
_AXIS_PX = 34  # px of the axis below the curves
_LEAST_PX, _LEAST_PLOT_PX = 80, 100  # of the view, and of the curves above a legend
# Points of longer curves lie closer than pixels; smooth wide lines through them take 0.3 s and show no more.
_SMOOTH_PLACES = 512
_TICKS = 6  # at most so many values below the places, or one more
_MOST_DOTTED = 160  # places; dots of more places would touch
_DOT_PX, _RING_PX = 4.5, 11


def round_values(x: NDArray[Any]) -> list[tuple[float, str]]:
    """The round ones of values that rise in equal steps, each with its place among them and as it is written."""
    step = round_up(float(x[-1] - x[0]) / _TICKS, (1, 2, 5, 10))
    values = step * np.arange(np.ceil(x[0] / step), np.floor(x[-1] / step) + 1)
    return [((value - x[0]) / (x[1] - x[0]), rough(float(value))) for value in values]


class WavesView(QWidget):
    """Shows Waves, with the positions of the text shaded."""

    pointed = Signal(object)
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        read_as(self, QAccessible.Role.Graphic)
        self.picture: Waves | None = None
        self._words: Words | None = None
        self._theme = LIGHT
        self._plot = Plot()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._plot.getPlotItem().layout.setContentsMargins(0, 8, 4, 0)  # The topmost figure stands half above its tick.
        self._text = pg.LinearRegionItem(movable=False)
        self._lit = pg.InfiniteLine(angle=90)
        self.curves: list[Any] = []
        self.dots = pg.ScatterPlotItem(size=_DOT_PX, pen=None, pxMode=True)
        self.dots.setZValue(0.5)  # Below the main curve, and its own dots last: none hides it.
        self.dots.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.cell_cursor = CellCursor(self)  # the curve and the place that keys are at
        self.cell_cursor.moved.connect(self._walked)
        self._ring = pg.ScatterPlotItem(size=_RING_PX, pxMode=True)
        self._ring.setZValue(3)
        self._told = False  # whether the open tooltip is this view's
        self._reach: tuple[float, float] | None = None
        self._plot.getPlotItem().setVisible(False)  # Without a picture its axes would go from 0 to 1, shaded as a text.
        self._plot.addItem(self._text)
        self._plot.addItem(self._lit)
        self._plot.addItem(self.dots)
        self._plot.addItem(self._ring)
        self.curve_names, self.legend = CurveNames(), QLabel()
        row = filled(QHBoxLayout(), (self._plot, 1), self.curve_names, gap_px=0)
        filled(QVBoxLayout(self), (row, 1), self.legend, gap_px=0, margins_px=(0, 0, 0, 0))
        self.legend.setWordWrap(True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setContentsMargins(36, 0, 4, 0)
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(_LEAST_PX)
        self._plot.getPlotItem().getViewBox().sigRangeChanged.connect(self._name)
        self._plot.getPlotItem().getViewBox().sigResized.connect(self._name)
        self._plot.scene().sigMouseMoved.connect(self._moved)
        self._plot.left.connect(self._left)
        self.set_theme(LIGHT)

    def draw(self, picture: Waves, words: Words) -> None:
        before = self.picture
        fresh = before is None or before.values.shape != picture.values.shape
        self.picture, self._words = picture, words
        self._plot.getPlotItem().setVisible(True)
        n_curves, n = picture.values.shape
        if before is None or before.n_marked != picture.n_marked:
            self._text.setRegion((-0.5, picture.n_marked - 0.5))
        self.setAccessibleDescription(in_words(picture, words))
        self.cell_cursor.keep_within(n_curves, n)
        self._mark()
        same = before is not None and not fresh and before.names == picture.names
        if before is not None and same and before.x is picture.x and np.array_equal(before.values, picture.values):
            return  # The table of positions is the same for a new text.
        if self._told:
            self._left()
        while len(self.curves) < n_curves:
            self.curves.append(self._plot.plot(antialias=True, autoDownsample=True, downsampleMethod="peak", clipToView=True))
            # The shade behind the curves moves with each token, but the curves do not.
            self.curves[-1].curve.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        for index, curve in enumerate(self.curves):
            curve.setVisible(index < n_curves)
            if index < n_curves:
                self._draw_curve(picture, index)
        self._colour()
        self._tick(picture)
        if fresh:
            self._plot.getPlotItem().getViewBox().setLimits(xMin=-0.1 * n - 1, xMax=1.1 * n + 1, minXRange=2)
            self._plot.setRange(xRange=(-0.5, n - 0.5), padding=0)
        self._span(picture)
        self._name()

    def _draw_curve(self, picture: Waves, index: int) -> None:
        n = picture.values.shape[1]
        x, y = np.arange(n), picture.values[index]
        if picture.between is not None:  # Beyond the smooth part, places lie closer than pixels.
            beyond = x > picture.between.x[-1]
            x, y = np.append(picture.between.x, x[beyond]), np.append(picture.between.values[index], y[beyond])
        self.curves[index].setData(x, y, connect="finite", antialias=n <= _SMOOTH_PLACES)

    def _tick(self, picture: Waves) -> None:
        """Write round values below the places where a picture has values there; pyqtgraph numbers places by itself."""
        self._plot.getAxis("bottom").setTicks(None if picture.x is None else [round_values(picture.x)])

    def _span(self, picture: Waves) -> None:
        """Set the vertical range: symmetric around zero, or from zero upward where no value is negative."""
        finite = picture.values[np.isfinite(picture.values)]
        reach = 1.05 * float(np.abs(finite).max(initial=0.0)) or 1.0
        low = 0.0 if finite.size and float(finite.min()) >= 0 else -reach
        if (low, reach) != self._reach:
            self._reach = (low, reach)
            self._plot.setRange(yRange=(low, reach), padding=0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._plot.set_theme(theme)
        shade = QColor(theme.accent)
        shade.setAlpha(28)
        self._text.setBrush(shade)
        for line in self._text.lines:
            line.setPen(pg.mkPen(None))
        self._colour()
        self._lit.setPen(pg.mkPen(theme.accent))
        self._ring.setPen(pg.mkPen(theme.accent, width=2))
        self._ring.setBrush(pg.mkBrush(theme.card))
        self._lit.setVisible(False)

    def _colour(self) -> None:
        names = () if self.picture is None else self.picture.names
        main = None if self.picture is None else self.picture.main
        colours = colours_of_curves(self._theme, len(names), main)
        dense = self.picture is not None and self.picture.values.shape[1] > _SMOOTH_PLACES
        for index, curve in enumerate(self.curves):
            curve.setZValue(1 if index == main else 0)
            curve.setPen(pg.mkPen(colours[index % len(colours)], width=1 if dense else 2.4 if index == main else 1.4))
        self._dot(colours)
        self.legend.setText(
            " &nbsp; ".join(
                f"<span style='color:{colour}'>━</span>&nbsp;{_unbroken(name)}"
                for name, colour in zip(names, colours, strict=False)
            )
        )
        self.curve_names.put(names, colours, main, self._theme)
        self.setMinimumHeight(max(_LEAST_PX, self.curve_names.least_px() + _AXIS_PX) if main is not None else _LEAST_PX)
        self._choose_names()

    def _choose_names(self) -> None:
        """Names at the ends of the curves where one of them is the main one; a legend where there is more room below."""
        main = None if self.picture is None else self.picture.main
        beside = main is not None and self.curve_names.minimumWidth() <= _MOST_NAMES * self.width()
        self.curve_names.setVisible(beside)
        left_px = self.height() - self.legend.heightForWidth(self.width())
        self.legend.setVisible(not beside and self.height() >= _LEGEND_FROM_PX and left_px >= _LEAST_PLOT_PX)

    def _name(self) -> None:
        """Put the names beside the last value of each curve that is in sight."""
        if self.picture is None or not self.curve_names.names:
            return
        box = self._plot.getPlotItem().getViewBox()
        n = self.picture.values.shape[1]
        last = min(max(int(box.viewRange()[0][1]), 0), n - 1)
        values = np.nan_to_num(self.picture.values[:, last]).tolist()
        ends = [box.mapViewToScene(QPointF(last, value)).y() for value in values]
        self.curve_names.place(ends, box.mapRectToScene(box.boundingRect()).bottom())

    def _dot(self, colours: list[str]) -> None:
        """Draw a dot at each place of each curve, unless they would touch; one item, for each is painted by itself."""
        picture = self.picture
        if picture is None or picture.values.shape[1] > _MOST_DOTTED:
            self.dots.setData([], [])
            return
        curve, place = np.nonzero(np.isfinite(picture.values))
        last = np.argsort(curve == picture.main, kind="stable")
        curve, place = curve[last], place[last]
        brushes = [pg.mkBrush(colour) for colour in colours]
        self.dots.setData(place, picture.values[curve, place], brush=[brushes[each % len(brushes)] for each in curve])

    def light(self, tokens: frozenset[Spot]) -> None:
        """Draw a line at the first lit position."""
        places = sorted(place for _side, place in tokens)
        self._lit.setVisible(bool(places))
        if places:
            self._lit.setPos(places[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the legend where there is little room; the tooltip names the curves."""
        super().resizeEvent(event)
        self._choose_names()

    def fit(self) -> None:
        self._plot.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case _ if self._plot.zooms(event):
                pass
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _ if self._walks(event):
                pass
            case _:
                super().keyPressEvent(event)

    def _walks(self, event: QKeyEvent) -> bool:
        """Move the cursor where the key is one of its keys."""
        picture, step = self.picture, arrow(event)
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
        if picture is None or not plain or (step is None and event.key() not in ends):
            return False
        n_curves, n = picture.values.shape
        main = picture.main or 0
        if step is None:
            curve = main if self.cell_cursor.place is None else self.cell_cursor.place[0]
            self.cell_cursor.go(curve, ends[Qt.Key(event.key())] % n)
        else:
            self.cell_cursor.walk(step, n_curves, n, start=(main, 0))
        return True

    def _walked(self, curve: int, place: int) -> None:
        self._mark()
        told = self._about(curve, place)
        say(self, told.text)
        self.pointed.emit(told)

    def _mark(self) -> None:
        """Draw a ring around the cursor's place while the view has the focus."""
        at, picture = self.cell_cursor.place, self.picture
        if at is None or picture is None or not self.hasFocus() or not np.isfinite(picture.values[at]):
            self._ring.setData([], [])
        else:
            self._ring.setData([at[1]], [picture.values[at]])

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._mark()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._mark()

    def _about(self, curve: int, place: int) -> Pointed:
        """What is said of a place of a curve."""
        picture, words = self.picture, self._words
        if picture is None or words is None:
            return NOTHING
        text = words(
            "picture.cell",
            value=number(float(picture.values[curve, place])),
            where=f"{picture.x_name} {place_told(picture, place)} · {picture.names[curve]}",
            tap=picture.caption.tap,
            shape=picture.caption.shape,
        ) + told_origin(picture.caption, words)
        return Pointed(text, frozenset({("source", place), ("target", place)}) if place < picture.n_marked else frozenset())

    def _moved(self, where: QPointF) -> None:
        picture = self.picture
        if picture is None:
            return
        at = self._plot.getPlotItem().getViewBox().mapSceneToView(where)
        place = round(at.x())
        if not 0 <= place < picture.values.shape[1]:
            self._left()
            return
        nearest = int(np.argmin(np.abs(picture.values[:, place] - at.y())))
        told = self._about(nearest, place)
        self._told = True
        QToolTip.showText(self._plot.mapToGlobal(self._plot.mapFromScene(where)), told.text, self._plot)
        self.pointed.emit(told)

    def _left(self) -> None:
        self._told = False
        QToolTip.hideText()
        self.pointed.emit(NOTHING)


def _unbroken(name: str) -> str:
    """A name as rich text that stays in one line; between Chinese characters a line would break anywhere."""
    return "\N{WORD JOINER}".join(escape(mark) for mark in name.replace(" ", "\N{NO-BREAK SPACE}"))
