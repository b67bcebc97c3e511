"""The change page: what is altered inside the pass, and what follows for the translation and for the maps."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from explorer.app.pages.layouts import below, beside, row_in
from explorer.app.pages.page import Page
from explorer.app.pages.wall_card import wall_card
from explorer.config import find_knob
from explorer.lang import Words
from explorer.picture.change_text import listed, told_change, told_group
from explorer.picture.makers import changed
from explorer.picture.makers.attention import head_map
from explorer.picture.makers.changed import is_changed, told_head
from explorer.presets import load_preset
from explorer.state.breaks import BREAKS, broken, offered
from explorer.state.change_intents import AddChanges, RemoveAllChanges, SwitchAllOff
from explorer.state.first_changes import FirstChange, heads_to_switch, words_to_hide
from explorer.state.intents import SetKnob
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.change_groups import change_groups
from explorer.trace.trace import Trace
from explorer.views.controls.change_offers import ChangeOffers, OfferedChange
from explorer.views.controls.change_rows import ChangeRows
from explorer.views.controls.suggestions import Suggestions
from explorer.views.controls.switch import Switch
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.viewport import Viewport
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.rewording import RewordingView

_LIST_PX, _WORDS_PX, _MAPS_PX, _NARROW_PX = 320, 184, 270, 1040
_MOST_WORDS_PX = 320
_SUGGESTIONS_PX, _FIRST_MAP_PX, _LEAST_PX = (146, 190), (170, 230), (650, 870)  # in a wide page, and in a narrow one
_SUGGESTED = ("position", "hide", "head", "layer")
"""What one click does first: a knob of `BREAKS`, or a first change."""


class ChangePage(Page):
    """At the left the changes with their switches; at the right the translation and one head, before and after.

    Decision: "before" is computed as a second pass that rides in the Trace's experiments, and only while this page is open.
    Rejected: the wish to compare with, because the compare page's own state would be lost by opening this page.
    """

    key = "change"
    least_px = _LEAST_PX[0]
    experiments = frozenset({"unchanged"})
    shows_masks = False

    def __init__(self) -> None:
        super().__init__()
        self.list = _ChangeList()
        self.list.wished.connect(self.wished)
        self.words_card = self.card(RewordingView(), changed.rewording)
        views = [HeatmapView() for _ in range(3)]
        makers = (changed.map_before, changed.map_after, changed.map_difference)
        self.maps = [self.card(view, make) for view, make in zip(views, makers, strict=True)]
        self._linked: list[Canvas] = list(views)
        for view in views:
            view.follows = False  # The words that these maps read are not those of the pass on screen.
            view.moved.connect(self._moved)
        self.words_card.setMinimumHeight(_WORDS_PX)
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        self.hint.setObjectName("faint")
        self.head_choice = self.choice("changed_head")
        head = QHBoxLayout()
        head.addWidget(self.head_choice)
        head.addWidget(self.hint, 1)
        self.suggestions = Suggestions(tuple(_SUGGESTED))
        self.suggestions.chose.connect(self._suggest)
        right = below((self.words_card, 3))
        self.compared = QWidget()
        self.compared.setMinimumHeight(_MAPS_PX)
        maps = QVBoxLayout(self.compared)
        maps.setContentsMargins(0, 0, 0, 0)
        maps.addLayout(head)
        maps.addLayout(beside(*((card, 1) for card in self.maps)), 1)
        self.first_map = self.card(HeatmapView(), head_map, "attention")
        right.addWidget(self.suggestions)
        self.firsts = QWidget()
        heads = beside((wall_card(self, "attention"), 1), (self.first_map, 1))
        heads.setContentsMargins(0, 0, 0, 0)
        self.firsts.setLayout(heads)
        right.addWidget(self.firsts, 4)
        right.addWidget(self.compared, 5)
        right.addWidget(self.explain(hug=True))
        self.compared.hide()
        self._inner = self.scrolled()
        row = row_in(self._inner)
        row.addWidget(self.list)
        row.addLayout(right, 1)
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._shown: tuple[Trace, Look] | None = None
        self._firsts: dict[str, FirstChange] = {}

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = (trace, look)
        there = is_changed(trace)
        self.suggestions.setVisible(not there)
        self.firsts.setVisible(not there)
        self.compared.setVisible(there)
        self.words_card.setMaximumHeight(_MOST_WORDS_PX if there else _WORDS_PX)
        super().draw(trace, look, words)
        self._name_suggestions(trace, look, words)
        self._tell()

    def put(self, wish: Wish) -> None:
        self._wish = wish
        self._tell()

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        self.hint.setText(words("change.same_words"))
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow page the sentences of the suggestions take two lines, and the page scrolls."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW_PX
        self.suggestions.setFixedHeight(_SUGGESTIONS_PX[narrow])
        self.firsts.setMinimumHeight(_FIRST_MAP_PX[narrow])
        self._inner.setMinimumHeight(_LEAST_PX[narrow])

    def _tell(self) -> None:
        if self._wish is not None and self._words is not None:
            trace, look = (None, None) if self._shown is None else self._shown
            self.list.put(self._wish, trace, look, self._words)

    def _name_suggestions(self, trace: Trace, look: Look, words: Words) -> None:
        """Write the suggestions for this sentence and head; one that the model has no place for is hidden."""
        self._firsts = {each.key: each for each in (*words_to_hide(trace)[:1], *heads_to_switch(look))}
        for key, button in self.suggestions.buttons.items():
            first = self._firsts.get(key)
            told = {"word": first.word if first else "", "head": told_head(look, words)}
            self.suggestions.name(key, words(f"change.suggest.{key}", **told), words(f"change.suggest_about.{key}", **told))
            there = first is not None and first.changes[0].tap in trace
            button.setVisible(key in offered(trace.preset) if key in BREAKS else there)

    def _suggest(self, key: str) -> None:
        self.wished.emit(SetKnob(key, BREAKS[key]) if key in BREAKS else AddChanges(self._firsts[key].changes))

    def _moved(self, view: Viewport) -> None:
        """Show the same part of the map in all three views."""
        for other in self._linked:
            if other is not self.sender() and (other.view.rows, other.view.columns) == (view.rows, view.columns):
                other.view = view
                other.update()


class _ChangeList(QFrame):
    """The switches of the whole model, the list of changes, and what can be tried. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setFixedWidth(_LIST_PX)
        self.title, self.model_title, self.own_title, self.try_title = QLabel(), QLabel(), QLabel(), QLabel()
        self.title.setObjectName("title")
        for label in (self.model_title, self.own_title, self.try_title):
            label.setObjectName("section")
        self.how = QLabel()
        self.how.setObjectName("faint")
        self.how.setWordWrap(True)
        self.breaks = {name: _Break(name) for name in BREAKS}
        self.rows, self.hide_words, self.switch_heads = ChangeRows(), ChangeOffers(), ChangeOffers()
        self.off, self.remove = QPushButton(), QPushButton()
        for row in self.breaks.values():
            row.wished.connect(self.wished)
        for part in (self.rows, self.hide_words, self.switch_heads):
            part.wished.connect(self.wished)
        self.off.clicked.connect(self._all_off)
        self.remove.clicked.connect(self._remove_all)
        self._lay_out()

    def _lay_out(self) -> None:
        inner, area = QWidget(), QScrollArea()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 6, 0)
        column.setSpacing(4)
        column.addWidget(self.model_title)
        for row in self.breaks.values():
            column.addWidget(row)
        column.addSpacing(8)
        column.addWidget(self.own_title)
        column.addWidget(self.rows)
        column.addWidget(self.how)
        column.addSpacing(8)
        column.addWidget(self.try_title)
        column.addWidget(self.hide_words)
        column.addWidget(self.switch_heads)
        column.addStretch(1)
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The switches inside take the focus.
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        buttons = QHBoxLayout()
        buttons.addWidget(self.off)
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(10, 6, 10, 8)
        outer.addWidget(self.title)
        outer.addWidget(area, 1)
        outer.addLayout(buttons)

    def put(self, wish: Wish, trace: Trace | None, look: Look | None, words: Words) -> None:
        """Show a wish, with the tokens of the Trace on screen."""
        for label, key in (
            (self.title, "list"),
            (self.model_title, "whole_model"),
            (self.own_title, "own"),
            (self.try_title, "try"),
            (self.how, "how"),
        ):
            label.setText(words(f"change.{key}"))
        self.off.setText(words("change.all_off"))
        self.remove.setText(words("change.remove_all"))
        self.off.setEnabled(bool(wish.active))
        self.remove.setEnabled(bool(wish.changes))
        there, turned = offered(wish.preset), broken(wish.config, wish.preset)
        for name, row in self.breaks.items():
            row.setVisible(name in there)
            row.put(wish, on=name in turned, words=words)
        self.rows.put(listed(wish.changes, wish.config.n_heads, trace, words), words)
        self.rows.setVisible(bool(wish.changes))
        self.how.setVisible(not wish.changes)
        self._offer(wish, trace, look, words)

    def _offer(self, wish: Wish, trace: Trace | None, look: Look | None, words: Words) -> None:
        if trace is None or look is None:
            return
        hidden = [
            OfferedChange(each.word, told_group(change_groups(each.changes, 1)[0], trace, words), each.changes)
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

    def _all_off(self) -> None:
        self.wished.emit(SwitchAllOff())

    def _remove_all(self) -> None:
        self.wished.emit(RemoveAllChanges())


class _Break(QWidget):
    """The switch of a knob that breaks the model; the panel of knobs shows the same value. Signals: wished(Intent)."""

    wished = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.switch, self.label = Switch(), QLabel()
        self.switch.toggled.connect(self._switched)
        self._own: object = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 1, 0, 1)
        layout.setSpacing(8)
        layout.addWidget(self.switch)
        layout.addWidget(self.label, 1)

    def put(self, wish: Wish, *, on: bool, words: Words) -> None:
        self._own = load_preset(wish.preset).config.values()[self.name]
        here = wish.config.values()[self.name]
        with QSignalBlocker(self.switch):
            self.switch.setChecked(on)
        usual = here in (BREAKS[self.name], self._own)
        told = words(f"change.break.{self.name}") if usual else f"{words(f'knob.{self.name}.name')}: {here}"
        self.label.setText(told)
        self.switch.setAccessibleName(told)
        hint = words(f"knob.{find_knob(self.name).name}.hint")
        self.setToolTip(hint)

    def _switched(self, on: bool) -> None:
        self.wished.emit(SetKnob(self.name, BREAKS[self.name] if on else self._own))


PAGE = ChangePage
