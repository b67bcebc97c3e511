"""Draws Bars: a labelled bar for each value, largest first. Bars that sampling cuts away are hatched, the chosen outlined.

Keys: up, down, Home and End select a bar; Enter or a click chooses it. Where there is no room for all, the list scrolls.
"""

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.cell_text import number, told_origin
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Bars
from explorer.picture.layout.bars import BarRow, bar_rows, draw_bar
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.views.painting.marks import paint_marks, qrect
from explorer.views.painting.pointed import NOTHING, Pointed, Spot, told_plainly
from explorer.views.painting.surface import Surface

_ROW = 24.0  # px, the largest height of a row
_LABEL, _FIGURE = 110.0, 70.0  # px, the widths of labels and figures
_NOTCH = 40.0  # of the wheel's units for one line; a notch of a mouse has 120
_MARGIN = 6.0  # px at the right of the values
_LINE = 1.45  # sizes of its letters that a line is high
_SMALLEST = 0.75  # of the font's size; bars are left out where rows would need smaller letters


class BarsView(Surface):
    """Shows Bars. Signals: pointed(Pointed); chose(id) for a bar with an id; opened() on Enter where bars have none."""

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Bars | None = None
        self.selected = 0  # the line that keys have selected
        self._here: int | None = None  # the bar under the mouse
        self._shown: list[int] = []
        self._first = 0  # the first bar, after scrolling
        self._rolled = 0.0  # lines that the wheel has turned and that are not yet scrolled
        self._left = 8.0
        self._pressed: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 60)

    def draw(self, picture: Bars, words: Words) -> None:
        before, self.picture, self.words = self.picture, picture, words
        self.setCursor(Qt.CursorShape.PointingHandCursor if picture.ids else Qt.CursorShape.ArrowCursor)
        self.setAccessibleDescription(in_words(picture, words))
        here = self._here
        if before is None or before.caption.title != picture.caption.title:
            self._first = 0  # Another step has other candidates.
        self._place()
        self._here = here if here in self._shown else None
        self.tell_again(NOTHING if self._here is None else self.describe(self._here))

    def light(self, tokens: frozenset[Spot]) -> None:
        """Do nothing: symbols of the vocabulary are no tokens of the text."""

    def fit(self) -> None:
        """Do nothing: bars do not zoom."""

    def row_rect(self, index: int) -> QRectF:
        """The rectangle of a bar with its label and figure (px); empty for a bar that is not shown."""
        if index not in self._shown:
            return QRectF()
        return QRectF(0, self._shown.index(index) * self._row(), self.width(), self._row())

    def _place(self) -> None:
        """Choose the bars that have room, from the first one scrolled to, and always the chosen one."""
        picture = self.picture
        if picture is None:
            return
        n_bars, lines = len(picture.labels), self._lines()
        self._first = min(self._first, max(0, n_bars - lines))
        self._shown = list(range(self._first, min(n_bars, self._first + lines)))
        if picture.chosen is not None and picture.chosen not in self._shown:
            self._shown[-1 if picture.chosen > self._first else 0] = picture.chosen
        self._left = 8 + min(
            _LABEL * self.letters,
            max((self.measure(picture.labels[index], self._row_px(), False) for index in self._shown), default=0),
        )
        self.selected = min(self.selected, len(self._shown) - 1)
        self._here = None
        self.update()

    def _lines(self) -> int:
        """The number of bars that have room. Where not all have, a line below them counts the others."""
        assert self.picture is not None  # Callers have a picture.
        n_bars = len(self.picture.labels)
        room = max(1, int(self.height() / (_SMALLEST * self.letter_px * _LINE)))
        return n_bars if room >= n_bars else max(1, room - 1)

    def scroll_by(self, lines: int) -> bool:
        """Scroll by so many bars; returns False at the end."""
        if self.picture is None:
            return False
        first = min(max(self._first + lines, 0), max(0, len(self.picture.labels) - self._lines()))
        moved, self._first = first != self._first, first
        if moved:
            self._place()
        return moved

    def _row(self) -> float:
        lines = len(self._shown) + (self.picture is not None and len(self._shown) < len(self.picture.labels))
        return min(_ROW * self.letters, self.height() / max(1, lines))

    def _row_px(self) -> float:
        """The size of the largest letters that a row has room for (px)."""
        return min(self.letter_px, max(_SMALLEST * self.letter_px, self._row() / _LINE))

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None or self.words is None:
            return
        sketch, theme, px = Sketch(self.theme, "", self.measure), self.theme, self._row_px()
        for row in self._rows():
            selected = self.hasFocus() and self._shown[self.selected] == row.index
            if selected or row.index == self._here:
                sketch.box(row.row, theme.window)
            if selected:
                sketch.box(Rect(0, row.row.y, 2, row.row.high), theme.accent)
            draw_bar(sketch, self.picture, row, px)
        n_bars, high = len(self.picture.labels), len(self._shown) * self._row()
        if n_bars > len(self._shown):
            more = self.words("sampling.more", count=n_bars - len(self._shown))
            sketch.write(self._left + 8, high + self._row() / 2 + 0.36 * px, more, px, theme.faint)
        if self._lines() < n_bars:  # A thin bar at the right says which part of the list is visible.
            place = Rect(self.width() - 4, high * self._first / n_bars, 3, high * self._lines() / n_bars)
            sketch.box(place, theme.edge, radius=1.5)
        paint_marks(painter, sketch.marks, theme)

    def bar_rect(self, index: int) -> QRectF:
        """The rectangle of the bar itself (px)."""
        return next((qrect(row.bar) for row in self._rows() if row.index == index), QRectF())

    def _rows(self) -> tuple[BarRow, ...]:
        assert self.picture is not None  # Callers have a picture.
        area = Rect(4, 0, self.width() - 4 - _MARGIN, self.height())
        return bar_rows(self.picture, self._shown, area, self._row(), self._left - 4, _FIGURE * self.letters)

    def describe(self, index: int) -> Pointed:
        picture, words = self.picture, self.words
        if picture is None or words is None:
            return NOTHING
        value = float(picture.values[index])
        where = {"value": number(value), "tap": picture.caption.tap, "shape": picture.caption.shape}
        if not picture.ids:
            return told_plainly(
                words("picture.cell", where=picture.labels[index], **where) + told_origin(picture.caption, words)
            )
        with np.errstate(divide="ignore"):
            log_p = number(float(np.log(value)))
        lines = [words("sampling.about", symbol=picture.labels[index], id=picture.ids[index], log_p=log_p, **where)]
        if picture.cut is not None and picture.cut[index]:
            lines.append(words("sampling.cut"))
        lines.append(words("sampling.chosen" if index == picture.chosen else "sampling.choose"))
        return told_plainly("\n".join(lines) + told_origin(picture.caption, words))

    def _at(self, place: QPointF) -> int | None:
        line = int(place.y() / self._row())
        return self._shown[line] if 0 <= line < len(self._shown) and self.rect().contains(place.toPoint()) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = self._at(event.position())
        if here != self._here:
            self._here = here
            self.update()
        pointed = NOTHING if here is None else self.describe(here)
        self.tell(event.globalPosition().toPoint(), pointed)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self._at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the bar on which the mouse was both pressed and released."""
        here = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and here is not None and here == self._pressed:
            self.selected = self._shown.index(here)
            self._choose()
        self._pressed = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._shown) - 1
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down if last >= 0:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                if not 0 <= self.selected + step <= last:
                    self.scroll_by(step)
                self._select(self.selected + step)
            case Qt.Key.Key_Home if last >= 0:
                self.scroll_by(-len(self.picture.labels) if self.picture is not None else 0)
                self._select(0)
            case Qt.Key.Key_End if last >= 0:
                self.scroll_by(len(self.picture.labels) if self.picture is not None else 0)
                self._select(last)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose()
            case _:
                super().keyPressEvent(event)

    def _select(self, line: int) -> None:
        self.selected = min(max(line, 0), len(self._shown) - 1)
        self.tell_by_keys(self.describe(self._shown[self.selected]))

    def _choose(self) -> None:
        if self.picture is None or not self.picture.ids:
            self.opened.emit()
            return
        self.chose.emit(self.picture.ids[self._shown[self.selected]])
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.picture is None or self._lines() >= len(self.picture.labels) or self.wheel_is_the_pages(event):
            event.ignore()
            return
        self._rolled -= event.angleDelta().y() / _NOTCH
        lines = int(self._rolled)
        self._rolled -= lines
        self.scroll_by(lines)
        event.accept()

    def left(self) -> None:
        self._here = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
