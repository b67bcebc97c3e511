"""Continuing a text: the tokens that the model generates, what each was chosen from, the tree of what was tried, the cache.

Decision: what was written belongs to the page and not to the State, since it follows from the text, the seed and the words
that were chosen. Rejected: a part of the Wish, which would make a step of undo of every token.
"""

from html import escape

import attrs
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from explorer.app.pages.layouts import beside
from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, WriteOn
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline, Tree
from explorer.picture.kinds import Bars, Strips
from explorer.picture.makers.writing import cache_strips, candidate_bars, written_timeline, written_tree
from explorer.picture.theme import LIGHT, Theme
from explorer.state.change_intents import TakeSentence
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.continuation import NextToken, Sampling, WrittenTree
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.sampling import SamplingBar
from explorer.views.controls.segments import Segments
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.timeline import TimelineView
from explorer.views.pictures.tree import TreeView

_AT_ONCE = ("10", "30", "100")
_HOW = ("likeliest", "drawn")
_LEAST_PX = 420  # px, with room for nine candidates
_STEPS_PX = 124  # px, the height of title, note, chips, bars and their figures


def writes_on(trace: Trace) -> bool:
    """Whether the model of a Trace is a language model, which can go on with a text."""
    return trace.card.architecture == "decoder-only" and "generator.logits" in trace and trace.card.trained


class WritingPart(QWidget):
    """Controls and cards; the page has a place of its own for the card `tried`.

    Signals: sent(Errand), wished(Intent), changed() when cards are to be drawn.
    """

    sent = Signal(object)
    wished = Signal(object)
    changed = Signal()

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.tree, self.errand, self.chosen, self.seed = WrittenTree(), WriteOn(), 0, 0
        self.refused: ExplorerError | None = None
        self._wish: Wish | None = None
        self._look, self._words, self._accent = Look(), Words.load("en"), LIGHT.accent
        self._how, self._most = _HOW[0], _AT_ONCE[0]
        self.text = QLabel()
        self.text.setObjectName("reading")
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.one, self.all, self.again, self.take = (QPushButton() for _ in range(4))
        self.how, self.most = Segments(), Segments()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        kept = self.progress.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # The card keeps its height.
        self.progress.setSizePolicy(kept)
        self.sampling = SamplingBar()
        self.setMinimumHeight(_LEAST_PX)
        self._make_cards(page)
        self._connect()
        self._lay_out()

    def _make_cards(self, page: Page) -> None:
        steps, bars, tree = TimelineView(), BarsView(), TreeView()
        self.steps = page.card(steps, self._timeline)
        self.steps.setFixedHeight(_STEPS_PX)
        self.steps.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.bars = page.card(bars, self._bars)
        self.bars.layout().insertWidget(1, self.sampling)  # type: ignore[union-attr]  # A card has a box layout.
        self.tried = page.card(tree, self._tree)
        self.cache = page.card(StripsView(), self._strips)
        steps.stepped.connect(self._step)
        bars.chose.connect(self.branch)
        tree.chose.connect(self._go_to)
        self.sampling.changed.connect(page.look_with)

    def _connect(self) -> None:
        self.one.clicked.connect(self.write_one)
        self.all.clicked.connect(self._write_or_stop)
        self.again.clicked.connect(self._draw_again)
        self.take.clicked.connect(self._take)
        self.how.chose.connect(self._chose_how)
        self.most.chose.connect(self._chose_most)

    def _lay_out(self) -> None:
        buttons = filled(QHBoxLayout(), self.one, self.all, self.most, self.how, self.again, None, self.take, gap_px=8)
        filled(
            QVBoxLayout(self),
            framed(self.text, buttons, self.progress),
            self.steps,
            (beside((self.bars, 4), (self.cache, 7)), 1),
            gap_px=8,
            margins_px=(0, 0, 0, 0),
        )

    # What there is

    @property
    def writing(self) -> bool:
        """Whether the model is writing."""
        return self.errand.n_pieces > 0

    def put(self, wish: Wish) -> None:
        """Begin anew for another text or model; what a second pass is compared with makes no difference."""
        wish = attrs.evolve(wish, batch=(), other="", toward=(), away=(), compared_with=None)
        if wish == self._wish:
            return
        self._wish = wish
        self.tree, self.chosen, self.refused = WrittenTree(), 0, None
        self.end()

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Show what was written after the text of a Trace."""
        self._look, self._words = look, words
        self.sampling.put(look, trace.card.vocab_size)
        self.cache.setVisible(f"decoder.layers.{look.layer}.self_attn.key" in trace)
        self._tell()

    def set_theme(self, theme: Theme) -> None:
        self._accent = theme.accent
        self._tell()

    def speak(self, words: Words) -> None:
        self._words = words
        self.sampling.speak(words)
        for button, key in ((self.one, "one"), (self.again, "again"), (self.take, "take")):
            button.setText(words(f"writing.{key}"))
            button.setToolTip(words(f"writing.{key}_hint"))
        self.how.setAccessibleName(words("writing.how"))
        self.most.setAccessibleName(words("writing.most"))
        self.most.setToolTip(words("writing.most"))
        self.progress.setAccessibleName(words("writing.progress"))
        self._tell()

    def _tell(self) -> None:
        """Write the text with its continuation, and what the buttons can do."""
        words, wish, tree = self._words, self._wish, self.tree
        self.how.offer({each: words(f"writing.{each}") for each in _HOW}, self._how)
        self.most.offer({each: each for each in _AT_ONCE}, self._most)
        self.all.setText(words("writing.stop" if self.writing else "writing.all"))
        self.all.setToolTip(words("writing.all_hint"))
        for each in (self.again, self.sampling):
            each.setVisible(self._how == "drawn")
        self.progress.setVisible(self.writing)
        self.one.setEnabled(not self.writing and not tree.ended)
        self.all.setEnabled(self.writing or not tree.ended)
        self.take.setEnabled(bool(tree.written) and not self.writing)
        self.progress.setRange(0, max(1, self.errand.most))
        self.progress.setValue(len(tree.written) - len(self.errand.begun) if self.writing else 0)
        typed = "" if wish is None else wish.text
        self.text.setText(continued(typed, self.written_text(), self._accent))
        if self.refused is not None:
            self.text.setText(f"{self.text.text()}<br>{words.error(self.refused)}")

    def written_text(self) -> str:
        """What was written, as it stands behind the text."""
        return self.tree.written[-1].so_far if self.tree.written else ""

    # What the user does

    def write_one(self) -> None:
        """Write one more token."""
        self._send((), 1)

    def _write_or_stop(self) -> None:
        if self.writing:
            self.end()
            self.changed.emit()
        else:
            self._send((), int(self._most))

    def end(self) -> None:
        """Stop writing; what was written stays."""
        if self.writing:
            self.errand = WriteOn()
            self.sent.emit(self.errand)

    def branch(self, symbol: int) -> None:
        """Put another word in the place of the chosen token, and go on from there."""
        path = self.tree.path(self.tree.at)
        place = max(0, min(self.chosen, len(path) - 1)) if path else 0
        self.tree = self.tree.going_on_at(path[place - 1] if place else -1)
        self._send((symbol,), 1)

    def _go_to(self, node: int) -> None:
        """Go on from a token of the tree."""
        self.end()
        self.tree = self.tree.going_on_at(node)
        self.chosen = len(self.tree.written) - 1
        self.changed.emit()

    def _draw_again(self) -> None:
        """Draw from the beginning with the next seed."""
        self.end()
        self.seed = (self.seed + 1) % 1_000_000
        self.tree = self.tree.going_on_at(-1)
        self._send((), int(self._most))

    def _take(self) -> None:
        if self._wish is not None and self.tree.written:
            self.wished.emit(TakeSentence(self._wish.text + self.written_text()))

    def _step(self, step: int) -> None:
        self.chosen = step
        self.changed.emit()

    def _chose_how(self, how: str) -> None:
        self._how = how
        self._tell()

    def _chose_most(self, most: str) -> None:
        self._most = most
        self._tell()

    def _send(self, forced: tuple[int, ...], most: int) -> None:
        if self._wish is None:
            return
        look, self.refused = self._look, None
        sampling = Sampling(
            temperature=look.sampling_temperature,
            top_k=look.top_k,
            top_p=look.top_p,
            seed=self.seed if self._how == "drawn" else None,
        )
        self.errand = WriteOn(wish=self._wish, sampling=sampling, begun=self.tree.ids, forced=forced, most=most)
        self.sent.emit(self.errand)
        self.changed.emit()

    def bring(self, brought: Brought) -> None:
        """Add a token that was written."""
        if brought.errand is not self.errand:
            return
        if isinstance(brought.found, NextToken):
            self.tree = self.tree.with_token(brought.found)
            self.chosen = len(self.tree.written) - 1
        elif isinstance(brought.found, ExplorerError):
            self.refused = brought.found
        if not isinstance(brought.found, NextToken) or brought.found.ends or brought.number + 1 == self.errand.most:
            self.errand = WriteOn()
            self.sent.emit(self.errand)
        self.changed.emit()

    # The pictures

    def _timeline(self, trace: Trace, look: Look, words: Words) -> Timeline:
        return written_timeline(trace, self.tree, self.chosen, look, words)

    def _bars(self, trace: Trace, look: Look, words: Words) -> Bars:
        return candidate_bars(trace, self.tree, self.chosen, look, words)

    def _tree(self, trace: Trace, look: Look, words: Words) -> Tree:
        return written_tree(self.tree, words)

    def _strips(self, trace: Trace, look: Look, words: Words) -> Strips:
        return cache_strips(trace, self.tree, look, words)


def framed(text: QLabel, buttons: QHBoxLayout, progress: QProgressBar) -> QFrame:
    """A card with the text, the buttons below it, and the bar of what is done."""
    frame = QFrame()
    frame.setObjectName("card")
    filled(QVBoxLayout(frame), text, buttons, progress, gap_px=6, margins_px=(10, 8, 10, 4))
    return frame


def continued(typed: str, written: str, colour: str) -> str:
    """Rich text: what was typed, and behind it in another colour what was written."""
    tail = f'<span style="color:{colour}">{escape(written)}</span>' if written else ""
    return f"{escape(typed)}{tail}".replace("\n", "<br>")
