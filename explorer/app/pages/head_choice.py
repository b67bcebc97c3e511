"""What a card about attention shows: which heads, as a map, as lines or as arcs, and how much of it."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.lang import Words
from explorer.picture.makers.pooled import has_arcs, has_shares, offered_pools, pooled_as
from explorer.state.look import Look
from explorer.views.controls.head_squares import HeadSquares
from explorer.views.controls.map_filter import MapFilter
from explorer.views.controls.pool_box import PoolBox


class HeadChoice(QObject):
    """The controls that one card gets. Signals: changed(dict) with new values of fields of the Look."""

    changed = Signal(dict)

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.pool, self.filter, self.squares = PoolBox(), MapFilter(), HeadSquares()
        self.drawn, self.arcs = QToolButton(), QToolButton()
        for button in (self.drawn, self.arcs):
            button.setObjectName("segment")
        self._other, self._form = "lines", "arcs"
        in_bar: tuple[QWidget, ...] = (self.pool, self.drawn, self.arcs)
        for each in (*in_bar, self.filter, self.squares):
            each.hide()  # They have nothing to say before the first picture.
        for place, each in enumerate(in_bar):
            card.bar.insertWidget(2 + place, each)
        layout = card.layout()
        assert isinstance(layout, QVBoxLayout)  # A card has one.
        layout.insertWidget(2, self.squares)
        layout.addWidget(self.filter)
        self.pool.chose.connect(self._pooled)
        self.filter.changed.connect(self.changed)
        self.squares.changed.connect(self.changed)
        self.drawn.clicked.connect(self._drawn)
        self.arcs.clicked.connect(self._bent)

    def put(self, look: Look, n_heads: int, words: Words) -> None:
        """Show a Look at an attention of so many heads, without a signal."""
        lines = look.drawn != "map"
        self._other = "map" if lines else "lines"
        self._form = "lines" if look.drawn == "arcs" else "arcs"
        self.pool.offer(offered_pools(look), pooled_as(look), words)
        self.filter.put(look)
        self.drawn.setText(words(f"output.as_{self._other}"))
        self.arcs.setText(words(f"output.as_{self._form}"))
        self.arcs.setToolTip(words(f"heads.{self._form}_hint"))
        self.arcs.setVisible(lines and has_arcs(look))
        self.filter.setVisible(has_shares(look) or lines)
        self.squares.setVisible(lines and n_heads > 1)
        self.squares.put(look, n_heads, words)
        self.pool.show()
        self.drawn.show()

    def speak(self, words: Words) -> None:
        self.filter.speak(words)

    def _pooled(self, key: str) -> None:
        self.changed.emit({"aligned": key})

    def _drawn(self) -> None:
        self.changed.emit({"drawn": self._other})

    def _bent(self) -> None:
        self.changed.emit({"drawn": self._form})
