"""What of an attention map is shown: weights from a threshold on, between tokens or words, with special tokens or without."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from explorer.lang import Words
from explorer.state.look import Look
from explorer.views.controls.flow import FlowLayout
from explorer.views.controls.sampling import SamplingRow
from explorer.views.controls.tab_group import make_tab_group


class UnitSwitch(QToolButton):
    """Pressed while words are shown. Signals: changed(dict) with the new value of a field of the Look."""

    changed = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
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


_THRESHOLD_PX = 240  # px of the slider with its name and its box
_TICKS = [round(0.01 * i, 2) for i in range(101)]


class MapFilter(QWidget):
    """A slider and two buttons, in several lines where one has no room.

    Signals: changed(dict) with the new value of a field of the Look.
    """

    changed = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self.threshold = SamplingRow("threshold", _TICKS, off=0.0, decimals=2)
        self.threshold.lay_out(narrow=True)
        self.threshold.turned.connect(self._turned)
        self.specials = QToolButton()
        self.specials.setObjectName("segment")
        self.specials.setCheckable(True)
        self.specials.toggled.connect(self._hidden)
        self.threshold.setFixedWidth(_THRESHOLD_PX)
        self.unit = UnitSwitch()
        self.unit.changed.connect(self.changed)
        line = FlowLayout(self, gap_px=8)
        for each in (self.threshold, self.unit, self.specials):
            line.addWidget(each)
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down)

    def put(self, look: Look) -> None:
        """Show a Look without a signal."""
        self.threshold.put(look.threshold)
        self.unit.put(look)
        with QSignalBlocker(self.specials):
            self.specials.setChecked(look.specials == "hidden")

    def speak(self, words: Words) -> None:
        self.threshold.speak(words)
        name = self.threshold.name
        self.threshold.lay_out(narrow=True, name_px=name.fontMetrics().horizontalAdvance(name.text()) + 4)
        self.unit.speak(words)
        self.specials.setText(words("heads.specials"))
        self.specials.setToolTip(words("heads.specials_hint"))
        self.specials.setAccessibleDescription(words("heads.specials_hint"))

    def _turned(self, field: str, value: float) -> None:
        self.changed.emit({field: value})

    def _hidden(self, hidden: bool) -> None:
        self.changed.emit({"specials": "hidden" if hidden else "shown"})
