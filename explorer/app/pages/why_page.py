"""The why page: the sum that made a word more probable than its rival, part by part, and the logit lens of each layer."""

from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy

from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.page import Page
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.makers.lens import lens_map
from explorer.picture.makers.why import account, asked, part_removals, question, rivals
from explorer.picture.makers.why_inside import left
from explorer.state.focus import NOWHERE, Focus
from explorer.state.look import LENS_CELLS, LENSES, PART_ORDERS, Look
from explorer.trace.found.experiments import COSTS, JACOBIAN, LENS, READERS, WHY
from explorer.trace.found.findings import NotMade
from explorer.trace.found.weights import OutputWeights
from explorer.trace.found.why import symbol_id
from explorer.trace.trace import Trace
from explorer.views.controls.segments import Segments
from explorer.views.pictures.account import AccountView
from explorer.views.pictures.lens import LensView
from explorer.views.pictures.removals import RemovalsView
from explorer.views.pictures.timeline import TimelineView

_TYPED_PX = 104
_STEPS = "steps"  # The parts are added one after the other: no order of its own, so no Look.
_FIRST = frozenset({WHY.key, LENS.key, JACOBIAN.key})
_BEHIND = frozenset({COSTS.key})  # Passes of their own, which are made behind the first answer.


class WhyPage(Page):
    """Above, the words and their rivals; left the attribution, right what ablating its parts costs, and the lens."""

    key = "why"
    least_px = 840  # the sum is then seen whole at 1440 × 900
    needs = ("generator.logits",)
    experiments = _FIRST

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._words: Words | None = None
        words_row, self.view, self.lens_view = TimelineView(), AccountView(), LensView()
        self.asked = self.card(words_row, question)
        self.sum = self.card(self.view, account, title="page.why")
        self.costs = self.card(RemovalsView(), part_removals, title="removals.title")
        self.lens = self.card(self.lens_view, lens_map, title="lens.title")
        self.against, self.orders, self.typed, self.rivals_label = Segments(), Segments(), QLineEdit(), QLabel()
        self.lenses, self.cells = Segments(), Segments()
        self._fill_bars()
        column = column_in(self.scrolled())
        column.addWidget(self.asked)
        row = beside((self.sum, 8), (below((self.costs, 5), (self.lens, 8)), 5))
        column.addLayout(row, 1)
        column.addWidget(self.explain(hug=True))
        words_row.stepped.connect(self._step)
        self.lens_view.stepped.connect(self._step)
        self.view.went.connect(self.look_with)
        self.view.leaving.connect(self._leave)
        self.view.moved.connect(self._offer_orders)
        self.against.chose.connect(self._chose_rival)
        self.orders.chose.connect(self._chose_order)
        self.lenses.chose.connect(self.sets("lens"))
        self.cells.chose.connect(self.sets("lens_cells"))
        self.typed.returnPressed.connect(self._type_rival)

    def _fill_bars(self) -> None:
        """Put the rivals beside the question, and what else is chosen beside the titles."""
        self.asked.note_beside = True
        self.asked.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.rivals_label.setObjectName("faint")
        self.typed.setFixedWidth(_TYPED_PX)
        for place, widget in enumerate((self.rivals_label, self.against, self.typed), 2):
            self.asked.bar.insertWidget(place, widget)
        self.sum.bar.insertWidget(2, self.orders)
        for place, buttons in enumerate((self.cells, self.lenses), 2):
            self.lens.bar.insertWidget(place, buttons)

    def forget(self) -> None:
        self._trace = None

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._trace, self._words, self._wall_look = trace, words, look
        there = isinstance(trace.experiments.get(WHY.key), OutputWeights)
        if there:
            self.against.offer(rivals(trace, look), str(asked(trace, look).rival))
        self.lenses.offer({key: words(f"lens.which.{key}") for key in LENSES}, look.lens)
        self.cells.offer({key: words(f"lens.cells.{key}") for key in LENS_CELLS}, look.lens_cells)
        self._offer_orders()
        writes = trace.card.has("decoder") and not isinstance(trace.experiments.get(WHY.key), NotMade)
        for widget in (self.rivals_label, self.against, self.typed, self.sum, self.costs, self.lens):
            widget.setVisible(writes)
        super().draw(trace, look, words)
        self._ask(trace, look)

    def _ask(self, trace: Trace, look: Look) -> None:
        """Ask for the weights behind Q, K and V once a number of these is opened; and for costs behind the first answer."""
        there = isinstance(trace.experiments.get(WHY.key), OutputWeights)
        needed = (_FIRST | _BEHIND if there else _FIRST) | (frozenset({READERS.key}) if look.way else frozenset())
        parts = asked(trace, look) if there else None
        focus = NOWHERE if parts is None else Focus(position=parts.position, rival=parts.rival)
        self.look_into(needed, focus)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.rivals_label.setText(words("why.rivals"))
        self.typed.setPlaceholderText(words("why.another"))
        self.typed.setAccessibleName(words("why.another_hint"))
        self.typed.setToolTip(words("why.another_hint"))
        self.against.setAccessibleName(words("why.rivals"))
        self.orders.setAccessibleName(words("why.order.name"))
        self.lenses.setAccessibleName(words("lens.which_name"))
        self.cells.setAccessibleName(words("lens.cells_name"))

    def _step(self, step: int) -> None:
        self.look_at(position=step, rival=-1)

    def _leave(self) -> None:
        """Go back one step of what is opened."""
        picture = self.sum.picture
        if self._wall_look is not None and picture is not None:
            self.look_at(**left(self._wall_look))

    def _chose_rival(self, symbol: str) -> None:
        self.look_at(rival=int(symbol))

    def _offer_orders(self) -> None:
        """Offer the orders of the parts, and to add them one after the other."""
        if self._words is not None and self._wall_look is not None:
            offers = {key: self._words(f"why.order.{key}") for key in (*PART_ORDERS, _STEPS)}
            self.orders.offer(offers, _STEPS if self.view.playing else self._wall_look.part_order)

    def _chose_order(self, order: str) -> None:
        self.look_at(part_order=PART_ORDERS[0] if order == _STEPS else order, inside="", way="")
        if order == _STEPS:
            self.view.play()
            self._offer_orders()

    def _type_rival(self) -> None:
        """Take the symbol that the typed word begins with."""
        if self._trace is None or self._words is None or not self.typed.text().strip():
            return
        try:
            symbol = symbol_id(self._trace, self.typed.text())
        except ExplorerError as error:
            self.asked.note.setText(self._words.error(error))
            self.asked.note.show()
            return
        self.typed.clear()
        self.look_at(rival=symbol)


PAGE = WhyPage
