"""Rows for first changes, which one click makes, in groups with a title each."""

from collections.abc import Sequence

import attrs
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from explorer.state.change_intents import AddChanges
from explorer.trace.changes import Change
from explorer.views.controls.check_box import Switch
from explorer.views.controls.layouts import filled
from explorer.views.controls.outcome_row import OutcomeRow
from explorer.views.controls.tab_group import make_tab_group


@attrs.frozen
class OfferedChange:
    """A row's name, what it does in words, and the changes that it makes."""

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
