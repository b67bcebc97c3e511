"""A grip: a row is dragged by it with the mouse, and walks with the arrow keys while the grip has the focus."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

_WIDE, _HIGH, _DOT, _APART = 14, 16, 1.3, 4.0  # px


class Grip(QWidget):
    """Signals: dragged(place on the screen) while it is dragged; dropped(); given_up() by Escape; stepped(−1 up or 1 down)."""

    dragged = Signal(QPoint)
    dropped = Signal()
    given_up = Signal()
    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._pressed_at: QPoint | None = None
        self._dragging = False

    def sizeHint(self) -> QSize:
        return QSize(_WIDE, _HIGH)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.globalPosition().toPoint()
            self.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is None:
            return
        at = event.globalPosition().toPoint()
        if not self._dragging and (at - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
            return
        self._dragging = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.dragged.emit(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._end(dropped=self._dragging)

    def event(self, event: QEvent) -> bool:
        """Take Escape before the window's own shortcut does, as long as a row is dragged."""
        overrides = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if overrides and self._dragging and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # It is a QKeyEvent.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if self._dragging and event.key() == Qt.Key.Key_Escape:
            self._end(dropped=False)
        elif step is not None and not self._dragging:
            self.stepped.emit(step)
        else:
            super().keyPressEvent(event)

    def _end(self, *, dropped: bool) -> None:
        was, self._dragging, self._pressed_at = self._dragging, False, None
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        if was and dropped:
            self.dropped.emit()
        elif was:
            self.given_up.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        role = QPalette.ColorRole.Highlight if self.hasFocus() else QPalette.ColorRole.PlaceholderText
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().color(role))
            middle = QPointF(self.rect().center()) + QPointF(0.5, 0.5)
            for row in (-1, 0, 1):
                for column in (-0.5, 0.5):
                    painter.drawEllipse(middle + QPointF(column * _APART, row * _APART), _DOT, _DOT)
