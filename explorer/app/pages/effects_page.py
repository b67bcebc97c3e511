"""The effects page: what matters for each word. Every part of the model is switched off in turn, each in a pass of its own."""

import attrs
from PySide6.QtWidgets import QToolButton

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.effects import effect_map, found_effects, head_at, hidden_map, word_row
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.effect_map import EffectMapView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView

_FIRST = frozenset({"effects"})
_MOST_HEADS = 400  # The exact effects of more heads take minutes, and are computed when somebody asks for them.
_WORDS_PX = 122  # px, the height of title, note, chips, bars and their figures


class EffectsPage(Page):
    """Words above, effects on the chosen one below. Pointing at a word shows its effects; a click keeps it."""

    key = "effects"
    least_px = 600
    experiments = _FIRST

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Trace, Look, Words] | None = None
        self._pointed: int | None = None  # the word under the mouse, -1 for the sentence; None: none is
        row, heads, hidden = TimelineView(), EffectMapView(), HeatmapView()
        hidden.follows = False  # Its cells are passes of their own and no weights.
        self.row = self.card(row, word_row)
        self.heads = self.card(heads, effect_map)
        self.hidden = self.card(hidden, hidden_map)
        self.exact = QToolButton()
        self.exact.setObjectName("segment")
        self.exact.hide()
        self.exact.clicked.connect(self._compute_exactly)
        self.heads.bar.insertWidget(2, self.exact)
        self._wants_exact = False
        self.row.setMinimumHeight(_WORDS_PX)
        row.stepped.connect(self._step)
        row.hovered.connect(self._hover)
        heads.chose.connect(self._choose)
        hidden.chose.connect(self._choose_word)
        column = column_in(self.scrolled())
        column.addWidget(self.row, 2)
        column.addLayout(beside((self.heads, 6), (self.hidden, 5)), 8)
        column.addWidget(self.explain(hug=True), 2)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.exact.setText(words("effects.exactly"))

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = trace, look, words
        self._ask(trace)
        super().draw(trace, look, words)
        if self._pointed is not None:
            self._slice()

    def _ask(self, trace: Trace) -> None:
        """Ask for exact effects once an estimate has come; another sentence begins with what comes first again."""
        found = found_effects(trace)
        if found is None:
            self._wants_exact = False
        estimated = found is not None and not found.exact
        many = found is not None and found.heads[..., 0].size > _MOST_HEADS
        late = "effects_exact" in trace.experiments or (estimated and (self._wants_exact or not many))
        needed = _FIRST | {"effects_exact"} if late else _FIRST
        self.exact.setVisible(estimated and not late)
        if needed != self.experiments:
            self.experiments = needed
            self.looked_into.emit()

    def _compute_exactly(self) -> None:
        self._wants_exact = True
        if self._shown is not None:
            self._ask(self._shown[0])

    def _slice(self) -> None:
        """Show the effects on the word under the mouse, or on the chosen one: these are slices, and nothing is computed."""
        if self._shown is None:
            return
        trace, look, words = self._shown
        here = look if self._pointed is None else attrs.evolve(look, position=self._pointed)
        for card in (self.heads, self.hidden):
            card.draw(trace, here, words)

    def _hover(self, step: int) -> None:
        self._pointed = step - 1 if step >= 0 else None
        self._slice()

    def _step(self, step: int) -> None:
        self.look_at(position=step - 1)

    def _choose_word(self, row: int, _column: int) -> None:
        self.look_at(position=row)

    def _choose(self, row: int, head: int) -> None:
        place = None if self._shown is None else head_at(self._shown[0].card, row)
        if place is not None:
            self.look_at(attention=place[0], layer=place[1], head=head)


PAGE = EffectsPage
