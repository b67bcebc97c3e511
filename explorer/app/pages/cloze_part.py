"""Each token of a text hidden in turn, for a masked model: how probable it is there, and what the model would fill in."""

from PySide6.QtWidgets import QVBoxLayout

from explorer.app.pages.asking_part import AskingPart
from explorer.app.pages.layouts import beside
from explorer.app.pages.page import Page
from explorer.engine.errand import HideEach
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Bars
from explorer.picture.makers.cloze import filled_in_bars, hidden_timeline, least_probable, surprise_bars
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.cloze import Cloze
from explorer.trace.trace import Trace
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.timeline import TimelineView

_LEAST_PX = 420  # px, with room for nine candidates
_STEPS_PX = 124  # px, the height of title, note, chips, bars and their figures


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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.told)
        column.addWidget(self.steps)
        column.addLayout(beside((self.bars, 1), (self.surprise, 1)), 1)

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
