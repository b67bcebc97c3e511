"""The list of changes: a row for each, with a switch, its name and what it does; a grip moves it, a button takes it out.

Changes of one tap are made in the order of the list. A row is dragged by its grip, or walks with the arrow keys; where it was
dropped is one step of undo.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.change_text import Listed
from explorer.state.change_intents import MoveChanges, RemoveChanges, SwitchChanges
from explorer.views.controls.grip import Grip
from explorer.views.controls.outcome_row import TOOL_PX, OutcomeRow
from explorer.views.painting.style import set_style_property

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
