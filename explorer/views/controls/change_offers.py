"""Buttons that make a first change with one click, in groups with a title each."""

from collections.abc import Sequence

import attrs
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.state.change_intents import AddChanges
from explorer.trace.changes import Change
from explorer.views.controls.flow import FlowLayout
from explorer.views.controls.tab_group import make_tab_group


@attrs.frozen
class OfferedChange:
    """A button's label, what it does in words, and the changes that it makes."""

    label: str
    about: str
    changes: tuple[Change, ...]


class ChangeOffers(QWidget):
    """One group. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setObjectName("faint")
        self.title.setWordWrap(True)
        self.buttons: list[QToolButton] = []
        self._offers: tuple[OfferedChange, ...] = ()
        row = QWidget()
        self._row = FlowLayout(row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 4)
        layout.setSpacing(4)
        layout.addWidget(self.title)
        layout.addWidget(row)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)

    def offer(self, title: str, offers: Sequence[OfferedChange]) -> None:
        """Show a button for each of these; the group is hidden without any."""
        self.title.setText(title)
        self._offers = tuple(offers)
        while len(self.buttons) > len(offers):
            button = self.buttons.pop()
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        while len(self.buttons) < len(offers):
            button = QToolButton()
            button.setObjectName("segment")
            button.clicked.connect(self._clicked)
            self.buttons.append(button)
            self._row.addWidget(button)
        for button, each in zip(self.buttons, offers, strict=True):
            button.setText(each.label)
            button.setToolTip(each.about)
            button.setAccessibleName(each.about)
        self.setVisible(bool(offers))
        self._row.invalidate()
        self.updateGeometry()

    def _clicked(self) -> None:
        place = self.buttons.index(self.sender())  # type: ignore[arg-type]  # The sender is one of the buttons.
        self.wished.emit(AddChanges(self._offers[place].changes))
