"""The effects page: what matters for each word. Every part of the model is ablated in turn, each in a pass of its own."""

import attrs
from PySide6.QtWidgets import QToolButton

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.edges import edge_map, found_edges
from explorer.picture.makers.effects import effect_map, found_effects, head_at, hidden_map, word_row
from explorer.state.change_intents import AddChanges, RemoveChanges
from explorer.state.focus import NOWHERE, Focus
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.trace.found.effects import Effects
from explorer.trace.found.experiments import EDGES, EFFECTS, EFFECTS_EXACT
from explorer.trace.trace import Trace
from explorer.views.pictures.effect_map import EffectMapView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView

_FIRST = frozenset({EFFECTS.key})
_CELLS = frozenset({EDGES.key})
_EXACT = frozenset({EFFECTS_EXACT.key})
_MOST_CELLS = 4096  # Of a head with more open cells, the estimates stay.
_MOST_HEADS = 400  # The exact effects of more heads take minutes, and are computed when somebody asks for them.


class EffectsPage(Page):
    """Words above, effects on the chosen one below. Pointing at a word shows its effects; a click keeps it."""

    key = "effects"
    least_px = 600
    needs = ("generator.logits",)
    of_classes = True
    sweeps = True
    experiments = _FIRST

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Trace, Look, Words] | None = None
        self._changes: tuple[Change, ...] = ()
        self._pointed: int | None = None  # the word under the mouse, -1 for the sentence; None: none is
        row, heads, hidden = TimelineView(), EffectMapView(), HeatmapView()
        hidden.follows = False  # Its cells are passes of their own and no weights.
        cells = HeatmapView()
        self.row = self.card(row, word_row)
        self.heads = self.card(heads, effect_map)
        self.hidden = self.card(hidden, hidden_map)
        self.edges = self.card(cells, edge_map)
        self.exact = QToolButton()
        self.exact.setObjectName("segment")
        self.exact.hide()
        self.exact.clicked.connect(self._compute_exactly)
        self.heads.bar.insertWidget(2, self.exact)
        self._wants_exact = self._stopped = False
        self.row.note_beside = True
        row.stepped.connect(self._step)
        row.hovered.connect(self._hover)
        heads.chose.connect(self._choose)
        hidden.chose.connect(self.sets("position"))
        cells.chose.connect(self._switch_cell)
        column = column_in(self.scrolled())
        column.addWidget(self.row)
        column.addLayout(beside((self.heads, 6), (self.hidden, 5), (self.edges, 5)), 8)
        column.addWidget(self.explain(hug=True), 2)

    def speak(self, words: Words) -> None:
        super().speak(words)
        if self._shown is not None:
            self._offer_exact(found_effects(self._shown[0]), going=self.focus.head_rows > 0 and not self._stopped)

    def forget(self) -> None:
        self._shown = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._shown = trace, look, words
        self._ask(trace, look)
        super().draw(trace, look, words)
        if self._pointed is not None:
            self._slice()

    def _ask(self, trace: Trace, look: Look) -> None:
        """Ask behind the first effects for the chosen head's cells, and for exact numbers in place of estimates, row by row.

        Another sentence begins with what comes first again.
        """
        found = found_effects(trace)
        if found is None:
            self._wants_exact = self._stopped = False
        needed = _FIRST if found is None else _FIRST | _CELLS
        focus = self._focus_on(trace, look) if found is not None else NOWHERE
        estimated = found is not None and not found.exact
        many = found is not None and found.heads[..., 0].size > _MOST_HEADS
        begun = found is not None and found.exact_rows > 0
        goes_on = not self._stopped and (self._wants_exact or begun or not many)
        sweeps = trace.experiments.keys() >= _EXACT or (estimated and goes_on)
        needed |= _EXACT if sweeps else frozenset()
        if sweeps and found is not None:
            focus = attrs.evolve(focus, head_rows=found.exact_rows + (1 if estimated and goes_on else 0))
        self._offer_exact(found, going=goes_on)
        self.look_into(needed, focus)

    def _focus_on(self, trace: Trace, look: Look) -> Focus:
        """The chosen head, with one more row of its cells exact where they are estimates."""
        cells = found_edges(trace, look)
        rows = 0 if cells is None else cells.exact_rows
        more = cells is not None and not cells.exact and not self._stopped and int((~cells.closed).sum()) <= _MOST_CELLS
        return Focus(attention=look.attention, layer=look.layer, head=look.head, edge_rows=rows + 1 if more else rows)

    def _offer_exact(self, found: Effects | None, *, going: bool) -> None:
        """Show the button while there are estimates: it begins the exact sweep, tells how far it is, and stops it."""
        assert self._shown is not None  # `draw` has been called.
        words = self._shown[2]
        self.exact.setVisible(found is not None and not found.exact)
        if found is None or found.exact:
            return
        n_rows = found.heads.shape[0] * found.heads.shape[1]
        told = words("effects.stop_at", done=found.exact_rows, all=n_rows) if going else words("effects.exactly")
        self.exact.setText(told)

    def _compute_exactly(self) -> None:
        """Begin the exact sweep, or stop it where it is."""
        if self._shown is None:
            return
        found = found_effects(self._shown[0])
        going = found is not None and self.focus.head_rows > found.exact_rows
        self._wants_exact, self._stopped = not going, going
        self._ask(*self._shown[:2])

    def _slice(self) -> None:
        """Show the effects on the word under the mouse, or on the chosen one: these are slices, and nothing is computed."""
        if self._shown is None:
            return
        trace, look, words = self._shown
        here = look if self._pointed is None else attrs.evolve(look, position=self._pointed)
        for card in (self.heads, self.hidden, self.edges):
            card.draw(trace, here, words)

    def _hover(self, step: int) -> None:
        self._pointed = step - 1 if step >= 0 else None
        self._slice()

    def _step(self, step: int) -> None:
        self.look_at(position=step - 1)

    def put(self, wish: Wish) -> None:
        self._changes = wish.changes

    def _switch_cell(self, query: int, key: int) -> None:
        """Close the cell inside the pass, or open it where it was closed by hand."""
        picture = self.edges.picture
        if not isinstance(picture, Heatmap) or picture.head is None:
            return
        change = Change(picture.caption.tap, "close", head=picture.head, rows=(query,), columns=(key,))
        if change in self._changes:
            self.wished.emit(RemoveChanges((self._changes.index(change),)))
        elif picture.closed is None or not picture.closed[query, key]:
            self.wished.emit(AddChanges((change,)))

    def _choose(self, row: int, head: int) -> None:
        place = None if self._shown is None else head_at(self._shown[0].card, row)
        if place is not None:
            self.look_at(attention=place[0], layer=place[1], head=head)


PAGE = EffectsPage
