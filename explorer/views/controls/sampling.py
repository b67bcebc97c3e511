"""The controls of decoding: temperature, top-k and top-p, each with a slider and a box, and the beam width."""

import math

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QBoxLayout, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from explorer.config import BEAM
from explorer.lang import Words
from explorer.state.intents import SetBeam, look_at
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.views.controls.number_box import NumberBox, plain_figures
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.controls.wheel import ResettingName, ResettingSlider
from explorer.views.painting.style import set_style_property

_N_STEPS = 80  # ticks of the logarithmic top-k slider
_TEMPERATURES = [round(0.05 * i, 2) for i in range(2, 61)]
_SHARES = [round(0.01 * i, 2) for i in range(5, 101)]
_BOX_PX = 50
_NARROW_PX = 600  # px; a narrower bar puts the three controls below each other
_LEAST_SLIDER_PX = 96  # px; a shorter slider stands below its name and number


class OffBox(NumberBox):
    """A box for a number. The value `off`, which switches the rule off, is shown as a word."""

    off: float | None = None
    word = ""

    def __init__(self, off: float | None, decimals: int) -> None:
        super().__init__()
        self.off = off
        self.setDecimals(decimals)
        self.setKeyboardTracking(False)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(_BOX_PX)

    def speak(self, word: str) -> None:
        self.word = word
        with QSignalBlocker(self):
            self.setValue(self.value())  # Write the value in the new language.
        self.lineEdit().setText(self.textFromValue(self.value()))

    def textFromValue(self, value: float) -> str:
        return self.word if self.word and value == self.off else super().textFromValue(value)

    def valueFromText(self, text: str) -> float:
        if self.off is not None and text == self.word:
            return self.off
        return super().valueFromText(text)

    def validate(self, text: str, place: int) -> object:
        if text and self.word.startswith(text):
            whole = text == self.word
            return (QValidator.State.Acceptable if whole else QValidator.State.Intermediate), text, place
        text = plain_figures(text)
        number = _number(text)
        if number is not None and number > self.maximum():
            return QValidator.State.Intermediate, text, place  # Otherwise typing 6500 with a limit of 6000 would give 650.
        return super().validate(text, place)

    def fixup(self, text: str) -> str:
        """Replace a number outside the range by the nearest end."""
        number = _number(plain_figures(text))
        inside = self.value() if number is None else min(max(number, self.minimum()), self.maximum())
        return self.textFromValue(inside)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class SamplingRow(QWidget):
    """One control: name, slider and box. `ticks` are the slider's values. Signals: turned(field, value)."""

    turned = Signal(str, object)

    def __init__(self, field: str, ticks: list[float], off: float | None, decimals: int, start: float | None = None) -> None:
        """`start` is the value that a double click goes back to; a field of the Look has its own."""
        super().__init__()
        self.field = field
        self.start: float = getattr(Look(), field) if start is None else start
        self.name = ResettingName()
        self.name.setWordWrap(True)
        self.box = OffBox(off, decimals)
        self.slider = ResettingSlider()
        self._ticks: list[float] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        self._grid = grid
        self.lay_out(narrow=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.offer(ticks)
        self.put(self.start)
        self.slider.valueChanged.connect(self._slid)
        self.box.valueChanged.connect(self._typed)
        for each in (self.slider, self.box):
            each.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.slider.double_clicked.connect(self._go_back)
        self.name.double_clicked.connect(self._go_back)

    def lay_out(self, *, narrow: bool, name_px: int = 24) -> None:
        """Put the slider below name and box; or between them, with names of the same width (px), in the narrow layout."""
        self.name.setMinimumWidth(name_px if narrow else 24)
        self._grid.setColumnStretch(0, 0 if narrow else 1)
        self._grid.setColumnStretch(1, 1 if narrow else 0)
        self._grid.addWidget(self.name, 0, 0)
        self._grid.addWidget(self.slider, *((0, 1) if narrow else (1, 0, 1, 3)))
        self._grid.addWidget(self.box, 0, 2)

    def offer(self, ticks: list[float], most: float | None = None) -> None:
        """Set the slider's values from left to right. The box takes numbers from the smallest to `most` or the largest."""
        if ticks == self._ticks:
            return
        self._ticks = ticks
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            self.slider.setRange(0, len(ticks) - 1)
            self.slider.setPageStep(max(1, len(ticks) // 10))
            self.box.setRange(min(ticks), max(ticks) if most is None else most)
            self.box.setSingleStep(abs(ticks[1] - ticks[0]))

    def put(self, value: float) -> None:
        """Show a value without a signal."""
        with QSignalBlocker(self.slider), QSignalBlocker(self.box):
            if (self.box.value(), self.box.text()) != (value, self.box.textFromValue(value)):
                self.box.setValue(value)  # It would be painted again, with all that it stands on.
            self.slider.setValue(self._nearest(value))
        for each in (self.slider, self.box):
            set_style_property(each, "away", value != self.start)

    def speak(self, words: Words) -> None:
        name, hint = words(f"sampling.{self.field}"), words(f"sampling.{self.field}_hint")
        self.box.speak(words("sampling.off"))
        self.name.setText(name)
        back = words("sampling.reset", value=self.box.textFromValue(self.start))
        self.setToolTip(f"{name}\n{hint}\n{back}")
        for each in (self.slider, self.box):
            each.setAccessibleName(name)
            each.setAccessibleDescription(hint)

    def _go_back(self) -> None:
        self._turn(self.start)

    def _nearest(self, value: float) -> int:
        """The tick of a value, or the nearest one. The value for off has a tick of its own."""
        if value in self._ticks:
            return self._ticks.index(value)
        return min(range(len(self._ticks)), key=lambda tick: abs(self._ticks[tick] - value))

    def _slid(self, tick: int) -> None:
        self._turn(self._ticks[tick])

    def _typed(self, value: float) -> None:
        self._turn(round(value, 6))

    def _turn(self, value: float) -> None:
        self.put(value)
        self.turned.emit(self.field, value)


class SamplingBar(QWidget):
    """All three controls. Signals: changed(dict) with the new value of a field of the Look: {"top_k": 40}."""

    changed = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self.rows = sampling_rows()
        self.temperature, self.top_k, self.top_p = self.rows
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(14)
        self._narrow = False
        self._laid_out = False, 0  # as the rows are at first
        for row in self.rows:
            self._layout.addWidget(row, 1)
            row.turned.connect(self._turned)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down)

    def put(self, look: Look, n_symbols: int) -> None:
        """Show a Look; `n_symbols` is how many symbols the output has."""
        self.top_k.offer(top_k_ticks(n_symbols), n_symbols)
        for row in self.rows:
            row.put(getattr(look, row.field))

    def speak(self, words: Words) -> None:
        for row in self.rows:
            row.speak(words)
        self._lay_out_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _NARROW_PX
        if narrow != self._narrow:
            self._narrow = narrow
            self._layout.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
            self._layout.setSpacing(2 if narrow else 14)
        self._lay_out_rows()

    def _lay_out_rows(self) -> None:
        name_px = max(row.name.fontMetrics().horizontalAdvance(row.name.text()) for row in self.rows) + 2
        box_px = max(row.box.sizeHint().width() for row in self.rows)
        beside = self._narrow and self.width() - name_px - box_px >= _LEAST_SLIDER_PX  # whether a slider has room in one line
        if (beside, name_px) != self._laid_out:
            self._laid_out = beside, name_px
            for row in self.rows:
                row.lay_out(narrow=beside, name_px=name_px)

    def _turned(self, field: str, value: float) -> None:
        self.changed.emit(sampled(field, value))


def sampling_rows() -> tuple[SamplingRow, SamplingRow, SamplingRow]:
    """Temperature, top-k and top-p. On every slider, a place further to the right lets sampling draw more symbols."""
    return (
        SamplingRow("sampling_temperature", _TEMPERATURES, None, 2),
        SamplingRow("top_k", top_k_ticks(2), 0.0, 0),
        SamplingRow("top_p", _SHARES, 1.0, 2),
    )


def sampled(field: str, value: float) -> dict[str, float]:
    """The field of the Look that a control has set: {"top_k": 40}."""
    return {field: int(value) if field == "top_k" else value}


def top_k_ticks(n_symbols: int) -> list[float]:
    """Different whole numbers from 1 up to `n_symbols` by equal factors; the last tick is 0, which keeps all symbols."""
    sizes = np.unique(np.rint(np.geomspace(1, max(2, n_symbols), _N_STEPS)).astype(int))
    return [*(float(size) for size in sizes[:-1]), 0.0]


class WritingRows(QWidget):
    """The first group of the panel of knobs. It sets the Look and the beam, no knob of the model.

    Signals: wished(LookAt or SetBeam).
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.sampling = sampling_rows()
        self._top_k = self._n_symbols = 0
        widths = [float(width) for width in range(int(BEAM.valid.low), int(BEAM.valid.high) + 1)]
        self.beam = SamplingRow("beam", widths, None, 0, start=float(BEAM.default))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 2)
        layout.setSpacing(4)
        for row in self.sampling:
            layout.addWidget(row)
            row.turned.connect(self._sampled)
        layout.addWidget(self.beam)
        self.beam.turned.connect(self._searched)

    def speak(self, words: Words) -> None:
        for row in (*self.sampling, self.beam):
            row.speak(words)

    def put_look(self, look: Look) -> None:
        """Show a Look's sampling without a signal."""
        self._top_k = look.top_k
        for row in self.sampling:
            row.put(getattr(look, row.field))

    def put_wish(self, wish: Wish) -> None:
        """Show the beam width; only a model that generates its own translation searches."""
        self.beam.setVisible(wish.has_trained)
        self.beam.put(wish.beam)

    def offer(self, n_symbols: int) -> None:
        """Let top-k go up to so many symbols."""
        if n_symbols == self._n_symbols:  # Each answer asks.
            return
        self._n_symbols = n_symbols
        top_k = self.sampling[1]
        top_k.offer(top_k_ticks(n_symbols), n_symbols)
        top_k.put(self._top_k)

    def _sampled(self, field: str, value: float) -> None:
        self.wished.emit(look_at(**sampled(field, value)))

    def _searched(self, _field: str, value: float) -> None:
        self.wished.emit(SetBeam(int(value)))
