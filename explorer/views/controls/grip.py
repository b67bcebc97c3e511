"""The grip on a border between what lies beside each other: dragged, or moved by arrow keys, it parts the room anew."""

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QWidget

from explorer.lang import Words

WIDE_PX = 8  # px that take the mouse
_LINE_PX, _INSET_PX = 2, 8  # px, how wide the line is that shows it, and how far it ends from the row's edges
_STEP_PX, _FAR_PX = 8, 64  # px of an arrow key, and with Shift


class BorderGrip(QWidget):
    """A border that can be moved: by the mouse, by the arrow keys, and back by a double click or Enter.

    Signals: moved(px to the right since it was last told); let_go() when a person has moved it; put_back().
    """

    moved, let_go, put_back = Signal(int), Signal(), Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # F8 gives it the focus: Tab goes from picture to picture.
        self._from: float | None = None  # where the mouse was pressed, in px of the grip
        self._is_near = False
        self.hide()

    def speak(self, words: Words) -> None:
        self.setToolTip(words("grip.hint"))
        self.setAccessibleName(words("grip.name"))
        self.setAccessibleDescription(words("grip.hint"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = event.position().x()
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # The grip goes with its border, so the place of the mouse in it says how far the border lags behind.
        by = 0 if self._from is None else round(event.position().x() - self._from)
        if by:
            self.moved.emit(by)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._from is not None and event.button() == Qt.MouseButton.LeftButton:
            self._from = None
            self.update()
            self.let_go.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.put_back.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        px = _FAR_PX if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP_PX
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self.moved.emit(px if event.key() == Qt.Key.Key_Right else -px)
                self.let_go.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.put_back.emit()
            case _:
                super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_near = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_near = False
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not (self._is_near or self._from is not None or self.hasFocus()):
            return
        held = self._from is not None or self.hasFocus()
        colour = self.palette().color(QPalette.ColorRole.Highlight if held else QPalette.ColorRole.PlaceholderText)
        line = QRect((self.width() - _LINE_PX) // 2, _INSET_PX, _LINE_PX, self.height() - 2 * _INSET_PX)
        with QPainter(self) as painter:
            painter.fillRect(line, colour)
