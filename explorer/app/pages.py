"""The pages: which cards they hold and where. A page draws its cards only while it is seen."""

from collections.abc import Callable

import attrs
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout

from explorer.app.card import Card, Maker
from explorer.app.inspector import InspectorPage
from explorer.app.output_page import OutputPage
from explorer.app.page import Page
from explorer.lang import Words
from explorer.picture.attention import causal_mask, head_map, head_wall, mask_map, part_strips
from explorer.picture.embedding import (
    embedding_strips,
    position_map,
    similarity_map,
    source_tokens,
    sum_strips,
    target_tokens,
)
from explorer.picture.look import ATTENTIONS, Look, attentions
from explorer.picture.picture import Picture
from explorer.picture.positions import waves
from explorer.trace.trace import Trace
from explorer.views.head_grid import HeadGridView
from explorer.views.heatmap import HeatmapView
from explorer.views.strips import StripsView
from explorer.views.token_row import TokenRowView
from explorer.views.waves import WavesView


def overview() -> Page:
    """Everything at once, in the order in which the data flows."""
    page = Page("overview")
    left = QVBoxLayout()
    embedding = page.card(StripsView(), embedding_strips, "embedding")
    embedding.bar.insertWidget(2, page.choice("side"))
    left.addWidget(embedding, 5)
    left.addWidget(page.card(WavesView(), waves, "position"), 5)
    left.addWidget(page.card(HeatmapView(), position_map, "position"), 4)
    left.addWidget(page.card(StripsView(), sum_strips, "embedding"), 5)
    wall = _wall(page, "attention")
    wall.bar.insertWidget(2, page.choice("attention"))
    below = QHBoxLayout()
    below.setSpacing(8)
    below.addWidget(page.card(HeatmapView(), head_map, "attention"), 3)
    below.addWidget(page.card(HeatmapView(bar=False), causal_mask, "masks"), 2)
    middle = QVBoxLayout()
    middle.addWidget(wall, 1)
    middle.addLayout(below, 1)
    columns = _row(page)
    for column, share in ((left, 4), (middle, 7)):
        column.setSpacing(8)
        columns.addLayout(column, share)
    return page


def tokens_page() -> Page:
    page = Page("tokens")
    column = _column(page)
    column.addWidget(page.card(TokenRowView(wrap=True), source_tokens))
    column.addWidget(page.card(TokenRowView(wrap=True), target_tokens))
    column.addWidget(page.explain(), 1)
    return page


def embedding_page() -> Page:
    page = Page("embedding")
    column = _column(page)
    first = page.card(StripsView(), embedding_strips)
    first.bar.insertWidget(2, page.choice("side"))
    column.addWidget(first, 3)
    column.addWidget(page.card(StripsView(), sum_strips), 3)
    column.addWidget(page.explain(), 2)
    return page


def position_page() -> Page:
    page = Page("position")
    grid = QGridLayout(page)
    grid.setContentsMargins(8, 8, 8, 8)
    grid.setSpacing(8)
    first = page.card(WavesView(), waves)
    first.bar.insertWidget(2, page.choice("side"))
    grid.addWidget(first, 0, 0, 1, 2)
    grid.addWidget(page.card(HeatmapView(), position_map), 1, 0)
    grid.addWidget(page.card(HeatmapView(), similarity_map), 1, 1)
    grid.addWidget(page.explain(), 2, 0, 1, 2)
    for row, share in enumerate((3, 3, 2)):
        grid.setRowStretch(row, share)
    grid.setColumnStretch(0, 3)
    grid.setColumnStretch(1, 2)
    return page


def attention_page() -> Page:
    page = Page("attention")
    wall = _wall(page)
    wall.bar.insertWidget(2, page.choice("attention"))
    head = page.card(HeatmapView(), head_map)
    stages = QHBoxLayout()
    stages.addWidget(page.choice("stage"))
    stages.addStretch(1)
    head.layout().insertLayout(1, stages)  # type: ignore[union-attr]  # a card has a box layout
    parts = page.card(StripsView(), part_strips)
    lower = QVBoxLayout()
    lower.setSpacing(8)
    lower.addWidget(parts, 3)
    lower.addWidget(page.explain(), 2)
    grid = QGridLayout(page)
    grid.setContentsMargins(8, 8, 8, 8)
    grid.setSpacing(8)
    grid.addWidget(wall, 0, 0)
    grid.addWidget(head, 0, 1, 2, 1)
    grid.addLayout(lower, 1, 0)
    for axis in (grid.setColumnStretch, grid.setRowStretch):
        axis(0, 1)
        axis(1, 1)
    return page


class MasksPage(Page):
    """The mask of every attention that there is, and below what the chosen one does to a head's scores."""

    def __init__(self) -> None:
        super().__init__("masks")
        self._masks: dict[str, Card] = {}
        column = _column(self)
        above = QHBoxLayout()
        above.setSpacing(8)
        for attention in ATTENTIONS:
            self._masks[attention] = self.card(HeatmapView(bar=False), _mask_of(attention))
            above.addWidget(self._masks[attention], 1)
        below = QHBoxLayout()
        below.setSpacing(8)
        for place, stage in enumerate(("scaled", "masked", "weights")):
            made = self.card(HeatmapView(), _at_stage(stage))
            below.addWidget(made, 1)
            if place == 0:
                made.bar.insertWidget(2, self.choice("attention"))
        column.addLayout(above, 4)
        column.addLayout(below, 4)
        column.addWidget(self.explain(), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for attention, card in self._masks.items():
            card.setVisible(attention in attentions(trace))
        super().draw(trace, look, words)


def _mask_of(attention: str) -> Maker:
    """The mask of this attention, whichever is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Picture:
        return mask_map(trace, attrs.evolve(look, attention=attention), words)

    return make


def _at_stage(stage: str) -> Maker:
    """The chosen head at this stage, whatever stage is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Picture:
        return head_map(trace, attrs.evolve(look, stage=stage), words)

    return make


def _wall(page: Page, opens: str = "") -> Card:
    view = HeadGridView()
    view.chosen.connect(page.choose_head)
    return page.card(view, head_wall, opens)


def _row(page: Page) -> QHBoxLayout:
    layout = QHBoxLayout(page)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(8)
    return layout


def _column(page: Page) -> QVBoxLayout:
    layout = QVBoxLayout(page)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(8)
    return layout


PAGES: dict[str, Callable[[], Page]] = {
    "overview": overview, "tokens": tokens_page, "embedding": embedding_page, "position": position_page,
    "attention": attention_page, "masks": MasksPage, "output": OutputPage, "inspector": InspectorPage,
}
