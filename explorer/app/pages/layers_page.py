"""The layers page: norms and residual connections."""

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.layers import (
    dead_units,
    depth_gradients,
    depth_lengths,
    has_norms,
    norm_deviations,
    norm_means,
    norms,
    stream,
    subtracts_mean,
)
from explorer.state.look import Look
from explorer.trace.found.experiments import COPIES, DEPTH, NORMS
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import LayerBox
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.waves import WavesView


class LayersPage(Page):
    """Norms and residuals of one layer, what every norm divides by, and lengths of vectors and gradients along all layers."""

    key = "layers"
    least_px = 1180
    experiments = frozenset({DEPTH.key, COPIES.key, NORMS.key})

    def __init__(self) -> None:
        super().__init__()
        self.layer = LayerBox()
        self.layer.chose.connect(self.sets("layer"))
        residual = self.card(StripsView(), stream)
        residual.bar.insertWidget(2, self.choice("side"))
        residual.bar.insertWidget(3, self.layer)
        column = column_in(self.scrolled())
        column.addWidget(residual, 5)
        column.addWidget(self.card(StripsView(), norms), 5)
        self.means, self.deviations = self.card(HeatmapView(), norm_means), self.card(HeatmapView(), norm_deviations)
        column.addLayout(beside((self.means, 1), (self.deviations, 1)), 6)
        lengths, gradients = self.card(WavesView(), depth_lengths), self.card(WavesView(), depth_gradients)
        units = self.card(BarsView(), dead_units)
        self.of_our_own = [lengths, gradients, units]
        column.addLayout(beside((lengths, 3), (gradients, 3), (units, 2)), 5)
        column.addWidget(self.explain(hug=True), 3)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self.layer.offer(trace.card.side(look.side).n_layers, look.layer, words)
        there = has_norms(trace, look.side)
        self.means.setVisible(there and subtracts_mean(trace))
        self.deviations.setVisible(there)
        super().draw(trace, look, words)


PAGE = LayersPage
