"""The pages: which cards they hold and where. A page draws its cards only while it is seen."""

import importlib
from collections.abc import Callable

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.attention import causal_mask, head_map, head_wall, part_strips
from explorer.picture.makers.embedding import embedding_strips, position_map, source_tokens, sum_strips, target_tokens
from explorer.picture.makers.positions import waves
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.head_grid import HeadGridView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.token_row import TokenRowView
from explorer.views.pictures.waves import WavesView

_LEAST_PX = {"overview": 470, "tokens": 440, "embedding": 560, "attention": 420}  # of a page's height: a lower window scrolls


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
    columns = _row(page.scrolled(_LEAST_PX["overview"]))
    for column, share in ((left, 4), (middle, 7)):
        column.setSpacing(8)
        columns.addLayout(column, share)
    return page


class TokensPage(Page):
    """The tokens of both sides, as large as there is room; a side that the model lacks has no card."""

    def __init__(self) -> None:
        super().__init__("tokens")
        self._sides = {
            "source": self.card(TokenRowView(wrap=True), source_tokens),
            "target": self.card(TokenRowView(wrap=True), target_tokens),
        }
        column = _column(self.scrolled(_LEAST_PX["tokens"]))
        for card in self._sides.values():
            column.addWidget(card, 3)
        column.addWidget(self.explain(), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for side, card in self._sides.items():
            card.setVisible(bool(getattr(trace.tokens, side)))
        super().draw(trace, look, words)


def embedding_page() -> Page:
    page = Page("embedding")
    column = _column(page.scrolled(_LEAST_PX["embedding"]))
    first = page.card(StripsView(), embedding_strips)
    first.bar.insertWidget(2, page.choice("side"))
    column.addWidget(first, 3)
    column.addWidget(page.card(StripsView(), sum_strips), 3)
    column.addWidget(page.explain(), 2)
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
    grid = QGridLayout(page.scrolled(_LEAST_PX["attention"]))
    grid.setContentsMargins(8, 8, 8, 8)
    grid.setSpacing(8)
    grid.addWidget(wall, 0, 0)
    grid.addWidget(head, 0, 1, 2, 1)
    grid.addLayout(lower, 1, 0)
    for axis in (grid.setColumnStretch, grid.setRowStretch):
        axis(0, 1)
        axis(1, 1)
    return page


def _wall(page: Page, opens: str = "") -> Card:
    view = HeadGridView()
    view.chosen.connect(page.choose_head)
    view.wanted.connect(page.want_heads)
    return page.card(view, head_wall, opens)


def _row(within: QWidget) -> QHBoxLayout:
    layout = QHBoxLayout(within)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(8)
    return layout


def _column(within: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(within)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(8)
    return layout


def _later(module: str, name: str) -> Callable[[], Page]:
    """A page whose module is loaded when it is first opened: what the first screen does not need does not delay it."""

    def make() -> Page:
        page: Page = getattr(importlib.import_module(f"explorer.app.pages.{module}"), name)()
        return page

    return make


PAGES: dict[str, Callable[[], Page]] = {
    "overview": overview,
    "tokens": TokensPage,
    "embedding": embedding_page,
    "position": _later("lab_pages", "PositionPage"),
    "attention": attention_page,
    "stepper": _later("lab_pages", "StepperPage"),
    "masks": _later("lab_pages", "MasksPage"),
    "layers": _later("lab_pages", "LayersPage"),
    "output": _later("output_page", "OutputPage"),
    "compare": _later("compare_page", "ComparePage"),
    "inspector": _later("inspector_page", "InspectorPage"),
}
