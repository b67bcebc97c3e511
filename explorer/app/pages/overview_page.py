"""The overview page: the whole model, in the order in which the data flows."""

from explorer.app.pages.layouts import below, beside, row_in
from explorer.app.pages.page import Page
from explorer.app.pages.wall_card import wall_card
from explorer.picture.makers.attention import causal_mask, head_map
from explorer.picture.makers.embedding import embedding_strips, position_map, sum_strips
from explorer.picture.makers.positions import waves
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.waves import WavesView


class OverviewPage(Page):
    """Embedding and positions at the left, attention at the right. A click on a title opens the page about it."""

    key = "overview"
    least_px = 470

    def __init__(self) -> None:
        super().__init__()
        embedding = self.card(StripsView(), embedding_strips, "embedding")
        embedding.bar.insertWidget(2, self.choice("side"))
        left = below(
            (embedding, 5),
            (self.card(WavesView(), waves, "position"), 5),
            (self.card(HeatmapView(), position_map, "position"), 4),
            (self.card(StripsView(), sum_strips, "embedding"), 5),
        )
        right = below((wall_card(self, "attention"), 1))
        right.addLayout(
            beside(
                (self.card(HeatmapView(), head_map, "attention"), 3),
                (self.card(HeatmapView(bar=False), causal_mask, "masks"), 2),
            ),
            1,
        )
        columns = row_in(self.scrolled())
        columns.addLayout(left, 4)
        columns.addLayout(right, 7)


PAGE = OverviewPage
