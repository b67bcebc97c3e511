"""The tokens page: the tokens of both sides, and below them the sentence cut in other ways."""

from PySide6.QtWidgets import QToolButton

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.embedding import source_tokens, target_tokens
from explorer.picture.makers.segmentations import cut_rows
from explorer.state.cut_intents import TakeExample
from explorer.state.look import Look
from explorer.trace.found.doubts import language_read
from explorer.trace.found.experiments import SEGMENTATIONS
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import PoolBox
from explorer.views.pictures.cut_rows import CutRowsView
from explorer.views.pictures.token_row import TokenRowView

EXAMPLE = "南京市长江大桥"
"""It can be cut in two ways that both make sense: a bridge, and the name of a mayor."""
_POOLS = ("head", "layer", "all")
_SIDE_PX = 154  # px, in which two lines of chips are seen whole
_AROUND_PX = 76  # px; title and note of a card


class TokensPage(Page):
    """A card for each side that the model has, and one with the cuts of the sentence."""

    key = "tokens"
    least_px = 440
    experiments = frozenset({SEGMENTATIONS.key})

    def __init__(self) -> None:
        super().__init__()
        self.sides = {
            "source": self.card(TokenRowView(wrap=True), source_tokens),
            "target": self.card(TokenRowView(wrap=True), target_tokens),
        }
        self.cut_rows = CutRowsView()
        self.cuts = self.card(self.cut_rows, cut_rows)
        self.of_our_own.append(self.cuts)
        self.example, self.pool = QToolButton(), PoolBox()
        self.example.setText(EXAMPLE)
        self.example.setObjectName("segment")
        self.example.clicked.connect(self._take_example)
        self.pool.chose.connect(self.sets("aligned"))
        for each in (self.example, self.pool):
            each.hide()  # They have nothing to say before the first picture.
        self.cuts.bar.insertWidget(2, self.pool)
        self.cuts.bar.insertWidget(3, self.example)
        for card in self.sides.values():
            card.setMinimumHeight(_SIDE_PX)
        self._inner = self.scrolled()
        self._column = column = column_in(self._inner)
        column.addLayout(beside(*((card, 1) for card in self.sides.values())), 2)
        column.addWidget(self.cuts, 5)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for side, card in self.sides.items():
            card.setVisible(bool(getattr(trace.tokens, side)))
        self.pool.offer(_POOLS, look.aligned if look.aligned in _POOLS else _nearest(look.aligned), words)
        self.pool.show()
        self.example.setVisible((trace.source or trace.target) != EXAMPLE and language_read(trace) != "en")
        super().draw(trace, look, words)
        self._make_room()

    def enlarge(self, card: Card | None) -> None:
        super().enlarge(card)
        self._make_room()

    def _make_room(self) -> None:
        """Let the page scroll rather than squeeze the rows. An enlarged card has the page's height and no more."""
        enlarged = self.enlarged.card is self.cuts
        self.cuts.setMinimumHeight(0 if enlarged else self.cut_rows.comfortable_px + _AROUND_PX)
        self._inner.setMinimumHeight(max(self.least_px, self._column.minimumSize().height()))

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.example.setToolTip(words("cuts.example"))
        self.example.setAccessibleName(f"{words('cuts.example')}: {EXAMPLE}")

    def _take_example(self) -> None:
        self.wished.emit(TakeExample(EXAMPLE))


def _nearest(aligned: str) -> str:
    """What is shown for a maximum, whose rows are no sums of 1, and for a rollout."""
    return "layer" if aligned == "layer_max" else "all"


PAGE = TokensPage
