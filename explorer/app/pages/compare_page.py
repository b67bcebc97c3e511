"""The compare page: two states and their difference, and where the present one departs from the paper."""

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.config import departures
from explorer.lang import Words
from explorer.picture.makers.compare import aside, bars_aside, bars_now, departures_html, difference, now
from explorer.state.intents import Compare
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.viewport import Viewport
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView


class ComparePage(Page):
    """Buttons that put a state aside, take the paper's, swap the two or drop it; maps and bars of both states."""

    key = "compare"
    least_px = 680

    def __init__(self) -> None:
        super().__init__()
        self.keep, self.paper, self.swap, self.drop = QPushButton(), QPushButton(), QPushButton(), QPushButton()
        for button, what in ((self.keep, "now"), (self.paper, "paper"), (self.swap, "swap"), (self.drop, "")):
            button.setProperty("keeps", what)
            button.clicked.connect(self._keep)
        self.about, self.list = QLabel(), QLabel()
        for label in (self.about, self.list):
            label.setWordWrap(True)
        views = [HeatmapView() for _ in range(3)]
        self.maps = [self.card(view, make) for view, make in zip(views, (aside, now, difference), strict=True)]
        self._linked: list[Canvas] = list(views)
        views[0].follows = False  # Its cells belong to the pass of the state that was put aside.
        for view in views:
            view.moved.connect(self._moved)
        self.bars = [self.card(BarsView(), bars_aside), self.card(BarsView(), bars_now)]
        self.maps[1].bar.insertWidget(2, self.choice("attention"))
        buttons = QHBoxLayout()
        for button in (self.keep, self.paper, self.swap, self.drop):
            buttons.addWidget(button)
        buttons.addWidget(self.about, 1)
        stages = QHBoxLayout()
        stages.addWidget(self.choice("stage"))
        stages.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self.list)
        right.addWidget(self.explain(), 1)
        lower = beside(*((bars, 2) for bars in self.bars))
        lower.addLayout(right, 2)
        column = column_in(self.scrolled())
        column.addLayout(buttons)
        column.addLayout(stages)
        column.addLayout(beside(*((card, 1) for card in self.maps)), 5)
        column.addLayout(lower, 4)
        self._wish: Wish | None = None
        self._words: Words | None = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        there = trace.compared_with is not None
        for card in (self.maps[0], self.maps[2], self.bars[0]):
            card.setVisible(there)
        self.list.setText("" if trace.config is None else departures_html(departures(trace.config), words))
        super().draw(trace, look, words)

    def put(self, wish: Wish) -> None:
        self._wish = wish
        there = wish.compared_with is not None
        self.swap.setEnabled(there)
        self.drop.setEnabled(there)
        self.paper.setEnabled(bool(departures(wish.config)))
        self._tell()

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        for button, key in ((self.keep, "keep"), (self.paper, "take_paper"), (self.swap, "swap"), (self.drop, "drop")):
            button.setText(words(f"compare.{key}"))
        self._tell()

    def _tell(self) -> None:
        if self._words is None or self._wish is None:
            return
        other = self._wish.compared_with
        if other is None:
            self.about.setText(self._words("compare.nothing"))
            return
        changed = [name for name, value in other.config.values().items() if value != self._wish.config.values()[name]]
        names = ", ".join(self._words(f"knob.{name}.name") for name in changed) or self._words("compare.same_knobs")
        title = f"preset.{other.preset}.title"
        preset = self._words(title) if title in self._words else other.preset
        self.about.setText(self._words("compare.about", text=other.text, preset=preset, knobs=names))

    def _keep(self) -> None:
        self.wished.emit(Compare(str(self.sender().property("keeps"))))

    def _moved(self, view: Viewport) -> None:
        """Show the same part of the map in all three views."""
        for other in self._linked:
            if other is not self.sender() and (other.view.rows, other.view.columns) == (view.rows, view.columns):
                other.view = view
                other.update()


PAGE = ComparePage
