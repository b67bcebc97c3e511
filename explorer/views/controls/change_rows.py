"""The list of changes: a row for each, with a switch, its name and what it does; a grip moves it, a button takes it out.

Changes of one tap are made in the order of the list. A row is dragged by its grip, or walks with the arrow keys; where it was
dropped is one step of undo. Below stand rows for first changes, which one click makes.
"""

from collections.abc import Sequence

import attrs
from PySide6.QtCore import QEvent, QPoint, QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.change_text import Listed
from explorer.state.change_intents import AddChanges, MoveChanges, RemoveChanges, SwitchChanges
from explorer.trace.changes import Change
from explorer.views.controls.check_box import Switch
from explorer.views.controls.layouts import filled
from explorer.views.controls.outcome_row import TOOL_PX, OutcomeRow
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.painting.style import set_style_property

_WIDE, _HIGH, _DOT, _APART = 14, 16, 1.3, 4.0  # px


class Grip(QWidget):
    """A row is dragged by it, and walks with the arrow keys while it has the focus.

    Signals: dragged(place on the screen); dropped(); given_up() by Escape; stepped(−1 up or 1 down).
    """

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


_LINE_PX = 2  # the line that shows where a row would be dropped


class ChangeRows(QWidget):
    """Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ChangeRow] = []
        self.line = QFrame(self)
        self.line.setObjectName("dropline")
        self.line.hide()
        self._drop_at = 0
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)

    def put(self, listed: Sequence[Listed], words: Words) -> None:
        """Show these changes. Rows are kept as far as there are as many, so that a row keeps the focus."""
        while len(self.rows) > len(listed):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(listed):
            self.rows.append(self._made())
            self._layout.addWidget(self.rows[-1])
        for row, each in zip(self.rows, listed, strict=True):
            row.put(each, words, alone=len(listed) == 1)

    def _made(self) -> "ChangeRow":
        row = ChangeRow()
        row.switch.toggled.connect(self._switched)
        row.remove.clicked.connect(self._removed)
        row.grip.dragged.connect(self._dragged)
        row.grip.dropped.connect(self._dropped)
        row.grip.given_up.connect(self.line.hide)
        row.grip.stepped.connect(self._stepped)
        return row

    def _row(self) -> "ChangeRow":
        row: ChangeRow = self.sender().parentWidget()  # type: ignore[attr-defined]  # The sender is a part of a row.
        return row

    def _switched(self, on: bool) -> None:
        self.wished.emit(SwitchChanges(self._row().indices, on))

    def _removed(self) -> None:
        self.wished.emit(RemoveChanges(self._row().indices))

    def _stepped(self, step: int) -> None:
        row = self._row()
        place = self.rows.index(row)
        to = place + (step if step < 0 else step + 1)
        if 0 <= to <= len(self.rows):
            self._move(row, to)
            self.rows[min(max(place + step, 0), len(self.rows) - 1)].grip.setFocus()  # The focus walks with the row.

    def _dragged(self, at: QPoint) -> None:
        """Show a line between the rows where it would be dropped."""
        y = self.mapFromGlobal(at).y()
        self._drop_at = sum(row.geometry().center().y() < y for row in self.rows)
        ends = [row.geometry().top() for row in self.rows] + [self.rows[-1].geometry().bottom()]
        self.line.setGeometry(0, max(0, ends[self._drop_at] - _LINE_PX), self.width(), _LINE_PX)
        self.line.show()
        self.line.raise_()

    def _dropped(self) -> None:
        self.line.hide()
        self._move(self._row(), self._drop_at)

    def _move(self, row: "ChangeRow", to: int) -> None:
        """Put a row's changes in front of the row at the place `to`; at the end of the list if there is none."""
        place = self.rows.index(row)
        if to not in (place, place + 1):  # There it stands already.
            before = [other for other in self.rows[:to] if other is not row]
            self.wished.emit(MoveChanges(row.indices, sum(len(other.indices) for other in before)))


class ChangeRow(OutcomeRow):
    """One change, or several that belong together."""

    def __init__(self) -> None:
        super().__init__()
        self.indices: tuple[int, ...] = ()
        self.grip, self.remove = Grip(), QToolButton()
        self.remove.setObjectName("small")
        self.remove.setText("×")
        self.remove.setFixedWidth(TOOL_PX)
        self.grid.addWidget(self.remove, 0, 3, Qt.AlignmentFlag.AlignVCenter)
        self.grid.addWidget(self.grip, 1, 3, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)

    def put(self, listed: Listed, words: Words, *, alone: bool) -> None:
        self.indices = listed.group.indices
        self.put_row("\n".join(filter(None, (listed.name, listed.lacks))), on=listed.group.on)
        self.switch.setAccessibleName(listed.name)
        set_style_property(self.name, "lacks", bool(listed.lacks))
        self.grip.setVisible(not alone)
        for part, key in ((self.grip, "move"), (self.remove, "remove")):
            part.setToolTip(words(f"change.{key}"))
            part.setAccessibleName(f"{words(f'change.{key}')}: {listed.name}")
        self.lacks = listed.lacks


@attrs.frozen
class OfferedChange:
    """A row's name, what it does in words, and the changes that it makes."""

    label: str
    about: str
    changes: tuple[Change, ...]


class ChangeOffers(QWidget):
    """A group of first changes with its title. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setObjectName("faint")
        self.title.setWordWrap(True)
        self.rows: list[OutcomeRow] = []
        self.offers: tuple[OfferedChange, ...] = ()
        self._layout = filled(QVBoxLayout(self), self.title, gap_px=0, margins_px=(0, 2, 0, 2))
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down)

    @property
    def buttons(self) -> list[Switch]:
        """The switches of the rows."""
        return [row.switch for row in self.rows]

    def offer(self, title: str, offers: Sequence[OfferedChange]) -> None:
        """Show a row for each of these; the group is hidden without any."""
        self.title.setText(title)
        self.offers = tuple(offers)
        while len(self.rows) > len(offers):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(offers):
            row = OutcomeRow()
            row.switch.toggled.connect(self._switched)
            self.rows.append(row)
            self._layout.addWidget(row)
        for row, each in zip(self.rows, offers, strict=True):
            row.put_row(each.label, on=False, about=each.about)
        self.setVisible(bool(offers))

    def _switched(self, _on: bool) -> None:
        switch = self.sender()
        place = self.buttons.index(switch)  # type: ignore[arg-type]  # The sender is one of the switches.
        with QSignalBlocker(switch):  # The change gets a row of its own; this one is for the next.
            self.buttons[place].setChecked(False)
        self.wished.emit(AddChanges(self.offers[place].changes))
