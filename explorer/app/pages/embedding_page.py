"""The embedding page: token vectors, their sum with the positions, and where they stand in the vocabulary."""

from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.embedding import embedding_strips, sum_strips
from explorer.picture.makers.vectors import chosen_token, neighbours, side_vectors, vector_map
from explorer.state.look import Look
from explorer.trace.found.experiments import VECTORS
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import TokenBox
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.vector_map import VectorMapView


class EmbeddingPage(Page):
    """The embedding of a side, and its sum with the positions below it; at the right neighbours and a map of the vocabulary."""

    key = "embedding"
    least_px = 640
    experiments = frozenset({VECTORS.key})

    def __init__(self) -> None:
        super().__init__()
        first = self.card(StripsView(), embedding_strips)
        first.bar.insertWidget(2, self.choice("side"))
        sums = self.card(StripsView(), sum_strips)
        plane = VectorMapView()
        self.token = TokenBox()
        self.token.hide()
        self.neighbours = self.card(BarsView(), neighbours, title="page.embedding")
        self.map = self.card(plane, vector_map, title="vectors.map")
        self.neighbours.bar.insertWidget(2, self.token)
        self.token.chose.connect(self.sets("vector"))
        plane.chose.connect(self.sets("vector"))
        column = column_in(self.scrolled())
        sides = beside((below((first, 3), (sums, 4)), 5), (below((self.neighbours, 3), (self.map, 4)), 4))
        column.addLayout(sides, 7)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        found = side_vectors(trace, look)
        if found is not None:
            self.token.offer(found.tokens, chosen_token(trace, look), words)
        super().draw(trace, look, words)


PAGE = EmbeddingPage
