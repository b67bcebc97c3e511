"""A Page: cards in a layout, the buttons that choose what they show, and an explanation."""

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import attrs
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from explorer.app.pages.card import Card, View
from explorer.app.pages.choices import offers
from explorer.app.pages.columns import Columns
from explorer.app.pages.hidden_cards import Enlarged, HiddenCards
from explorer.app.pages.layouts import Desk, close_gaps
from explorer.app.pages.prepared import Draw, Maker, P
from explorer.engine.errand import Brought
from explorer.errors import NotComputed
from explorer.lang import Words
from explorer.picture.layout.strip import Spans
from explorer.picture.layout.viewport import Viewport
from explorer.picture.makers.pooled import offered_pools, pooled_as
from explorer.picture.theme import Theme
from explorer.state.focus import NOWHERE, Focus
from explorer.state.intents import FollowCell, OpenPage, look_at
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.findings import NotMade
from explorer.trace.tap_names import Cell, with_layer, without_place
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import PoolBox, name_boxes
from explorer.views.controls.explanation import ExplanationView
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.pointed import Spot
from explorer.views.painting.surface import Surface

_GAP_PX = 8


def _itself(look: Look) -> Look:
    return look


class Page(QWidget):
    """Cards in a layout.

    A subclass sets `key`, which stands in the page list, `experiments`, which its pictures need (and `focus`, the place that
    they look at), and `least_px`, the height below which it scrolls.
    `needs` are taps, named without side and layer, without which the page is nothing: where a model of others lacks one, a
    sentence stands in its place; so it does of a recorded pass where `sweeps`, since no model can run for it.
    `of_our_own` are widgets for what only our own models have.
    `choices_above` stand beside the tabs above the page.
    `before` is the key of the page from which it was opened; "" for the first one.

    `spans` says where the page shows the Blocks of the architecture, by their keys: left edges and widths in px of the page.
    The architecture strip above the page stands in line with them; with None it fills the width.

    Signals: wished(Intent); pointed(Pointed); touched(Card); wanted(taps and heads) for maps of a long text that its
    pictures need and that were not kept; placed() when `spans` have changed; looked_into() when `experiments` or `focus` have;
    sent(Errand) for what shall be found out behind the frames; saves(Picture, the same in English) for a file; acts(action).
    """

    key = ""
    experiments: frozenset[str] = frozenset()
    focus: Focus = NOWHERE
    least_px = 0
    needs: tuple[str, ...] = ()
    of_classes = False  # whether the classes of a classifier may stand in the place of words
    sweeps = False  # whether it is nothing without passes of its own
    invites = True  # whether it still tells a newcomer what to click first
    shows_masks = False  # whether an odd mask would be seen on it
    before = ""

    wished = Signal(object)
    pointed = Signal(object)
    touched = Signal(object)
    wanted = Signal(tuple)
    placed = Signal()
    looked_into = Signal()
    sent = Signal(object)
    saves = Signal(object, object)
    acts = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.spans: Spans | None = None
        self.cards: list[Card] = []
        self.of_our_own: list[QWidget] = []
        self._wall_look: Look | None = None
        self._pool_boxes: list[tuple[PoolBox, Callable[[Look], Look]]] = []
        self.choices: list[tuple[Segments, str]] = []  # the segments and the field of Look that they set
        self.choices_above: QWidget | None = None
        self.explanation: ExplanationView | None = None
        self._linked: tuple[Canvas, ...] = ()
        self._inside: QWidget | None = None
        self.hidden_cards = HiddenCards(self, self._close_gaps)
        self.enlarged = Enlarged(self)

    def scrolled(self) -> QWidget:
        """The widget that holds the cards, in a scroll area: a small window scrolls instead of squeezing the cards."""
        area = QScrollArea()
        inner = Desk(area)
        inner.setMinimumHeight(self.least_px)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The widgets inside take the focus.
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inner)
        filled(QVBoxLayout(self), (area, 1), self.hidden_cards, gap_px=0, margins_px=(0, 0, 0, 0))
        self._inside = inner
        return inner

    def choose_above(self, *choices: QWidget) -> None:
        """Put what is chosen for the whole page into the line of the tabs, so that the cards have its room."""
        self.choices_above = QWidget()
        filled(QHBoxLayout(self.choices_above), *choices, gap_px=_GAP_PX, margins_px=(0, 0, 0, 0))

    def _close_gaps(self) -> None:
        if self._inside is not None:
            close_gaps(self._inside.layout())

    def card(self, view: View[P], make: Maker[P], page: str = "", title: str = "") -> Card:
        """Make a card and connect its signals."""
        return self.add(Card(view, make, page, title))

    def add(self, made: Card) -> Card:
        """Take a card that the page has made itself, and connect its signals."""
        self.cards.append(made)
        made.opened.connect(self.open)
        made.touched.connect(self.touched)
        made.enlarges.connect(self._enlarge_or_back)
        self.hidden_cards.take(made)
        made.view.pointed.connect(self.pointed)
        wished = getattr(made.view, "wished", None)  # Only views that can change something have this signal.
        if wished is not None:
            wished.connect(self.wished)
        followed = getattr(made.view, "followed", None)  # Only maps have this signal.
        if followed is not None:
            followed.connect(self.follow)
        return made

    def choice(self, field: str) -> Segments:
        """Make the buttons for a field of the Look (attention, stage, side, matched or changed_head) and connect them."""
        segments = Segments()
        segments.chose.connect(self.sets(field))
        self.choices.append((segments, field))
        return segments

    def pool_box(self, as_shown: Callable[[Look], Look] = _itself) -> PoolBox:
        """Make the box that chooses one head, or what stands for several; `as_shown` is the Look that the pictures show."""
        box = PoolBox()
        box.chose.connect(self.sets("aligned"))
        self._pool_boxes.append((box, as_shown))
        return box

    def link(self, views: Sequence[Canvas]) -> None:
        """Let these views of maps of one size always show the same part of them."""
        self._linked = tuple(views)
        for view in views:
            view.moved.connect(self._moved)

    def _moved(self, viewport: Viewport) -> None:
        for other in self._linked:
            if other is not self.sender() and (other.view.rows, other.view.columns) == (viewport.rows, viewport.columns):
                other.view = viewport
                other.update()

    @property
    def explained(self) -> str:
        """The name of the text that explains what the page shows."""
        return self.key

    def explain(self, *, hug: bool = False) -> ExplanationView:
        """The explanation of this page; with `hug` it is no higher than its text."""
        self.explanation = ExplanationView()
        if hug:
            self.explanation.hug()
        return self.explanation

    def enlarge(self, card: Card | None) -> None:
        """Give one card all the room; None puts it back."""
        if card is None:
            self.enlarged.put_back()
        elif card is not self.enlarged.card and not card.bare:  # A bare card has the page's room already.
            self.touched.emit(card)
            self.enlarged.show_card(card)

    def leading(self, touched: Card | None) -> list[Card]:
        """The cards in the order in which copying and exporting choose one: first the one that was touched last."""
        return [touched, *self.cards] if touched is not None and touched in self.cards else list(self.cards)

    def let_go(self) -> bool:
        """Put down what somebody has taken up on this page, such as a pencil; False where there is nothing."""
        return False

    def show_instead(self, shown: Card, other: Card) -> None:
        """Show one of two cards that share a place, with all the page's room if the other one has it."""
        shown.show()
        other.hide()
        if self.enlarged.card is other:
            self.enlarge(shown)

    def _enlarge_or_back(self, card: Card) -> None:
        self.enlarge(None if card is self.enlarged.card else card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.enlarged.setGeometry(self.rect())

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Make and show the pictures of all visible cards."""
        self._wall_look = look
        for segments, field in self.choices:
            segments.offer(offers(field, trace, words), getattr(look, field))
        for box, as_shown in self._pool_boxes:
            shown = as_shown(look)
            box.setVisible(trace.card.side(shown.attention).n_heads > 1)
            box.offer(
                tuple(key for key in offered_pools(look) if as_shown(attrs.evolve(look, aligned=key)).aligned == key),
                pooled_as(shown),
                words,
            )
        for widget in self.of_our_own:
            widget.setVisible(trace.config is not None)
        self.hidden_cards.arrange()
        broken = self._broken(trace, words)
        for card in self.cards:
            card.hopeless = broken
        for card in self.cards:
            if card.isVisibleTo(self) or (card.away and not card.named_in(words)):  # The line of hidden cards names it.
                card.draw(trace, look, words)
        self.hidden_cards.name()
        wants = tuple(dict.fromkeys(each for card in self.cards if card.isVisibleTo(self) for each in card.wants))
        if wants:
            self.wanted.emit(wants)

    def _broken(self, trace: Trace, words: Words) -> str:
        """Why one of the experiments that the page needs is not there and does not come, "" where none broke."""
        found = (trace.experiments.get(name) for name in sorted(self.experiments))
        errors = [each.error for each in found if isinstance(each, NotMade) and isinstance(each.error, NotComputed)]
        return words.error(errors[0]) if errors else ""

    @property
    def foreseen(self) -> tuple[tuple[Maker[Any], Draw | None], ...]:
        """What makes the pictures of the next answer, as far as they are in sight."""
        return tuple(card.foreseen for card in self.cards if card.isVisibleTo(self))

    def lacks(self, trace: Trace) -> str:
        """The first of the needed taps that the model of a Trace lacks, "" if it lacks none."""
        if trace.config is not None or not self.needs:
            return ""
        there = {without_place(tap) for tap in trace.names()}
        if self.of_classes and (head := trace.card.classes) is not None and not head.why_not_asked:
            there.add("generator.logits")  # The classes stand in the place of words.
        return next((tap for tap in self.needs if tap not in there), "")

    def open(self, page: str) -> None:
        self.wished.emit(OpenPage(page))

    def follow(self, cell: Cell) -> None:
        """Ask to follow an attention cell on the page that plays it."""
        self.wished.emit(FollowCell(cell))

    def look_at(self, **fields: object) -> None:
        """Ask to change these fields of the Look."""
        self.wished.emit(look_at(**fields))

    def look_with(self, fields: dict[str, Any]) -> None:
        """Ask to change these fields of the Look, for a control that tells them by name."""
        self.look_at(**fields)

    def sets(self, field: str) -> Callable[[object], None]:
        """What the signal of a control is connected with that chooses the value of a field of the Look."""
        here = ref(self)  # A signal keeps whatever it is connected with, unless that is a method.

        def choose(value: object) -> None:
            page = here()
            if page is not None:
                page.look_at(**{field: value})

        return choose

    def look_into(self, experiments: frozenset[str], focus: Focus = NOWHERE) -> None:
        """Ask for other experiments, or for another place that they look at."""
        if (experiments, focus) != (self.experiments, self.focus):
            self.experiments, self.focus = experiments, focus
            self.looked_into.emit()

    def bring(self, brought: Brought) -> None:
        """Take what an errand has found out; most pages send none."""

    @property
    def awaits(self) -> bool:
        """Whether numbers that are on screen are still to be found out by an errand."""
        return False

    def put(self, wish: Wish) -> None:
        """Show a Wish in the page's controls; most pages have none for it."""

    def speak(self, words: Words) -> None:
        self.setAccessibleName(words(f"page.{self.key}"))
        for card in self.cards:
            card.speak(words, self.key, alone=len(self.cards) == 1)
        self.hidden_cards.speak(words)
        name_boxes((self, self.choices_above), words)
        for columns in self.findChildren(Columns):
            columns.speak(words)
        if self.explanation is not None:
            self.explanation.tell(self.key, words)

    def set_theme(self, theme: Theme) -> None:
        for card in self.cards:
            card.view.set_theme(theme)

    def forget(self) -> None:
        """Forget the answer that the page has shown: another one has come while the page is hidden.

        It is drawn anew before it is seen again. A page that kept its last Trace kept all recorded arrays with it: hundreds of
        megabytes of a long text, once for each page.
        """

    def set_busy(self, busy: bool) -> None:
        """Tell the views that the compute thread has begun to answer, or has answered."""
        for card in self.cards:
            if isinstance(card.view, Surface):
                card.view.set_busy(busy)

    def enlarge_letters(self, times: float) -> None:
        for card in self.cards:
            if isinstance(card.view, Surface):
                card.view.enlarge_letters(times)

    def light(self, tokens: frozenset[Spot]) -> None:
        for card in self.cards:
            card.view.light(tokens)

    def fit(self) -> None:
        for card in self.cards:
            card.view.fit()

    def choose_head(self, layer: int, head: int) -> None:
        self.look_at(layer=layer, head=head, aligned="head", overlaid=())

    def want_heads(self, places: list[tuple[int, int]]) -> None:
        """Ask for the single cells of these heads, because the wall is zoomed in far enough to show them."""
        if self._wall_look is not None:
            tap = self._wall_look.attention_tap()
            self.wanted.emit(tuple((with_layer(tap, layer), head) for layer, head in places))
