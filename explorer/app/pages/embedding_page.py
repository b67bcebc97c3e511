"""The embedding page: token vectors, and their sum with the positions."""

from explorer.app.pages.layouts import column_in
from explorer.app.pages.page import Page
from explorer.picture.makers.embedding import embedding_strips, sum_strips
from explorer.views.pictures.strips import StripsView


class EmbeddingPage(Page):
    """The embedding of a side, and its sum with the positions below it."""

    key = "embedding"
    least_px = 640

    def __init__(self) -> None:
        super().__init__()
        first = self.card(StripsView(), embedding_strips)
        first.bar.insertWidget(2, self.choice("side"))
        column = column_in(self.scrolled())
        column.addWidget(first, 3)
        column.addWidget(self.card(StripsView(), sum_strips), 3)
        column.addWidget(self.explain(hug=True), 2)


PAGE = EmbeddingPage
