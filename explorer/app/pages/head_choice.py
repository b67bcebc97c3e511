"""What a card about attention shows: which heads, as a map or as lines, and how much of it."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton

from explorer.app.pages.card import Card
from explorer.lang import Words
from explorer.picture.makers.pooled import has_shares, offered_pools, pooled_as
from explorer.state.look import Look
from explorer.views.controls.map_filter import MapFilter
from explorer.views.controls.pool_box import PoolBox


class HeadChoice(QObject):
    """The controls that one card gets. Signals: changed(dict) with new values of fields of the Look."""

    changed = Signal(dict)

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.pool, self.filter, self.drawn = PoolBox(), MapFilter(), QToolButton()
        self.drawn.setObjectName("segment")
        self._other = "lines"
        for each in (self.pool, self.filter, self.drawn):
            each.hide()  # They have nothing to say before the first picture.
        card.bar.insertWidget(2, self.pool)
        card.bar.insertWidget(3, self.drawn)
        card.layout().addWidget(self.filter)  # type: ignore[union-attr]  # A card has a layout.
        self.pool.chose.connect(self._pooled)
        self.filter.changed.connect(self.changed)
        self.drawn.clicked.connect(self._drawn)

    def put(self, look: Look, words: Words) -> None:
        """Show a Look without a signal."""
        self._other = "map" if look.drawn == "lines" else "lines"
        self.pool.offer(offered_pools(look), pooled_as(look), words)
        self.filter.put(look)
        self.drawn.setText(words(f"output.as_{self._other}"))
        self.filter.setVisible(has_shares(look) or look.drawn == "lines")
        self.pool.show()
        self.drawn.show()

    def speak(self, words: Words) -> None:
        self.filter.speak(words)

    def _pooled(self, key: str) -> None:
        self.changed.emit({"aligned": key})

    def _drawn(self) -> None:
        self.changed.emit({"drawn": self._other})
