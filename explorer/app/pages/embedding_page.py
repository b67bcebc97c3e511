"""The embedding page: token vectors, their sum with the positions, and where they stand in the vocabulary."""

from PySide6.QtWidgets import QGridLayout

from explorer.app.pages.layouts import with_margins
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.embedding import embedding_strips, sum_strips
from explorer.picture.makers.vectors import chosen_token, neighbours, side_vectors, vector_map
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.token_box import TokenBox
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.vector_map import VectorMapView

_RIGHT = 4  # the right column's share of the width; the left one has 5


class EmbeddingPage(Page):
    """The embedding of a side, and its sum with the positions below it; at the right neighbours and a map of the vocabulary."""

    key = "embedding"
    least_px = 640
    experiments = frozenset({"vectors"})

    def __init__(self) -> None:
        super().__init__()
        first = self.card(StripsView(), embedding_strips)
        first.bar.insertWidget(2, self.choice("side"))
        sums = self.card(StripsView(), sum_strips)
        plane = VectorMapView()
        self.token = TokenBox()
        self.token.hide()
        self.neighbours, self.map = self.card(BarsView(), neighbours), self.card(plane, vector_map)
        self.neighbours.bar.insertWidget(2, self.token)
        self.token.chose.connect(self._chose)
        plane.chose.connect(self._chose)
        grid = self._grid = with_margins(QGridLayout(self.scrolled()))
        for place, card in (((0, 0), first), ((0, 1), self.neighbours), ((1, 0), sums), ((1, 1), self.map)):
            grid.addWidget(card, *place)
        grid.addWidget(self.explain(hug=True), 2, 0, 1, 2)
        for number, (across, down) in enumerate(((5, 3), (_RIGHT, 4), (0, 2))):
            grid.setColumnStretch(number, across)
            grid.setRowStretch(number, down)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        # A model of others keeps its vectors to itself, so its page has strips alone.
        for card in (self.neighbours, self.map):
            card.setVisible(not trace.of_others)
        self._grid.setColumnStretch(1, 0 if trace.of_others else _RIGHT)
        found = side_vectors(trace, look)
        if found is not None:
            self.token.offer(found.tokens, chosen_token(trace, look), words)
        super().draw(trace, look, words)

    def _chose(self, position: int) -> None:
        self.look_at(vector=position)


PAGE = EmbeddingPage
