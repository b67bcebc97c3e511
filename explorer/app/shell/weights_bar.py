"""The bar above the knobs that shows and chooses trained or random weights."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.state.intents import SetTrained
from explorer.state.wish import Wish
from explorer.views.controls.segments import Segments


class WeightsBar(QWidget):
    """The bar, shown for presets that have trained weights. Signals: wished(SetTrained).

    The window places `note` below the knobs, because above them it would move the knobs while the user turns one.
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.title, self.note = QLabel(), QLabel()
        self.title.setObjectName("title")
        self.note.setObjectName("warning")
        self.note.setWordWrap(True)
        self.note.setContentsMargins(10, 6, 6, 6)
        self.note.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.segments = Segments()
        self.segments.chose.connect(self._chose)
        above = QHBoxLayout()
        above.setSpacing(2)
        above.addWidget(self.title)
        above.addStretch(1)
        above.addWidget(self.segments)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.setSpacing(4)
        layout.addLayout(above)

    def put(self, wish: Wish, words: Words) -> None:
        """Show which weights a Wish uses, and why if they are not the trained ones."""
        self.setVisible(wish.has_trained)
        self.note.setVisible(wish.has_trained and not wish.uses_trained)
        if not wish.has_trained:
            return
        trained = wish.uses_trained
        self.title.setText(words("weights.title"))
        self.segments.setAccessibleName(words("weights.title"))
        self.segments.offer({key: words(f"weights.{key}") for key in ("trained", "random")}, "trained" if trained else "random")
        why = "weights.by_choice" if not wish.trained else "weights.by_shape"
        self.note.setText(words(why if wish.preset_translates else f"{why}_alone"))

    def _chose(self, key: str) -> None:
        self.wished.emit(SetTrained(key == "trained"))
