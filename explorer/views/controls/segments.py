"""A row of buttons of which one is pressed, to choose an attention, a side or a stage."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from explorer.views.controls.tab_group import make_tab_group


class Segments(QWidget):
    """The row of buttons; `offer` sets the choices. Signals: chose(key) when the user presses a button."""

    chose = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._keys: list[str] = []
        make_tab_group(self)  # In a group of which one button is pressed, Qt's arrow keys choose.
        self._group.idClicked.connect(self._pressed)

    def offer(self, labels: dict[str, str], chosen: str) -> None:
        """Show these choices (key to label). New buttons are made only when the keys change."""
        if list(labels) != self._keys:
            for button in self._group.buttons():
                self._group.removeButton(button)
                self._layout.removeWidget(button)
                button.deleteLater()
            self._keys = list(labels)
            for place in range(len(self._keys)):
                button = QToolButton()
                button.setObjectName("segment")
                button.setCheckable(True)
                button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
                self._group.addButton(button, place)
                self._layout.addWidget(button)
                button.show()  # The layout shows it a turn later, and until then takes it for nothing.
        for place, key in enumerate(self._keys):
            button = self._group.button(place)
            button.setText(labels[key])
            button.setAccessibleName(f"{self.accessibleName()} {labels[key]}".strip())
            with QSignalBlocker(button):
                button.setChecked(key == chosen)
        self.setVisible(len(self._keys) > 1)

    def setAccessibleName(self, name: str) -> None:
        """Set the name of the whole row, which a screen reader says before each button's label."""
        super().setAccessibleName(name)
        for button in self._group.buttons():
            button.setAccessibleName(f"{name} {button.text()}".strip())

    def press(self, key: str) -> None:
        """Press the button of this key as the user would."""
        self._group.button(self._keys.index(key)).click()

    def _pressed(self, place: int) -> None:
        self.chose.emit(self._keys[place])
