"""The attention page: all heads of an attention, and the chosen head at each stage."""

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QToolButton

from explorer.app.pages.head_choice import HeadChoice
from explorer.app.pages.layouts import below, with_margins
from explorer.app.pages.page import Page
from explorer.app.pages.wall_card import WallCard
from explorer.lang import Words
from explorer.picture.makers.attention import part_strips
from explorer.picture.makers.pooled import attention_lines, attention_map
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.alignment import AlignmentView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView


class AttentionPage(Page):
    """The wall of heads and the chosen head's vectors at the left, the chosen head's map or lines at the right."""

    key = "attention"
    least_px = 420
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        wall = WallCard(self)
        self.map = HeatmapView()
        head, self.lines = self.card(self.map, attention_map), self.card(AlignmentView(), attention_lines)
        self.heads = [HeadChoice(head), HeadChoice(self.lines)]
        for choice in self.heads:
            choice.changed.connect(self._looked)
        self.grid = head
        stages = QHBoxLayout()
        stages.addWidget(self.choice("stage"))
        stages.addStretch(1)
        stages.addWidget(self._pencil_button())
        head.layout().insertLayout(1, stages)  # type: ignore[union-attr]  # A card has a box layout.
        left = below((wall, 1))
        left.addLayout(below((self.card(StripsView(), part_strips), 3), (self.explain(), 2)), 1)
        grid = with_margins(QGridLayout(self.scrolled()))
        grid.addLayout(left, 0, 0)
        for card in (head, self.lines):  # One of them is shown.
            grid.addWidget(card, 0, 1)
        for column in range(2):
            grid.setColumnStretch(column, 1)

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

    def _looked(self, fields: dict[str, object]) -> None:
        self.look_at(**fields)

    def speak(self, words: Words) -> None:
        super().speak(words)
        for choice in self.heads:
            choice.speak(words)
        self.pencil.setText(words("change.pencil"))
        self.pencil.setToolTip(words("change.pencil_hint"))
        self.pencil.setAccessibleDescription(words("change.pencil_hint"))


PAGE = AttentionPage
