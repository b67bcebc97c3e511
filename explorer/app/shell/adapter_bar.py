"""The bar above the knobs for a LoRA adapter: on or off, beside its base, or away; and the dialog that adds one."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.app.display import native_dialog, start_in
from explorer.lang import Words
from explorer.state.adapter_intents import CompareAdapter, OpenAdapter, WearAdapter
from explorer.state.intents import OpenPage
from explorer.state.wish import Wish
from explorer.views.controls.segments import Segments

_MOST_SHOWN = 24  # characters of the folder's name


class AdapterBar(QWidget):
    """The bar, shown while the model has an adapter. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.title, self.segments = QLabel(), Segments()
        self.title.setObjectName("title")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.compare, self.drop = QToolButton(), QToolButton()
        for button in (self.compare, self.drop):
            button.setObjectName("small")
        self.drop.setText("×")
        self.segments.chose.connect(self._chose)
        self.compare.clicked.connect(self._compare)
        self.drop.clicked.connect(self._drop)
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self.title, 1)
        above.addWidget(self.drop)
        below.addWidget(self.segments)
        below.addStretch(1)
        below.addWidget(self.compare)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.setSpacing(4)
        layout.addLayout(above)
        layout.addLayout(below)
        self.hide()
        self._words: Words | None = None
        self._chosen = ""  # the folder of an adapter that was chosen last

    def put(self, wish: Wish, words: Words) -> None:
        """Show the adapter of a Wish, and whether it is on."""
        self._words = words
        self.setVisible(bool(wish.adapter))
        if not wish.adapter:
            return
        name = Path(wish.adapter).name
        self.title.setText(words("adapter.title", name=name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"))
        self.title.setToolTip(wish.adapter)
        self.segments.setAccessibleName(words("adapter.title", name=name))
        self.segments.offer({key: words(f"adapter.{key}") for key in ("on", "off")}, "on" if wish.adapted else "off")
        self.compare.setText(words("adapter.compare"))
        self.drop.setToolTip(words("adapter.drop"))
        self.drop.setAccessibleName(words("adapter.drop"))

    def choose(self) -> None:
        """Let the user choose the folder of an adapter."""
        title = "" if self._words is None else self._words("action.open_adapter")
        with native_dialog():
            path = QFileDialog.getExistingDirectory(self.window(), title, start_in(self._chosen))
        if path:
            self._chosen = path
            self.wished.emit(OpenAdapter(path))

    def _chose(self, key: str) -> None:
        self.wished.emit(WearAdapter(key == "on"))

    def _compare(self) -> None:
        self.wished.emit(CompareAdapter())
        self.wished.emit(OpenPage("compare"))

    def _drop(self) -> None:
        self.wished.emit(OpenAdapter(""))
