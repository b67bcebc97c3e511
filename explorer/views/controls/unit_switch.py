"""The button that lets pictures of attention stand for words instead of tokens."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from explorer.lang import Words
from explorer.state.look import Look


class UnitSwitch(QToolButton):
    """Pressed while words are shown. Signals: changed(dict) with the new value of a field of the Look."""

    changed = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segment")
        self.setCheckable(True)
        self.toggled.connect(self._toggled)

    def put(self, look: Look) -> None:
        """Show a Look without a signal."""
        with QSignalBlocker(self):
            self.setChecked(look.unit == "words")

    def speak(self, words: Words) -> None:
        self.setText(words("heads.unit_words"))
        self.setToolTip(words("heads.unit_words_hint"))
        self.setAccessibleDescription(words("heads.unit_words_hint"))

    def _toggled(self, on: bool) -> None:
        self.changed.emit({"unit": "words" if on else "tokens"})
