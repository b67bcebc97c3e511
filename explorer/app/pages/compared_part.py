"""What differs between the pass on screen and the pinned one, on the page that compares them: heads, tokens and weights.

Decision: what is compared belongs to the page and comes as errands behind the frames. Rejected: makers that compare, since a
look at another head would compare all maps again, which takes a second of a long text.
"""

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.pages.card import LONG_MS
from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, ComparePasses, CompareWeights, Errand, ListWeights
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.departures import changed_heads, changed_weights, changed_words, compared_taps, head_in_row
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.difference import ParameterPairs, WeightDifference, WordDifferences
from explorer.trace.measures.head_distance import HeadDistance
from explorer.trace.trace import Trace
from explorer.views.controls.progress_row import ProgressRow
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.rewording import RewordingView

_NAMES_PX = 220.0  # px, in which the names of matrices are seen whole
_ROW_PX = 320  # the height that words have anyway
_AROUND_PX = 76  # px; title and note of a card


class ComparedPart(QObject):
    """Three cards, and the progress of comparing with the button that cancels it.

    Signals: sent(Errand); changed() when the cards are to be drawn.
    """

    sent = Signal(object)
    changed = Signal()

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._look_at = page.look_at
        heads, weights = HeatmapView(row_label_px=_NAMES_PX), HeatmapView(row_label_px=_NAMES_PX)
        heads.follows = weights.follows = False  # Their cells are no weights of attention.
        heads.chose.connect(self._chose)
        self._row = RewordingView()
        self.heads = page.card(heads, self._heads_map, title="compare.heads")
        self.words = page.card(self._row, self._words_row, title="compare.words")
        self.weights = page.card(weights, self._weights_map, title="compare.weights")
        self.progress = ProgressRow()
        self.progress.button.clicked.connect(self._cancel_or_begin)
        for card in (self.heads, self.words, self.weights):
            card.hide()  # Nothing is pinned before there is a pass.
        self._wish: Wish | None = None
        self._trace: Trace | None = None  # the pass that is compared, or was
        self._passes, self._listing, self._weighing = ComparePasses(), ListWeights(), CompareWeights()
        self._heads: dict[str, HeadDistance] = {}
        self._words: WordDifferences | None = None
        self._without_words = False
        self._of_weights: tuple[object, object] | None = None  # the two models whose weights are compared, or were
        self._found: list[WeightDifference] = []
        self._weighed = False  # whether all weights are compared
        self._done = 0
        self._given_up = self._is_long = False
        self._anew = False  # whether the weights are to be compared anew, since that was cancelled
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(LONG_MS)
        self._patience.timeout.connect(self._takes_long)
        self.refused: ExplorerError | None = None

    # What is asked for

    def put(self, wish: Wish) -> None:
        """Take the Wish whose pass comes next."""
        self._wish = wish

    def look_into(self, trace: Trace) -> None:
        """Compare this pass with the pinned one, unless that is done; the weights only where they are other ones."""
        if trace is self._trace or self._wish is None:
            return
        self._trace, self._given_up = trace, False
        self._begin()

    def _begin(self) -> None:
        assert self._trace is not None and self._wish is not None  # The callers have looked.
        self._end(self._passes)
        self._heads, self._words, self._without_words = {}, None, False
        other = self._wish.compared_with
        if self._trace.compared_with is None or other is None:
            self._end(self._listing, self._weighing)
            self._of_weights = None
            return
        self._passes = ComparePasses(trace=self._trace, taps=compared_taps(self._trace))
        self._send(self._passes)
        both = _weights_of(other), _weights_of(self._wish)
        if both != self._of_weights or self._anew:
            self._end(self._listing, self._weighing)
            self._found, self._of_weights, self.refused, self._weighed, self._anew = [], both, None, False, False
            if self.has_weights:
                self._listing = ListWeights(wish=self._wish, other=other)
                self._send(self._listing)

    @property
    def has_weights(self) -> bool:
        """Whether the two models have other weights, as far as their Wishes tell."""
        if self._of_weights is None or self._wish is None or self._wish.compared_with is None:
            return False
        recorded = self._wish.recorded or self._wish.compared_with.recorded
        return self._of_weights[0] != self._of_weights[1] and not recorded

    def _send(self, errand: Errand) -> None:
        self._done, self._is_long = 0, False
        self.sent.emit(errand)
        self._patience.start()

    def _takes_long(self) -> None:
        self._is_long = True
        self._show_progress()

    def forget(self) -> None:
        """Ask for nothing further, and compare everything anew with the next pass."""
        self._trace, self._of_weights = None, None
        self._heads, self._words, self._found = {}, None, []
        self._end(self._passes, self._listing, self._weighing)

    def give_up(self) -> bool:
        """Cancel comparing where it takes long; False where nothing does."""
        if not self.awaits or self.progress.isHidden():
            return False
        self._given_up, self._anew = True, not self._weighed
        self._end(self._passes, self._listing, self._weighing)
        self.changed.emit()
        return True

    def _cancel_or_begin(self) -> None:
        if not self.give_up() and self._trace is not None:
            self._given_up = False
            self._begin()
            self.changed.emit()

    def _end(self, *errands: Errand) -> None:
        """End these errands, as far as they are under way."""
        for errand in errands:
            if errand.n_pieces:
                self.sent.emit(type(errand)())
        self._passes = ComparePasses() if self._passes in errands else self._passes
        self._listing = ListWeights() if self._listing in errands else self._listing
        self._weighing = CompareWeights() if self._weighing in errands else self._weighing
        self._show_progress()

    # What comes

    def bring(self, brought: Brought) -> None:
        """Take what an errand has found out, and show it when it is complete."""
        errand, found, last = brought.errand, brought.found, brought.number + 1 == brought.errand.n_pieces
        if errand is self._passes:
            self._take_pass(brought.number, found)
            self._passes = ComparePasses() if last else self._passes
        elif errand is self._listing:
            self._listing, last = ListWeights(), not isinstance(found, ParameterPairs) or not found.pairs
            self._weighed = last
            self.refused = found if isinstance(found, ExplorerError) else None
            if isinstance(found, ParameterPairs) and found.pairs:
                self._weighing = CompareWeights(wish=errand.wish, other=errand.other, pairs=found.pairs)
                self._send(self._weighing)
        elif errand is self._weighing:
            self._take_weight(found)
            last = last or self.refused is not None
            self._weighed = last
            self._weighing = CompareWeights() if last else self._weighing
        else:
            return
        self._done = brought.number + 1
        self._show_progress()
        if last:
            self.changed.emit()

    def _take_pass(self, number: int, found: object) -> None:
        if isinstance(found, HeadDistance):
            self._heads[self._passes.taps[number]] = found
        elif number == len(self._passes.taps):
            self._words = found if isinstance(found, WordDifferences) else None
            self._without_words = self._words is None

    def _take_weight(self, found: object) -> None:
        if isinstance(found, WeightDifference):
            self._found.append(found)
        elif isinstance(found, ExplorerError):
            self.refused = found
            self._end(self._weighing)

    @property
    def awaits(self) -> bool:
        """Whether something is still to come."""
        return any(each.n_pieces for each in (self._passes, self._listing, self._weighing))

    def _show_progress(self) -> None:
        """Show how far comparing is where it takes long, or offer to begin what was cancelled."""
        going = self._passes if self._passes.n_pieces else self._weighing
        self.progress.tell(self._done, going.n_pieces, going=not self._given_up)
        self.progress.setVisible(self._given_up or (self.awaits and self._is_long))

    # What is shown

    def draw(self, trace: Trace, words: Words) -> None:
        """Show the cards that this pass and its pinned one have something for."""
        pinned = trace.compared_with is not None
        self.heads.setVisible(pinned and bool(compared_taps(trace)))
        self.words.setVisible(pinned and not self._without_words)
        self.weights.setVisible(pinned and self.has_weights)
        self.progress.button.setText(words("compare.begin" if self._given_up else "parameters.cancel"))
        self._show_progress()

    def make_room(self) -> int:
        """Keep the words from being squeezed; returns by how much (px) the page is to be higher for them."""
        needed = self._row.comfortable_px + _AROUND_PX if self._words is not None else 0
        self.words.setMinimumHeight(needed)
        return 0 if self.words.isHidden() else max(0, needed - _ROW_PX)

    def broken(self, words: Words) -> str:
        """Why there are no pictures and none come; "" where there are, or are to come."""
        if self._given_up:
            return words("compare.cancelled")
        return "" if self.refused is None else words.error(self.refused)

    def _chose(self, row: int, head: int) -> None:
        if self._trace is not None and head < self._trace.card.side(head_in_row(self._trace, row)[0]).n_heads:
            attention, layer = head_in_row(self._trace, row)
            self._look_at(attention=attention, layer=layer, head=head, aligned="head", overlaid=())

    def _heads_map(self, trace: Trace, look: Look, words: Words) -> Heatmap | None:
        done = trace is self._trace and self._heads.keys() >= set(compared_taps(trace))
        return changed_heads(trace, look, words, self._heads) if done else None

    def _words_row(self, trace: Trace, look: Look, words: Words) -> Rewording | None:
        return changed_words(look, words, self._words) if trace is self._trace and self._words is not None else None

    def _weights_map(self, _trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return changed_weights(look, words, self._found) if self._weighed and self.refused is None else None


def _weights_of(wish: Wish) -> object:
    """What decides the weights of a Wish's model."""
    return wish.preset, wish.worn, wish.uses_trained or wish.foreign or (wish.trained, wish.config.shape)
