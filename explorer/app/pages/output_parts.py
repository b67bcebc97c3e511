"""The output page's parts for models that generate no text: masked tokens filled in, sentences compared, classes.

Decision: an AskingPart sends an errand of one piece, which gives way to each keystroke. Rejected: an experiment of the answer
itself, since a keystroke would wait for a pass of each token. The sentences that are compared belong to the page and not to the
State; the typed one is always the first of them.
"""

from typing import Generic, TypeVar

import attrs
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from explorer.app.pages.card import Card
from explorer.app.pages.layouts import beside
from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, CompareTexts, Errand, HideEach
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Bars, Heatmap
from explorer.picture.makers.classes import TOP, class_bars, class_map, class_row
from explorer.picture.makers.cloze import filled_in_bars, hidden_timeline, least_probable, surprise_bars
from explorer.picture.makers.vectors import cosine_map
from explorer.state.look import Look
from explorer.state.suggested_sentences import SUGGESTED, compared
from explorer.state.wish import Wish
from explorer.trace.found.cloze import Cloze
from explorer.trace.found.similarity import Similarity
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.sentence import SentencesEdit
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView

F = TypeVar("F")
_LEAST_PX = 420  # px, with room for ten classes below the row of tokens
_STEPS_PX = 124  # px, the height of title, note, chips, bars and their figures
_SENTENCE_PX = 240.0  # px of a label that is a sentence
_NUMBERS = 4  # rows of bars that have the height of a map with one row
_ROW_PX, _AROUND_PX = 26, 84  # px, the height of a bar, and of title, note and margins
_COLUMN_PX, _BESIDE_PX = 120, 160  # px, the width of a number, and of what stands beside the numbers
_MOST_PX = 16_777_215  # px, no limit: QWIDGETSIZE_MAX


class AskingPart(QWidget, Generic[F]):
    """Has one thing found out in an extra pass as soon as the page shows it, and anew for each Wish.

    A subclass says what is asked for (`errand_for`) and of which type the answer is (`of`), and makes its `cards`.

    The cards come with the first answer, and the keys go to the first of them; later the last picture stays until the next
    answer is there. `told` says that the first one is being computed, or why there is none.

    Signals: sent(Errand); changed() when cards are to be drawn.
    """

    sent = Signal(object)
    changed = Signal()
    waiting = ""  # the key of the text that says what is being computed

    def __init__(self, of: type[F]) -> None:
        super().__init__()
        self._of = of
        self.cards: tuple[Card, ...] = ()
        self.found: F | None = None
        self._shown = False  # whether the cards have a picture
        self._asked: Errand | None = None
        self._answered = True
        self._refused: ExplorerError | None = None
        self._wish: Wish | None = None
        self._words = Words.load("en")
        self.told = QLabel()
        self.told.setObjectName("faint")
        self.told.setWordWrap(True)

    def errand_for(self, wish: Wish) -> Errand:
        """What is asked for."""
        raise NotImplementedError

    def put(self, wish: Wish) -> None:
        """Take another Wish; what a second pass is compared with makes no difference."""
        before = self._wish
        self._wish = attrs.evolve(wish, batch=(), other="", toward=(), away=(), compared_with=None)
        if before is not None and before.preset != wish.preset:
            self._shown = False  # The pictures are those of another model.
        if before != self._wish:
            self._drop()

    def draw(self, trace: Trace, _look: Look, words: Words) -> None:
        """Ask for what the Trace on screen has no answer to yet."""
        self._words = words
        if self._asked is None and self._wish is not None and self._wish.preset == trace.preset:
            self._asked, self._answered = self.errand_for(self._wish), False
            self.sent.emit(self._asked)
        for card in self.cards:
            card.setVisible(self._shown)
        if self._shown and self.hasFocus():
            self.cards[0].view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        self._tell()

    def bring(self, brought: Brought) -> None:
        """Take the answer, unless it is that to an older question."""
        if brought.errand is not self._asked:
            return
        self._answered = True
        if isinstance(brought.found, self._of):
            self.found, self._shown = brought.found, True
        elif isinstance(brought.found, ExplorerError):
            self._refused, self._shown = brought.found, False
        self.changed.emit()

    def ask_anew(self) -> None:
        """Something else is asked for of the same Wish."""
        self._drop()
        self.changed.emit()

    def _drop(self) -> None:
        """Forget the answer, and end what is being computed."""
        if self._asked is not None and not self._answered:
            self.sent.emit(type(self._asked)())
        self._asked, self._answered, self._refused, self.found = None, True, None, None

    def _tell(self) -> None:
        if self._refused is not None:
            self.told.setText(self._words.error(self._refused))
        elif not self._shown:
            self.told.setText(self._words(self.waiting))
        self.told.setVisible(self._refused is not None or not self._shown)


def fills_in(trace: Trace) -> bool:
    """Whether the model of a Trace fills gaps: an encoder alone, with an output at each token and a symbol for hidden ones."""
    alone = trace.card.architecture == "encoder-only" and trace.card.mask >= 0 and "generator.logits" in trace
    return alone and not trace.recorded_by


class ClozePart(AskingPart[Cloze]):
    """A row of the tokens, one of which is chosen; below it what the model fills in there, and which tokens surprise it."""

    waiting = "cloze.waiting"

    def __init__(self, page: Page) -> None:
        super().__init__(Cloze)
        self.chosen: int | None = None
        self.setMinimumHeight(_LEAST_PX)
        steps = TimelineView()
        self.steps = page.card(steps, self._timeline)
        self.steps.fix_height(_STEPS_PX)
        self.bars = page.card(BarsView(), self._bars)
        self.surprise = page.card(BarsView(), self._surprise)
        self.cards = (self.steps, self.bars, self.surprise)
        steps.stepped.connect(self.choose)
        filled(
            QVBoxLayout(self),
            self.told,
            self.steps,
            (beside((self.bars, 1), (self.surprise, 1)), 1),
            gap_px=8,
            margins_px=(0, 0, 0, 0),
        )

    def errand_for(self, wish: Wish) -> HideEach:
        return HideEach(wish=wish)

    def choose(self, place: int) -> None:
        """Look at another token."""
        self.chosen = place
        self.changed.emit()

    def at(self, found: Cloze) -> int:
        """The place that is looked at: the chosen one, at first the one that the model expects least."""
        return least_probable(found) if self.chosen is None else min(self.chosen, len(found.tokens) - 1)

    def _timeline(self, _trace: Trace, look: Look, words: Words) -> Timeline | None:
        return None if self.found is None else hidden_timeline(self.found, self.at(self.found), look, words)

    def _bars(self, _trace: Trace, look: Look, words: Words) -> Bars | None:
        return None if self.found is None else filled_in_bars(self.found, self.at(self.found), look, words)

    def _surprise(self, _trace: Trace, look: Look, words: Words) -> Bars | None:
        return None if self.found is None else surprise_bars(self.found, self.at(self.found), look, words)


def compares(trace: Trace) -> bool:
    """Whether the model of a Trace makes vectors of sentences: a foreign encoder without an output."""
    alone = trace.card.architecture == "encoder-only" and trace.card.vocab_size == 0 and "generator.logits" not in trace
    return alone and trace.config is None and not trace.recorded_by


class SimilarityPart(AskingPart[Similarity]):
    """A box with a sentence in each line, and the map of cosines below it."""

    waiting = "similarity.waiting"

    def __init__(self, page: Page) -> None:
        super().__init__(Similarity)
        self.setMinimumHeight(_LEAST_PX)
        self.box, self.label, frame = SentencesEdit(), QLabel(), QFrame()
        self.box.offer(SUGGESTED)
        self.box.edited.connect(lambda _sentences: self.ask_anew())
        self.label.setObjectName("faint")
        self.label.setBuddy(self.box)
        frame.setObjectName("card")
        filled(QVBoxLayout(frame), self.label, self.box, gap_px=4, margins_px=(10, 8, 10, 8))
        cosines = HeatmapView(row_label_px=_SENTENCE_PX)
        cosines.follows = False  # Its cells are cosines and no weights.
        self.map = page.card(cosines, self._map)
        self.cards = (self.map,)
        filled(QVBoxLayout(self), frame, self.told, (self.map, 1), gap_px=8, margins_px=(0, 0, 0, 0))

    def errand_for(self, wish: Wish) -> CompareTexts:
        return CompareTexts(wish=wish, texts=compared(wish.text, self.box.sentences()))

    def speak(self, words: Words) -> None:
        """Write the texts of the box in the words' language."""
        self.label.setText(words("similarity.box"))
        self.box.setAccessibleName(words("similarity.box"))

    def _map(self, _trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return None if self.found is None else cosine_map(self.found, look, words)


class ClassesPart(QWidget):
    """Bars of a text; of tokens a row of them, the bars of the chosen one, and a map of all; of mere numbers the map alone."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        steps, numbers = TimelineView(), HeatmapView()
        numbers.follows = False  # Its cells are no weights.
        steps.stepped.connect(page.sets("position"))
        self.steps = page.card(steps, class_row)
        self.steps.fix_height(_STEPS_PX)
        self.bars = page.card(BarsView(), class_bars)
        self.map = page.card(numbers, class_map)
        row = filled(QHBoxLayout(), (self.bars, 4), (self.map, 7), gap_px=8)
        row.addStretch(0)  # takes what a narrow map leaves
        filled(QVBoxLayout(self), self.steps, (row, 1), gap_px=8, margins_px=(0, 0, 0, 0))

    def draw(self, trace: Trace, _look: Look, _words: Words) -> None:
        """Show the cards that this classifier has; the page draws them."""
        head = trace.card.classes
        assert head is not None  # The page shows this part of classifiers alone.
        self.steps.setVisible(head.of == "tokens")
        self.bars.setVisible(head.by != "number")
        self.map.setVisible(head.of == "tokens" or head.by == "number")
        # A text has one row: cards with a few bars are no higher than these, and a few numbers no wider than they need.
        count = min(len(head.labels), TOP)
        rows = _NUMBERS if head.by == "number" else count
        self.map.setMaximumWidth(_MOST_PX if head.of == "tokens" else _BESIDE_PX + count * _COLUMN_PX)
        self.setMinimumHeight(_LEAST_PX if head.of == "tokens" else min(_LEAST_PX, _AROUND_PX + rows * _ROW_PX))
        self.setMaximumHeight(_MOST_PX if head.of == "tokens" else _AROUND_PX + rows * _ROW_PX)
