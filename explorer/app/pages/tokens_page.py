"""The tokens page: the tokens of both sides, beside those of a pinned model, and below them the sentence cut in other ways."""

from PySide6.QtWidgets import QToolButton

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, CompareVocabularies
from explorer.lang import Words
from explorer.picture.kinds import TokenRow
from explorer.picture.makers.embedding import has_other_vocabulary, other_tokens, source_tokens, target_tokens
from explorer.picture.makers.segmentations import cut_rows
from explorer.state.cut_intents import TakeExample
from explorer.state.look import Look
from explorer.trace.found.difference import VocabularyPair
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
_NOTE_PX = 44  # px; a note of two lines
_AROUND_PX = 76  # px; title and note of a card


class TokensPage(Page):
    """A card for each side that the model has, and one with the cuts of the sentence.

    Where a model with another vocabulary is pinned, its tokens stand beside them.
    """

    key = "tokens"
    least_px = 440
    experiments = frozenset({SEGMENTATIONS.key})

    def __init__(self) -> None:
        super().__init__()
        self.sides = {
            "source": self.card(TokenRowView(wrap=True), source_tokens),
            "target": self.card(TokenRowView(wrap=True), target_tokens),
        }
        self._shown: tuple[Trace, Look, Words] | None = None
        self._trace: Trace | None = None  # the pass whose vocabulary is compared, or was
        self._asked = CompareVocabularies()
        self._pair: VocabularyPair | None = None
        self.cut_rows = CutRowsView()
        self.cuts = self.card(self.cut_rows, cut_rows)
        self.of_our_own.append(self.cuts)
        self.other = self.card(TokenRowView(wrap=True), self._other_row, page="compare")
        self.other.hide()  # Nothing is pinned before there is a pass.
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
        self.other.setMinimumHeight(_SIDE_PX + _NOTE_PX)
        self._inner = self.scrolled()
        self._column = column = column_in(self._inner)
        column.addLayout(beside(*((card, 1) for card in self.sides.values()), (self.other, 1)), 2)
        column.addWidget(self.cuts, 5)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = trace, look, words
        for side, card in self.sides.items():
            card.setVisible(bool(getattr(trace.tokens, side)))
        self.other.setVisible(has_other_vocabulary(trace))
        self._compare(trace)
        self.pool.offer(_POOLS, look.aligned if look.aligned in _POOLS else _nearest(look.aligned), words)
        self.pool.show()
        self.example.setVisible((trace.source or trace.target) != EXAMPLE and language_read(trace) != "en")
        super().draw(trace, look, words)
        self._make_room()

    def _compare(self, trace: Trace) -> None:
        """Have the vocabulary of a pass compared with that of the pinned one, unless that is done."""
        if trace is self._trace:
            return
        self._trace, self._pair = trace, None
        wanted = CompareVocabularies(trace=trace if has_other_vocabulary(trace) else None)
        if wanted.n_pieces or self._asked.n_pieces:
            self._asked = wanted
            self.sent.emit(wanted)

    def bring(self, brought: Brought) -> None:
        if brought.errand is not self._asked:
            return
        self._asked = CompareVocabularies()
        self._pair = brought.found if isinstance(brought.found, VocabularyPair) else None
        if self._shown is not None:
            self.other.draw(*self._shown)

    @property
    def awaits(self) -> bool:
        return self._asked.n_pieces > 0

    def forget(self) -> None:
        self._trace, self._pair, self._shown = None, None, None
        if self._asked.n_pieces:
            self._asked = CompareVocabularies()
            self.sent.emit(self._asked)

    def _other_row(self, trace: Trace, _look: Look, words: Words) -> TokenRow | None:
        return None if self._pair is None or trace is not self._trace else other_tokens(trace, words, self._pair)

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
