"""The Canvas, the base of all maps on screen: a field of cells that can be zoomed, panned and pointed at.

Decision: QPainter paints one image of the cells. Rejected: a pyqtgraph ImageItem with axes, whose labels cannot turn,
elide, hatch or light up, and which repaints more slowly.
"""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QNativeGestureEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.viewport import CellField, Viewport
from explorer.picture.scales import Scale
from explorer.picture.theme import Theme
from explorer.trace.levels import Levels
from explorer.views.painting.map_parts import MapParts
from explorer.views.painting.marks import paint_marks, qrect, rect_of
from explorer.views.painting.paint import colour_image, squeezed
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface
from explorer.views.painting.trackpad import by_fingers, moved_px, rolls_on

_ZOOM = 1.25  # the factor of one notch of the wheel
_LEAST_PINCH = 0.1  # the smallest factor of one pinch event
_ROW_PX, _LEAST_FIELD_PX, _MOST_FIELD_PX = 14, 64, 160  # of a row that has a label, and of all cells, before a page scrolls


class Canvas(Surface):
    """A field of cells. Subclasses set the cells (`set_cells`), describe them (`describe`) and paint around them.

    Signals: pointed(Pointed) when the mouse moves over a cell or leaves; opened() on Enter.
    """

    moved = Signal(object)  # the Viewport, when the user zooms or pans

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.square = False
        self.stretch = 1.0  # how many times as wide as high a square cell may become to use the view's width
        self.paired = False  # whether columns are features, every other one of which may be a cosine
        self.here: tuple[int, int] | None = None  # the cell under the mouse
        self._view = Viewport.whole(1, 1)
        self._field: QRectF | None = None  # kept for each picture, size and view, since labels are slow to measure
        self._image: QImage | None = None
        self._parts = MapParts()
        self._index: NDArray[np.uint8] = np.zeros((1, 1), np.uint8)
        self._colours = ""
        self._grabbed: QPointF | None = None
        self._moved = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(60, 40)

    # Methods that a subclass overrides

    def least_field_px(self) -> int:
        """The height (px) below which a page scrolls instead of squeezing the cells: a letter for each of some rows."""
        rows = self.view.rows
        return min(max(min(_LEAST_FIELD_PX, 2 * rows * _ROW_PX), rows * _ROW_PX), _MOST_FIELD_PX)

    def margins(self) -> tuple[float, float, float, float]:
        """The room (px) at the left, top, right and bottom of the cells."""
        return 4, 4, 4, 4

    def describe(self, row: int, column: int) -> Pointed:
        return NOTHING

    def draw_around(self, sketch: Sketch, field: CellField) -> None:
        """Draw labels and legends outside the cells."""

    def draw_over(self, sketch: Sketch, field: CellField) -> None:
        """Draw hatching, numbers and outlines, clipped to the cells."""

    def draw_cursor(self, sketch: Sketch, field: CellField) -> None:
        """Draw the cursor above all else, clipped to the cells."""

    def chosen_at(self, row: int, column: int) -> None:
        """Handle a click on a cell."""

    # Methods that a subclass calls

    def set_cells(self, index: NDArray[np.uint8], colours: str) -> None:
        """Show other cells. The zoom stays if the size is the same."""
        rows, columns = index.shape
        if (columns, rows) != (self.view.columns, self.view.rows):
            self.view = Viewport.whole(columns, rows)
        self._index, self._colours, self._field = index, colours, None
        self._image = colour_image(index, colours, self.theme)
        self._parts.forget()
        self._keep_height()
        self._tell_again()
        self.update()

    def set_size(self, rows: int, columns: int) -> None:
        """Show other cells, too many for one image, which the subclass paints with `paint_part`."""
        if (columns, rows) != (self.view.columns, self.view.rows):
            self.view = Viewport.whole(columns, rows)
        self._image, self._field = None, None
        self._parts.forget()
        self._keep_height()
        self._tell_again()
        self.update()

    def _keep_height(self) -> None:
        """Ask for room for the cells and what stands around them, which may take more lines in a narrow view."""
        _left, top, _right, bottom = self.margins()
        self.setMinimumHeight(int(top + bottom) + self.least_field_px())

    def paint_part(self, painter: QPainter, levels: Levels, scale: Scale, top: float = 0, left: float = 0) -> None:
        """Paint the visible part of a large map whose first cell stands at (top, left) of the canvas."""
        self._parts.paint(painter, self.cells, levels, scale, self.theme, top, left)

    def paint_heads(self, painter: QPainter, levels: Levels, scale: Scale, corners: list[tuple[int, int]]) -> None:
        """Paint the whole [head, row, column] maps whose first cells stand at these rows and columns of the canvas."""
        self._parts.paint_heads(painter, self.cells, levels, scale, self.theme, corners)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self._image is not None and self._colours:
            self._image = colour_image(self._index, self._colours, theme)
        self._parts.forget()

    def fit(self) -> None:
        """Show all cells."""
        self.view = Viewport.whole(self.view.columns, self.view.rows)
        self.moved.emit(self.view)
        self.update()

    @property
    def view(self) -> Viewport:
        """The visible part of the cells."""
        return self._view

    @view.setter
    def view(self, view: Viewport) -> None:
        self._view, self._field = view, None

    def field(self) -> QRectF:
        """The rectangle in which cells are painted (px)."""
        if self._field is None:
            self._field = self._measure()
        return self._field

    def _measure(self) -> QRectF:
        left, top, right, bottom = self.margins()
        room = QRectF(left, top, max(8.0, self.width() - left - right), max(8.0, self.height() - top - bottom))
        if self.square:
            across, down = self.view.right - self.view.left, self.view.bottom - self.view.top
            side = min(room.width() / across, room.height() / down)
            room.setWidth(min(room.width(), self.stretch * side * across))
            room.setHeight(side * down)
        return room

    @property
    def cells(self) -> CellField:
        """Where the visible cells stand."""
        return CellField(rect_of(self.field()), self.view)

    def cell_size(self) -> tuple[float, float]:
        """Width and height of a cell (px)."""
        return self.cells.wide, self.cells.high

    def cell_rect(self, row: float, column: float, rows: float = 1, columns: float = 1) -> QRectF:
        """The rectangle of a cell or of a block of cells (px)."""
        return qrect(self.cells.cells(row, column, rows, columns))

    def cell_at(self, place: QPointF) -> tuple[float, float] | None:
        """Row and column, with fractions, at a point of the widget; None outside the cells."""
        field, (wide, high) = self.field(), self.cell_size()
        if not field.contains(place):
            return None
        row = self.view.top + (place.y() - field.top()) / high
        column = self.view.left + (place.x() - field.left()) / wide
        return min(row, self.view.rows - 1e-6), min(column, self.view.columns - 1e-6)

    # Qt's events

    def paint(self, painter: QPainter, part: QRect) -> None:
        field, cells = self.field(), self.cells
        painter.save()
        painter.setClipRect(field)
        self.paint_cells(painter, field)
        painter.setClipRect(field.adjusted(-1.5, -1.5, 1.5, 1.5))
        over, around = (Sketch(self.theme, "", self.measure) for _ in range(2))
        self.draw_over(over, cells)
        self.draw_cursor(over, cells)
        paint_marks(painter, over.marks, self.theme)
        painter.restore()
        self.draw_around(around, cells)
        paint_marks(painter, around.marks, self.theme)
        self.paint_focus(painter)

    def covered(self) -> QRect:
        return QRect() if self._image is None else self.field().toAlignedRect().adjusted(1, 1, -1, -1)

    def paint_cells(self, painter: QPainter, field: QRectF) -> None:
        """Paint the cells, clipped to their field."""
        if self._image is None:
            return
        view = self.view
        seen = QRectF(view.left, view.top, view.right - view.left, view.bottom - view.top)
        # With more cells than pixels, smoothing keeps a single bright cell visible.
        across, down = seen.width() > 1.5 * field.width(), seen.height() > 1.5 * field.height()
        # Of features that are only just too many, single ones would be left out in regular places, which looks like a pattern.
        across = across or (self.paired and not down and seen.width() > field.width())
        image = self._image
        if across != down:  # Smoothed in both directions, the few rows of long vectors would run into each other.
            size = field.size() * painter.device().devicePixelRatioF()
            image, seen = squeezed(image, seen, size, across=across, paired=self.paired)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, across and down)
        painter.drawImage(field, image, seen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._field = None
        if event.size().width() != event.oldSize().width():
            self._keep_height()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._field = None  # The font may have changed.

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.wheel_is_the_pages(event):
            return
        if by_fingers(event) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._wheel_moves(event)
            return
        notches = event.angleDelta().y() / 120
        if notches and self._zoom_at(event.position(), _ZOOM**notches):
            event.accept()

    def _wheel_moves(self, event: QWheelEvent) -> None:
        """Move the view by two fingers; where all cells are visible, leave the event to the page."""
        if self.view.is_whole:
            event.ignore()
            return
        event.accept()
        if not rolls_on(event):
            self._move(moved_px(event))

    def _move(self, step: QPointF) -> None:
        """Move the view as if the cells were dragged by `step` (px)."""
        wide, high = self.cell_size()
        self.view = self.view.moved(-step.x() / wide, -step.y() / high)
        self.moved.emit(self.view)
        self.update()

    def _zoom_at(self, place: QPointF, factor: float) -> bool:
        """Zoom around a point of the widget; returns False outside the cells."""
        at = self.cell_at(place)
        if at is None:
            return False
        self.view = self.view.zoomed(at[1], at[0], factor)
        self.moved.emit(self.view)
        self.update()
        return True

    def event(self, event: QEvent) -> bool:
        """Zoom on a pinch gesture."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            return self._zoom_at(event.position(), max(_LEAST_PINCH, 1 + event.value()))
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None and not self.view.is_whole:
            step = event.position() - self._grabbed
            if self._moved or step.manhattanLength() > 3:
                self._moved = True
                self._grabbed = event.position()
                self._move(step)
            return
        self._point(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = self.cell_at(event.position())
        if self._grabbed is not None and not self._moved and at is not None:
            self.chosen_at(int(at[0]), int(at[1]))
        self._grabbed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def left(self) -> None:
        self.here = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:  # Keys with Ctrl are the window's shortcuts.
            super().keyPressEvent(event)
            return
        middle = (self.view.left + self.view.right) / 2, (self.view.top + self.view.bottom) / 2
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.view = self.view.zoomed(*middle, _ZOOM)
            case Qt.Key.Key_Minus:
                self.view = self.view.zoomed(*middle, 1 / _ZOOM)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)
                return
        self.moved.emit(self.view)
        self.update()

    def _tell_again(self) -> None:
        """Update the tooltip after the cell under the mouse has got another value."""
        if self.here is not None:
            inside = self.here[0] < self.view.rows and self.here[1] < self.view.columns
            self.here = self.here if inside else None
            self.tell_again(NOTHING if self.here is None else self.describe(*self.here))

    def _point(self, event: QMouseEvent) -> None:
        at = self.cell_at(event.position())
        self.here = None if at is None else (int(at[0]), int(at[1]))
        pointed = NOTHING if self.here is None else self.describe(*self.here)
        self.tell(event.globalPosition().toPoint(), pointed)
