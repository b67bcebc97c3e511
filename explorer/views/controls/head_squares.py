"""Squares, one for each head, that choose whose lines lie over one another, in the colours of those lines."""

from PySide6.QtCore import QLineF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QToolButton, QWidget

from explorer.lang import Words
from explorer.picture.alignment_lines import head_colour
from explorer.picture.cell_numbers import ink_on
from explorer.picture.theme import LIGHT, Theme
from explorer.state.look import Look, alone, every, toggled
from explorer.views.controls.flow import FlowLayout
from explorer.views.controls.tab_group import make_tab_group

_HIGH_PX, _ROOM_PX = 20, 10  # px: height of a square, and room beside its number
_DASHES = {"": Qt.PenStyle.NoPen, "dashed": Qt.PenStyle.DashLine, "dotted": Qt.PenStyle.DotLine}


class HeadSquare(QAbstractButton):
    """One head. Signals: clicked() to add or take away its lines; alone() on a double click or Enter, to see no others."""

    alone = Signal()

    def __init__(self, head: int) -> None:
        super().__init__()
        self.head = head
        self.theme: Theme = LIGHT
        self.colour = ""  # "" while its lines are not drawn
        self.setText(str(head))
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(max(_HIGH_PX + 4, self.fontMetrics().horizontalAdvance(self.text()) + _ROOM_PX), _HIGH_PX)

    def nextCheckState(self) -> None:
        """Nothing: the Look says which squares are on."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.alone.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.alone.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box = self.theme, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            focused, over = self.hasFocus(), self.underMouse()
            painter.setPen(QPen(QColor(theme.text if focused else theme.faint if over else theme.edge), 2 if focused else 1))
            painter.setBrush(QColor(self.colour or theme.card))
            painter.drawRoundedRect(box, 3, 3)
            ink = theme.faint
            if self.colour:
                ink = ink_on(self.colour)
            font = QFont(painter.font())
            font.setBold(bool(self.colour))
            painter.setFont(font)
            painter.setPen(QColor(ink))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())
            painter.setPen(QPen(QColor(ink), 1, _DASHES[head_colour(self.head, theme)[1]]))
            painter.drawLine(QLineF(box.left() + 4, box.bottom() - 3, box.right() - 4, box.bottom() - 3))


class HeadSquares(QWidget):
    """The squares of all heads of a layer, and a button for all of them. Signals: changed(dict) with new values of the Look."""

    changed = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self.squares: list[HeadSquare] = []
        self.every = QToolButton()
        self.every.setObjectName("small")
        self.every.clicked.connect(self._all_or_one)
        self._flow = FlowLayout(self)
        self._flow.addWidget(self.every)
        self._look = Look()
        self._theme: Theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)

    def put(self, look: Look, n_heads: int, words: Words) -> None:
        """Show which heads of a Look are drawn, without a signal; one head alone has the accent's colour, as its lines have."""
        self._look = look
        self._offer(n_heads)
        drawn = look.drawn_heads()
        for square in self.squares:
            on = square.head in drawn
            square.theme = self._theme
            colour = head_colour(square.head, self._theme)[0] if len(drawn) > 1 else self._theme.accent
            square.colour = colour if on else ""
            square.setChecked(on)
            square.setAccessibleName(words("heads.square", head=square.head))
            square.setToolTip(words("heads.square_hint", head=square.head))
            square.update()
        self.every.setText(words("heads.every"))
        self.every.setToolTip(words("heads.every_hint"))

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme; the next `put` shows them."""
        self._theme = theme

    def _offer(self, n_heads: int) -> None:
        """Have as many squares as heads."""
        for square in self.squares[n_heads:]:
            self._flow.removeWidget(square)
            square.hide()
            square.deleteLater()
        del self.squares[n_heads:]
        self._flow.removeWidget(self.every)
        while len(self.squares) < n_heads:
            square = HeadSquare(len(self.squares))
            square.clicked.connect(self._toggled)
            square.alone.connect(self._alone)
            self.squares.append(square)
            self._flow.addWidget(square)
            square.show()  # Otherwise it would take no room until the next event.
        self._flow.addWidget(self.every)

    def _of_sender(self) -> int:
        square = self.sender()
        assert isinstance(square, HeadSquare)  # Only squares are connected.
        return square.head

    def _toggled(self) -> None:
        self.changed.emit(toggled(self._look, self._of_sender()))

    def _alone(self) -> None:
        self.changed.emit(alone(self._look, self._of_sender(), len(self.squares)))

    def _all_or_one(self) -> None:
        self.changed.emit(every(self._look, len(self.squares)))
