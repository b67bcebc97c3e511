"""The saliency page: what gradients say of each token for each word, beside what attention looks at."""

from explorer.app.pages.aligned import AlignedViews
from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.saliency import attention_mean, saliency_map
from explorer.state.look import Look
from explorer.trace.choices import SALIENCIES
from explorer.trace.found.experiments import SALIENCY
from explorer.trace.trace import Trace
from explorer.views.controls.segments import Segments
from explorer.views.pictures.heatmap import HeatmapView


class SaliencyPage(Page):
    """A map for each side, and the mean of the attention; the method is chosen beside the tabs."""

    key = "saliency"
    sweeps = True
    least_px = 480
    experiments = frozenset({SALIENCY.key})

    def __init__(self) -> None:
        super().__init__()
        self.method = Segments()
        self.method.chose.connect(self.sets("saliency"))
        views = [HeatmapView() for _ in range(3)]
        for view in views:
            view.follows = False  # Its cells are no single weights.
        self.maps = {
            side: self.card(view, saliency_map(side)) for side, view in zip(("encoder", "decoder"), views, strict=False)
        }
        self.attention = self.card(views[2], attention_mean, "attention")
        self.choose_above(self.method)
        self._aligned = AlignedViews([*self.maps.values(), self.attention])  # A row of each is the same word.
        column = column_in(self.scrolled())
        # The last map has the most columns, a square cell for each word before.
        column.addLayout(beside((self.maps["encoder"], 2), (self.attention, 2), (self.maps["decoder"], 3)), 5)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self.method.offer({each: words(f"saliency.method.{each}") for each in SALIENCIES}, look.saliency)
        sides = {side.name for side in trace.card.sides}
        for side, card in self.maps.items():
            card.setVisible(side in sides)
        super().draw(trace, look, words)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.method.setAccessibleName(words("saliency.how"))


PAGE = SaliencyPage
