"""The first group of the panel of knobs: how the next word is chosen. It sets the Look and the beam, no knob of the model."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.config import BEAM
from explorer.lang import Words
from explorer.state.intents import SetBeam, look_at
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.views.controls.sampling import SamplingRow, sampled, sampling_rows, top_k_ticks


class WritingRows(QWidget):
    """Sampling temperature, top-k, top-p and beam width. Signals: wished(LookAt or SetBeam)."""

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
        """Show the beam width; only a model that translates by itself searches."""
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
