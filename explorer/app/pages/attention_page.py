"""The attention page: all heads of an attention, and the chosen head at each stage."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.page import Page
from explorer.app.pages.wall_card import WallCard
from explorer.lang import Words
from explorer.picture.makers.alignment import attention_lines, has_arcs
from explorer.picture.makers.attention import part_strips, source_strips
from explorer.picture.makers.pooled import attention_map, has_shares, offered_pools, pooled_as
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import PoolBox
from explorer.views.controls.flow import flowing
from explorer.views.controls.head_squares import HeadSquares
from explorer.views.controls.map_filter import MapFilter
from explorer.views.pictures.alignment import AlignmentView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView


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


class AttentionPage(Page):
    """The wall of heads and the chosen head's vectors at the left, the chosen head's map or lines at the right."""

    key = "attention"
    least_px = 420
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        wall = self.wall = WallCard(self)
        self.map = HeatmapView()
        head, self.lines = self.card(self.map, attention_map), self.card(AlignmentView(), attention_lines)
        self.heads = [HeadChoice(head), HeadChoice(self.lines)]
        for choice in self.heads:
            choice.changed.connect(self.look_with)
        self.grid = head
        stages = flowing(self.choice("stage"), self._pencil_button())
        head.layout().insertWidget(1, stages)  # type: ignore[union-attr]  # A card has a box layout.
        left = below((wall, 1))
        parts, self.from_source = self.card(StripsView(), part_strips), self.card(StripsView(), source_strips)
        strips = beside((parts, 1), (self.from_source, 1))
        left.addLayout(below((strips, 3), (self.explain(), 2)), 1)
        column_in(self.scrolled()).addLayout(beside((left, 1), (below((head, 1), (self.lines, 1)), 1)))

    def leading(self, touched: Card | None) -> list[Card]:
        """The head's own card comes before the wall, on which a click chooses a head, unless the wall has all the room."""
        chooses = touched in (None, self.wall) and self.enlarged.card is not self.wall
        return super().leading((self.lines if self.grid.isHidden() else self.grid) if chooses else touched)

    def _pencil_button(self) -> QToolButton:
        self.pencil = QToolButton()
        self.pencil.setObjectName("segment")
        self.pencil.setCheckable(True)
        self.pencil.toggled.connect(self.map.pencil.set_on)
        self.map.pencil_asked.connect(self._use_pencil)
        return self.pencil

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        cards = (self.grid, self.lines) if look.drawn == "map" else (self.lines, self.grid)
        self.show_instead(*cards)
        self.from_source.setVisible(look.attention.endswith("cross_attn"))
        for choice in self.heads:
            choice.put(look, trace.card.side(look.attention).n_heads, words)
        self._offer_pencil(there=not trace.recorded_by)  # Nothing can be changed in a pass that was recorded.
        super().draw(trace, look, words)

    def _offer_pencil(self, *, there: bool) -> None:
        self.pencil.setVisible(there)
        if not there:
            self.pencil.setChecked(False)

    def _use_pencil(self) -> None:
        """Take or leave the pencil by its key, where there is one."""
        if not self.pencil.isHidden():
            self.pencil.toggle()

    def let_go(self) -> bool:
        held = self.pencil.isChecked()
        self.pencil.setChecked(False)
        return held

    def set_theme(self, theme: Theme) -> None:
        for choice in self.heads:
            choice.squares.set_theme(theme)
        super().set_theme(theme)

    def speak(self, words: Words) -> None:
        super().speak(words)
        for choice in self.heads:
            choice.speak(words)
        self.pencil.setText(words("change.pencil"))
        self.pencil.setToolTip(words("change.pencil_hint"))
        self.pencil.setAccessibleDescription(words("change.pencil_hint"))


PAGE = AttentionPage
