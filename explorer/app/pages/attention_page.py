"""The attention page: all heads of an attention, and the chosen head at each stage."""

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QToolButton

from explorer.app.pages.layouts import below, with_margins
from explorer.app.pages.page import Page
from explorer.app.pages.wall_card import WallCard
from explorer.lang import Words
from explorer.picture.makers.attention import head_map, part_strips
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView


class AttentionPage(Page):
    """The wall of heads and the chosen head's vectors at the left, the chosen head's map at the right."""

    key = "attention"
    least_px = 420
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        wall = WallCard(self)
        self.map = HeatmapView()
        head = self.card(self.map, head_map)
        stages = QHBoxLayout()
        stages.addWidget(self.choice("stage"))
        stages.addStretch(1)
        stages.addWidget(self._pencil_button())
        head.layout().insertLayout(1, stages)  # type: ignore[union-attr]  # A card has a box layout.
        grid = with_margins(QGridLayout(self.scrolled()))
        grid.addWidget(wall, 0, 0)
        grid.addWidget(head, 0, 1, 2, 1)
        grid.addLayout(below((self.card(StripsView(), part_strips), 3), (self.explain(), 2)), 1, 0)
        for axis in (grid.setColumnStretch, grid.setRowStretch):
            axis(0, 1)
            axis(1, 1)

    def _pencil_button(self) -> QToolButton:
        self.pencil = QToolButton()
        self.pencil.setObjectName("segment")
        self.pencil.setCheckable(True)
        self.pencil.toggled.connect(self.map.pencil.set_on)
        self.map.pencil_asked.connect(self.pencil.toggle)
        return self.pencil

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.pencil.setText(words("change.pencil"))
        self.pencil.setToolTip(words("change.pencil_hint"))
        self.pencil.setAccessibleDescription(words("change.pencil_hint"))


PAGE = AttentionPage
