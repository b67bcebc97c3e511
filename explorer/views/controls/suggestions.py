"""Buttons with a sentence each, for what can be done with one click."""

from collections.abc import Container, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QCommandLinkButton, QGridLayout, QSizePolicy, QWidget

from explorer.views.controls.tab_group import make_tab_group

_COLUMNS = 2


class Suggestions(QWidget):
    """Signals: chose(key)."""

    chose = Signal(str)

    def __init__(self, keys: Sequence[str], columns: int = _COLUMNS) -> None:
        super().__init__()
        self.buttons: dict[str, QCommandLinkButton] = {}
        self._columns = columns
        layout = self._grid = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)  # Qt's least height for such a button leaves the sentence out.
        for place, key in enumerate(keys):
            button = self.buttons[key] = QCommandLinkButton()
            button.setObjectName("suggestion")
            button.setIcon(QIcon())
            button.setSizePolicy(policy)
            button.setProperty("suggests", key)
            button.clicked.connect(self._chosen)
            layout.addWidget(button, place // columns, place % columns)
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down)

    def name(self, key: str, title: str, about: str) -> None:
        """Write a button's title and its sentence."""
        button = self.buttons[key]
        button.setText(title)
        button.setDescription(about)
        button.setAccessibleName(title)
        button.setAccessibleDescription(about)

    def offer(self, keys: Container[str]) -> None:
        """Show these buttons alone, without a gap where another one would be."""
        for button in self.buttons.values():
            self._grid.removeWidget(button)
        shown = [key for key in self.buttons if key in keys]
        for key, button in self.buttons.items():
            button.setVisible(key in shown)
        for place, key in enumerate(shown):
            last = len(shown) % self._columns and place == len(shown) - 1
            columns = self._columns - place % self._columns if last else 1  # The last row is filled.
            self._grid.addWidget(self.buttons[key], place // self._columns, place % self._columns, 1, columns)

    def _chosen(self) -> None:
        self.chose.emit(str(self.sender().property("suggests")))
