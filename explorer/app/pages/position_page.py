"""The positions page."""

from explorer.app.pages.break_button import BreakingPage
from explorer.app.pages.layouts import beside, column_in
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.embedding import position_map, similarity_map
from explorer.picture.makers.positions import against_distance, rotation_map, swap_strips, variants_strips, waves, with_nearest
from explorer.state.look import Look
from explorer.trace.found.experiments import SWAP, VARIANTS
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.waves import WavesView

_SHIFTS = (1, 2, 3, 5, 8, 13, 21, 32)


class PositionPage(BreakingPage):
    """Waves, all kinds of positions, likeness against distance, M(k), and a sentence with two words exchanged."""

    key = "position"
    breaks = "position"
    least_px = 1180
    needs = ("embedding.positions",)
    experiments = frozenset({VARIANTS.key, SWAP.key})

    def __init__(self) -> None:
        super().__init__()
        first = self.card(WavesView(), waves)
        first.bar.insertWidget(2, self.choice("side"))
        rotation = self.card(HeatmapView(), rotation_map)
        self.shift = ChoiceBox()
        self.shift.addItems([f"k = {k}" for k in _SHIFTS])
        self.shift.currentIndexChanged.connect(self._shifted)
        rotation.bar.insertWidget(2, self.shift)
        variants, swap = self.card(StripsView(), variants_strips), self.card(StripsView(), swap_strips)
        distance = self.card(WavesView(), against_distance)
        swap.bar.insertWidget(2, self.find_button)
        self.of_our_own = [distance, variants, swap]
        column = column_in(self.scrolled())
        column.addLayout(beside((first, 3), (distance, 2)), 5)
        column.addLayout(
            beside(
                (self.card(HeatmapView(), _nearest), 3),
                (self.card(HeatmapView(), similarity_map, title="picture.similarity"), 2),
                (rotation, 3),
            ),
            6,
        )
        column.addWidget(variants, 6)
        column.addLayout(beside((swap, 5), (self.explain(), 2)), 5)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.shift.setAccessibleName(words("positions.shift"))

    def _shifted(self, place: int) -> None:
        self.look_at(shift=_SHIFTS[place])


def _nearest(trace: Trace, look: Look, words: Words) -> Heatmap:
    return with_nearest(position_map(trace, look, words), trace, look, words)


PAGE = PositionPage
