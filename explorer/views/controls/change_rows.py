"""The list of changes: a row for each, with a switch, its name, and buttons to move it and to take it out."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.change_text import Listed
from explorer.state.change_intents import MoveChanges, RemoveChanges, SwitchChanges
from explorer.views.controls.switch import Switch
from explorer.views.painting.style import set_style_property

_BUTTON_PX = 22


class ChangeRows(QWidget):
    """Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[_Row] = []
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
            row = _Row()
            row.switch.toggled.connect(self._switched)
            row.remove.clicked.connect(self._removed)
            row.up.clicked.connect(self._up)
            row.down.clicked.connect(self._down)
            self.rows.append(row)
            self._layout.addWidget(row)
        for place, (row, each) in enumerate(zip(self.rows, listed, strict=True)):
            row.put(each, words, first=place == 0, last=place == len(listed) - 1)

    def _row(self) -> "_Row":
        row: _Row = self.sender().parentWidget()  # type: ignore[attr-defined]  # The sender is a button of a row.
        return row

    def _switched(self, on: bool) -> None:
        self.wished.emit(SwitchChanges(self._row().indices, on))

    def _removed(self) -> None:
        self.wished.emit(RemoveChanges(self._row().indices))

    def _up(self) -> None:
        row = self._row()
        above = self.rows[self.rows.index(row) - 1]
        self.wished.emit(MoveChanges(row.indices, above.indices[0]))

    def _down(self) -> None:
        row = self._row()
        below = self.rows[self.rows.index(row) + 1]
        self.wished.emit(MoveChanges(row.indices, below.indices[-1] + 1 - len(row.indices)))


class _Row(QWidget):
    """One change, or several that belong together."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("changerow")
        self.indices: tuple[int, ...] = ()
        self.switch, self.name = Switch(), QLabel()
        self.name.setObjectName("changename")
        self.name.setWordWrap(True)
        self.up, self.down, self.remove = QToolButton(), QToolButton(), QToolButton()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 1, 0, 1)
        layout.setSpacing(2)
        layout.addWidget(self.switch)
        layout.addSpacing(6)
        layout.addWidget(self.name, 1)
        for button, sign in ((self.up, "↑"), (self.down, "↓"), (self.remove, "×")):
            button.setObjectName("small")
            button.setText(sign)
            button.setFixedWidth(_BUTTON_PX)
            kept = button.sizePolicy()
            kept.setRetainSizeWhenHidden(True)
            button.setSizePolicy(kept)
            layout.addWidget(button)

    def put(self, listed: Listed, words: Words, *, first: bool, last: bool) -> None:
        self.indices = listed.group.indices
        with QSignalBlocker(self.switch):
            self.switch.setChecked(listed.group.on)
        self.name.setText("\n".join(filter(None, (listed.name, listed.lacks))))
        self.switch.setAccessibleName(listed.name)
        self.switch.setAccessibleDescription(listed.lacks)
        set_style_property(self.name, "lacks", bool(listed.lacks))
        self.up.setEnabled(not first)
        self.down.setEnabled(not last)
        self.up.setVisible(not (first and last))
        self.down.setVisible(not (first and last))
        for button, key in ((self.up, "up"), (self.down, "down"), (self.remove, "remove")):
            button.setToolTip(words(f"change.{key}"))
            button.setAccessibleName(f"{words(f'change.{key}')}: {listed.name}")
