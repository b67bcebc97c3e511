"""The list of the change page: the switches of the whole model, the user's own changes, and what can be tried.

Each row says what it does before it is switched on. This is found out by an errand behind the frames; a newer frame begins it
anew, and rows that are the same keep what they say.
"""

from collections import OrderedDict
from collections.abc import Iterator

import attrs
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from explorer.config import find_knob
from explorer.engine.errand import Brought, TryAll
from explorer.errors import ExplorerError, SlowToTry, TooLongToTry
from explorer.lang import Words
from explorer.picture.change_text import Listed, heads_of, listed, told_change, told_group, told_knob
from explorer.picture.makers.changed import told_head
from explorer.picture.outcome import Outcome, outcome
from explorer.picture.theme import LIGHT, Theme
from explorer.presets import load_preset
from explorer.state.breaks import BREAKS, broken, offered
from explorer.state.change_intents import RemoveAllChanges, SwitchAllOff
from explorer.state.first_changes import heads_to_switch, words_to_hide
from explorer.state.intents import SetKnob
from explorer.state.look import Look
from explorer.state.tries import Key, Try, is_altered, key_of_changes, key_of_knob, tries, unchanged_wish
from explorer.state.wish import Wish
from explorer.trace.change_groups import change_groups
from explorer.trace.changes import Change
from explorer.trace.found.consequences import Consequence
from explorer.trace.trace import Trace
from explorer.views.controls.change_rows import ChangeOffers, ChangeRows, OfferedChange
from explorer.views.controls.layouts import filled
from explorer.views.controls.outcome_row import OutcomeLegend, OutcomeRow
from explorer.views.controls.tab_group import make_tab_group


class KnobSwitchRow(OutcomeRow):
    """Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self, knob: str) -> None:
        super().__init__()
        self.knob = knob
        self.switch.toggled.connect(self._switched)
        self._own: object = None

    def put(self, wish: Wish, *, on: bool, words: Words) -> None:
        """Show whether the knob is turned away from the preset's value."""
        self._own = load_preset(wish.preset).config.values()[self.knob]
        here = wish.config.values()[self.knob]
        usual = here in (BREAKS[self.knob], self._own)
        told = told_knob(self.knob, BREAKS[self.knob] if usual else here, words)
        self.put_row(told, on=on, about=words(f"knob.{find_knob(self.knob).name}.hint"))

    def _switched(self, on: bool) -> None:
        self.wished.emit(SetKnob(self.knob, BREAKS[self.knob] if on else self._own))


_WIDE_PX, _NARROW_PX, _HIGH_PX = 396, 336, 300
_MOST_KEPT = 256  # outcomes

Found = Consequence | ExplorerError


class ChangeList(QFrame):
    """Signals: wished(Intent); sent(Errand) for what is found out behind the frames."""

    wished = Signal(object)
    sent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.title, self.model_title, self.own_title, self.try_title = QLabel(), QLabel(), QLabel(), QLabel()
        self.title.setObjectName("title")
        for label in (self.model_title, self.own_title, self.try_title):
            label.setObjectName("section")
        self.how, self.says, self.unit, self.scale = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self.how, self.says, self.unit, self.scale):
            label.setObjectName("faint")
        self.how.setWordWrap(True)
        self.says.setWordWrap(True)
        self.scale.setWordWrap(True)
        self.anyway, self.legend = QPushButton(), OutcomeLegend()
        self.anyway.hide()
        self.breaks = {name: KnobSwitchRow(name) for name in BREAKS}
        self.rows, self.hide_words, self.switch_heads = ChangeRows(), ChangeOffers(), ChangeOffers()
        self.off, self.remove = QPushButton(), QPushButton()
        for row in self.breaks.values():
            row.wished.connect(self.wished)
        for part in (self.rows, self.hide_words, self.switch_heads):
            part.wished.connect(self.wished)
        self.off.clicked.connect(self._all_off)
        self.remove.clicked.connect(self._remove_all)
        self.anyway.clicked.connect(self._ask_anyway)
        self._listed: tuple[Listed, ...] = ()
        self._errand = TryAll()
        self._known: OrderedDict[Try, Found] = OrderedDict()
        self._refused: ExplorerError | None = None
        self._words: Words | None = None
        self._theme, self._colours = LIGHT, LIGHT.signed_colours
        self.setMinimumSize(_NARROW_PX, _HIGH_PX)
        self._lay_out()

    def _lay_out(self) -> None:
        inner, area = QWidget(), QScrollArea()
        whole, own = QWidget(), QWidget()  # the switches of the whole model, and the user's own changes
        filled(QVBoxLayout(whole), self.model_title, self._switches(), None, gap_px=2, margins_px=(0, 0, 0, 0))
        column = filled(QVBoxLayout(own), self.own_title, self.rows, self.how, gap_px=2, margins_px=(0, 0, 0, 0))
        column.addSpacing(8)
        filled(column, self.try_title, self.hide_words, self.switch_heads, None)
        self._halves = filled(QVBoxLayout(inner), whole, (own, 1), gap_px=8, margins_px=(0, 0, 6, 0))
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The switches inside take the focus.
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        top = filled(QHBoxLayout(), self.title, None, self.unit)
        outer = filled(QVBoxLayout(self), top, self.says, margins_px=(10, 6, 10, 8))
        outer.addWidget(self.anyway, 0, Qt.AlignmentFlag.AlignLeft)
        scale = filled(QHBoxLayout(), self.legend, (self.scale, 1))
        filled(outer, (area, 1), scale, filled(QHBoxLayout(), self.off, self.remove, None))

    def _switches(self) -> QWidget:
        """The switches of the whole model, which are one stop of the Tab key."""
        switches = QWidget()
        filled(QVBoxLayout(switches), *self.breaks.values(), gap_px=2, margins_px=(0, 0, 0, 0))
        make_tab_group(switches, Qt.Key.Key_Up, Qt.Key.Key_Down)
        return switches

    def sizeHint(self) -> QSize:
        return QSize(_WIDE_PX, _HIGH_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the list is wide enough for two, its halves stand beside each other."""
        super().resizeEvent(event)
        both = self.width() >= 2 * _NARROW_PX
        self._halves.setDirection(QVBoxLayout.Direction.LeftToRight if both else QVBoxLayout.Direction.TopToBottom)
        self._halves.setStretch(0, int(both))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_outcomes()

    # What there is

    def put(self, wish: Wish, trace: Trace | None, look: Look | None, words: Words) -> None:
        """Show a wish, with the tokens of the Trace on screen."""
        self._words = words
        for label, key in (
            (self.title, "list"),
            (self.model_title, "whole_model"),
            (self.own_title, "own"),
            (self.try_title, "try"),
            (self.how, "how"),
            (self.scale, "scale"),
            (self.unit, "unit"),
            (self.anyway, "anyway"),
            (self.off, "all_off"),
            (self.remove, "remove_all"),
        ):
            label.setText(words(f"change.{key}"))
        self.off.setEnabled(bool(wish.active))
        self.remove.setEnabled(bool(wish.changes))
        there, turned = offered(wish.preset), broken(wish.config, wish.preset)
        for name, row in self.breaks.items():
            row.setVisible(name in there)
            row.put(wish, on=name in turned, words=words)
        self._listed = listed(wish.changes, heads_of(trace, wish.config.n_heads), trace, words)
        self.rows.put(self._listed, words)
        self.rows.setVisible(bool(wish.changes))
        self.how.setVisible(not wish.changes)
        if trace is not None and look is not None:
            self._colours = look.signed_colours
            self._offer(wish, trace, look, words)
        self._tell(is_altered(wish))
        self._show_outcomes()

    def _offer(self, wish: Wish, trace: Trace, look: Look, words: Words) -> None:
        hidden = [
            OfferedChange(
                words("change.suggest.hide", word=each.word),
                told_group(change_groups(each.changes, 1)[0], trace, words),
                each.changes,
            )
            for each in words_to_hide(trace)
            if not set(each.changes) <= set(wish.changes)
        ]
        self.hide_words.offer(words("change.hide_word"), hidden)
        heads = [
            OfferedChange(words(f"change.first.{each.key}"), told_change(each.changes[0], trace, words), each.changes)
            for each in heads_to_switch(look)
            if each.changes[0].tap in trace and not set(each.changes) <= set(wish.changes)
        ]
        self.switch_heads.offer(words("change.of_head", where=told_head(look, words)), heads)

    def _tell(self, more: bool) -> None:
        """Say what the rows say: what each does alone, or in addition to what is on; or why they say nothing."""
        assert self._words is not None  # `put` has set it.
        words = self._words
        told = words("change.says_more" if more else "change.says") if self._refused is None else words.error(self._refused)
        self.says.setText(told)
        self.anyway.setVisible(isinstance(self._refused, SlowToTry))

    # What each row does

    def ask(self, wish: Wish, trace: Trace) -> None:
        """Have it found out what each row does, where the Trace on screen answers the Wish."""
        left_out = trace.left_out
        now = attrs.evolve(wish, changes=tuple(change for change in wish.changes if change not in left_out))
        if not _answers(trace, wish) or trace.source != wish.text or set(trace.changes) != set(now.active):
            return  # The answer to this Wish is still to come.
        groups = [group for _row, group in self._own_rows()]
        groups += [each.changes for part in (self.hide_words, self.switch_heads) for each in part.offers]
        errand = TryAll(unchanged=unchanged_wish(now), tries=tries(now, groups))
        if errand == attrs.evolve(self._errand, anyway=False):
            return
        self._errand, self._refused = errand, None
        self._tell(is_altered(wish))
        self._show_outcomes()
        self.sent.emit(errand)

    def rest(self) -> None:
        """Find out nothing while the list is hidden."""
        if self._errand.n_pieces:
            self._errand = TryAll()
            self.sent.emit(self._errand)

    def bring(self, brought: Brought) -> None:
        """Show what a row does, as far as it was asked for and still matters."""
        if brought.errand is not self._errand or not isinstance(brought.found, (Consequence, ExplorerError)):
            return
        if isinstance(brought.found, (SlowToTry, TooLongToTry)):  # It holds for all rows.
            self._refused = brought.found
            self.sent.emit(TryAll())
            self._tell(False)
        else:
            self._known[self._errand.tries[brought.number]] = brought.found
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        self._show_outcomes()

    def _ask_anyway(self) -> None:
        self._errand, self._refused = attrs.evolve(self._errand, anyway=True), None
        self._tell(False)
        self._show_outcomes()
        self.sent.emit(self._errand)

    def _own_rows(self) -> Iterator[tuple[OutcomeRow, tuple[Change, ...]]]:
        """The rows of the user's own changes that this sentence has a place for."""
        for row, each in zip(self.rows.rows, self._listed, strict=True):
            if not each.lacks:
                yield row, each.group.changes

    def _keyed(self) -> Iterator[tuple[Key, OutcomeRow]]:
        for name, row in self.breaks.items():
            yield key_of_knob(name), row
        for own, changes in self._own_rows():
            yield key_of_changes(changes), own
        for part in (self.hide_words, self.switch_heads):
            for offer, each in zip(part.rows, part.offers, strict=True):
                yield key_of_changes(each.changes), offer

    def _show_outcomes(self) -> None:
        if self._words is None:
            return
        self.legend.dress(self._theme, self._colours)
        by_key = {} if self._refused is not None else {each.key: each for each in self._errand.tries}
        found = [self._known.get(each) for each in by_key.values()]
        expected = next((each.words for each in found if isinstance(each, Consequence)), ())
        for row, each in zip(self.rows.rows, self._listed, strict=True):
            if each.lacks:
                row.put_outcome(None, self._words)
                row.switch.setAccessibleDescription(each.lacks)
        for key, shown in self._keyed():
            shown.dress(self._theme, self._colours)
            tried = by_key.get(key)
            told: Outcome | None = None if tried is None else outcome(self._known.get(tried), self._words, expected)
            shown.put_outcome(told, self._words)

    def _all_off(self) -> None:
        self.wished.emit(SwitchAllOff())

    def _remove_all(self) -> None:
        self.wished.emit(RemoveAllChanges())


def _answers(trace: Trace, wish: Wish) -> bool:
    """Whether a Trace was made with the knobs of a Wish; of a foreign model, that is the temperature."""
    if trace.config is not None:
        return trace.config == wish.config
    return trace.preset == wish.preset and trace.card.temperature == wish.config.temperature
