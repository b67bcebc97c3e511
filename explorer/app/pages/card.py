"""A Card: one view with its title, formula and shape, and the maker of its Picture."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.errors import LacksTap, NotKept, UnknownTap
from explorer.lang import Words
from explorer.picture.card_text import lacking
from explorer.picture.cell_text import told_origin
from explorer.picture.kinds import Caption, Picture, marked
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.title_label import TitleLabel
from explorer.views.painting.pointed import Spot
from explorer.views.painting.style import set_style_property

_MARGIN_PX, _SPARE_PX = 10, 6
_LONG_MS = 400  # An empty card that waits no longer says nothing: a sentence that comes and goes would flicker.
P = TypeVar("P", bound=Picture)
P_shown = TypeVar("P_shown", bound=Picture, contravariant=True)
Maker = Callable[[Trace, Look, Words], P | None]
"""Makes a card's picture. None means that it is still being computed: the last picture stays, with dots in its title."""


class View(Protocol[P_shown]):
    """The interface of every widget that draws one kind of Picture."""

    pointed: SignalInstance
    opened: SignalInstance

    def draw(self, picture: P_shown, words: Words) -> None: ...

    def set_theme(self, theme: Theme) -> None: ...

    def light(self, tokens: frozenset[Spot]) -> None: ...

    def fit(self) -> None: ...


class Card(QFrame):
    """A view with its title, formula, shape and note.

    Signals: opened(page) when the user wants the page about it; touched(Card) when it becomes the card that copying and
    exporting use; enlarges(Card) when it shall have all the page's room, or give it back; hides(Card) when it shall make
    room for the others.
    """

    opened = Signal(str)
    touched = Signal(object)
    enlarges = Signal(object)
    hides = Signal(object)

    def __init__(self, view: View[P], make: Maker[P], page: str = "") -> None:
        super().__init__()
        self.setObjectName("card")
        # The page's layout alone decides heights: card heights do not change when a note appears.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.view: View[Any] = view
        self.make: Maker[Any] = make
        self.page = page
        self.picture: Picture | None = None
        self._refused = False
        self.waiting = False  # whether the picture is an older one, while the next is still computed
        self._words: Words | None = None
        self._enlarged = False
        self.wanted, self.away = True, False  # whether the page shows it, and whether somebody has hidden it
        self.wants: tuple[tuple[str, int], ...] = ()  # taps and heads that the picture needs and that were not kept
        self.title = TitleLabel()
        self.title.setObjectName("title")
        if page:
            self.title.setCursor(Qt.CursorShape.PointingHandCursor)
        self.tells_note = True  # whether a picture's note stands above it
        self.formula, self.shape, self.note, self.badge = QLabel(), QLabel(), QLabel(), QLabel()
        self.badge.setObjectName("badge")
        self.badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.badge.hide()
        self.formula.setObjectName("formula")
        self.formula.setTextFormat(Qt.TextFormat.RichText)
        self.shape.setObjectName("shape")
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.note.hide()
        self._open = QToolButton()
        self._open.setObjectName("small")
        self._open.setText("↗")
        if not page:
            self._open.hide()  # To show it here would open a window, since it has no parent yet.
        self._open.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # By keyboard, Enter in the view opens the page.
        self._open.clicked.connect(self._opened)
        self.larger = QToolButton()
        self.larger.setObjectName("small")
        self.larger.setText("□")
        self.larger.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.larger.clicked.connect(self._enlarge)
        self.smaller = QToolButton()
        self.smaller.setObjectName("small")
        self.smaller.setText("−")
        self.smaller.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.smaller.hide()
        self.smaller.clicked.connect(self._hide)
        self._last = False  # whether it is the only card in sight
        self._own = (self.title, self.formula, self.shape, self.badge, self._open, self.smaller, self.larger)
        self.bar = QHBoxLayout()
        self.bar.setSpacing(8)
        self.bar.addWidget(self.title)
        self.bar.addWidget(self.formula)
        self.bar.addStretch(1)
        self.bar.addWidget(self.shape)
        self.bar.addWidget(self.badge)
        self.bar.addWidget(self._open)
        sizes = QHBoxLayout()
        sizes.setSpacing(0)
        for button in (self.smaller, self.larger):
            sizes.addWidget(button)
        self.bar.addLayout(sizes)
        self._second_bar = QHBoxLayout()
        self._second_bar.setSpacing(8)
        self._second_bar.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, 6, _MARGIN_PX, 8)
        layout.setSpacing(4)
        layout.addLayout(self.bar)
        layout.addLayout(self._second_bar)
        layout.addWidget(self.note)
        layout.addWidget(view, 1)  # type: ignore[arg-type]  # Every view is a widget too.
        self.view.opened.connect(self._opened)
        self.view.pointed.connect(self._touch)

    @property
    def bare(self) -> bool:
        """Whether the card shows its view alone, without a title line."""
        return self.objectName() == "bare"

    def fix_height(self, height_px: int) -> None:
        """Give the card a height of its own. Its layout keeps no room for a height that is fixed without this policy."""
        self.setFixedHeight(height_px)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_meant(self, meant: bool) -> None:
        """Outline the card, or not; lessons outline the cards that they speak of."""
        set_style_property(self, "meant", meant)

    def set_enlarged(self, enlarged: bool) -> None:
        """Offer to be put back, or to be enlarged."""
        self._enlarged = enlarged
        self.larger.setText("×" if enlarged else "□")
        self.smaller.setVisible(not enlarged)
        self._name_larger()

    def setVisible(self, visible: bool) -> None:
        """Show the card where the page wants it and nobody has hidden it."""
        self.wanted = visible
        super().setVisible(visible and not self.away)

    def set_away(self, away: bool) -> None:
        """Hide the card for somebody, whatever the page wants, or leave that to the page again."""
        if away != self.away:
            self.away = away
            super().setVisible(self.wanted and not away)

    def offer_hiding(self, *, several: bool, last: bool) -> None:
        """Offer to be hidden where the page has several cards; the last one in sight says why it stays."""
        there = several and not self.bare and not self._enlarged
        if self.smaller.isHidden() == there:
            self.smaller.setVisible(there)
        if last != self._last:
            self._last = last
            self.smaller.setEnabled(not last)
            self._name_larger()

    def named_in(self, words: Words) -> bool:
        """Whether its title is known in these words."""
        return self.picture is not None and self._words is words

    def _name_larger(self) -> None:
        if self._words is not None:
            told = self._words("action.put_back" if self._enlarged else "action.enlarge")
            self.larger.setToolTip(told)
            self.larger.setAccessibleName(f"{told}: {self.title.text()}")
            told = self._words("hidden.last" if self._last else "hidden.hide")
            self.smaller.setToolTip(told)
            self.smaller.setAccessibleName(f"{told}: {self.title.text()}")

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Make the picture and show it."""
        self.wants, self.waiting = (), False
        if self._refused:
            self._refused = False
            self.note.setAlignment(Qt.AlignmentFlag.AlignLeft)
            self.view.setVisible(True)  # type: ignore[attr-defined]  # A view is a widget too.
        try:
            made = self.make(trace, look, words)
        except NotKept as error:  # A map of a long text may be kept once it is asked for.
            self.wants = ((str(error.values["tap"]), error.head),)
            self._wait(words, words.error(error))
            return
        except LacksTap as error:  # This model can have no such picture, and that of another one must not stay.
            self._refuse(words.error(error))
            return
        except UnknownTap as error:
            if trace.config is not None and not trace.recorded_by:  # Our own models have every tap that a picture asks for.
                raise
            more = f"\n{words('card.other_pages')}" if self.bare else ""  # It has the whole page.
            self._refuse(lacking(trace.card, str(error.values["name"]), words) + more)
            return
        if made is None and trace.recorded_by:
            self._refuse(words("recorded.no_model"))
            return
        if made is None:
            self._wait(words, "" if trace.whole else words("picture.too_long"))
            return
        made = marked(made, len(trace.changes), trace.recorded_by)
        told = None if self.picture is None else self.picture.caption
        self.picture = made
        if made.caption != told or words is not self._words or self.title.text() != made.caption.title:
            self._words = words
            self._tell(made.caption, words)
            self._open.setToolTip(words("action.open"))
            self._open.setAccessibleName(f"{words('action.open')}: {made.caption.title}")
        self.view.draw(self.picture, words)

    def in_english(self, trace: Trace, look: Look) -> Picture | None:
        """The picture with English names, because files of numbers are the same in every language."""
        try:
            made = self.make(trace, look, Words.load("en"))
            return self.picture if made is None else marked(made, len(trace.changes), trace.recorded_by)
        except (NotKept, LacksTap, UnknownTap):
            return self.picture

    def _wait(self, words: Words, note: str) -> None:
        """Keep the last picture, with dots behind its title and a note."""
        self.waiting = True
        self.title.setText(f"{self.title.text().removesuffix(' …')} …")
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if self.picture is None:
            self.view.setAccessibleName(words("status.computing"))  # type: ignore[attr-defined]  # A view is a widget too.
            QTimer.singleShot(_LONG_MS, self, partial(self._say_computing, words))

    def _say_computing(self, words: Words) -> None:
        """Say in an empty card what it waits for, once that takes long enough to be noticed."""
        if self.waiting and self.picture is None and not self.note.text():
            self.note.setText(words("status.computing"))
            self.note.show()

    def _refuse(self, why: str) -> None:
        """Say in a sentence why there is no picture, in its place."""
        self.title.setText("" if self.picture is None else self.picture.caption.title)
        self.formula.setText("")
        self.shape.setText("")
        self.badge.hide()
        self.picture, self._refused = None, True
        self.view.setVisible(False)  # type: ignore[attr-defined]  # A view is a widget too.
        self.note.setText(why)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note.setVisible(True)

    def _tell(self, caption: Caption, words: Words) -> None:
        self.title.setText(caption.title)
        self.formula.setText(caption.formula)
        self.shape.setText(caption.shape)
        self._name_larger()
        self._tell_badge(caption, words)
        origin = escape(told_origin(caption, words)).replace("\n", "<br>")
        self.title.setToolTip(f"<b>{escape(caption.title)}</b><br>{caption.formula}<br>{caption.tap} {caption.shape}{origin}")
        self.note.setText(caption.told)
        self.note.setVisible(bool(caption.told) and self.tells_note)
        self.note.setToolTip(words("picture.origin.computed") if any(map(str.isdigit, caption.note)) else "")
        view: QWidget = self.view  # type: ignore[assignment]  # A view is a widget too.
        view.setAccessibleName(caption.title)

    def _tell_badge(self, caption: Caption, words: Words) -> None:
        """Say of which kind the pass was, if it was not a usual one of this program."""
        told = {"recorded.badge": words("recorded.by", name=caption.recorded_by)} if caption.recorded_by else {}
        told |= {"change.badge": words("change.badge_about", count=caption.changes)} if caption.changes else {}
        self.badge.setText(" · ".join(map(words, told)))
        self.badge.setToolTip("\n".join(told.values()))
        self.badge.setVisible(bool(told))

    def hasHeightForWidth(self) -> bool:
        """False, although a wrapped note's height depends on its width: the note must not change the card's height."""
        return False

    def event(self, event: QEvent) -> bool:
        """Make room in the title line again after its buttons changed their size."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_room()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._make_room()

    def _make_room(self) -> None:
        """Fit the title line: first the shape, then the formula is hidden, as the tooltip has both.

        Then the buttons go into a second line, and at last the title breaks: nothing is cut.
        """
        room = self.width() - 2 * _MARGIN_PX - _SPARE_PX
        title = self.title.one_line_px()
        gap = self.bar.spacing()
        opens = sum(each.sizeHint().width() + gap for each in (self._open, self.smaller, self.larger) if not each.isHidden())
        controls = self._controls()
        opens += 0 if self.badge.isHidden() else self.badge.sizeHint().width() + gap
        taken = sum(each.sizeHint().width() + gap for each in controls if not each.isHidden())
        second = taken > 0 and title + opens + taken > room
        self._place_controls(controls, second=second)
        used = title + opens + (0 if second else taken)
        self.title.fit(room - (used - title))
        for label in (self.shape, self.formula):
            needed = label.sizeHint().width() + gap
            fits = bool(label.text()) and used + needed <= room and not self.bare
            label.setVisible(fits)
            used += needed if fits else 0

    def _controls(self) -> list[QWidget]:
        """The buttons that a page has put into the title line, wherever they stand now."""
        bars = (self.bar, self._second_bar)
        found = [bar.itemAt(place).widget() for bar in bars for place in range(bar.count())]
        return [each for each in found if each is not None and each not in self._own]

    def _place_controls(self, controls: list[QWidget], *, second: bool) -> None:
        """Put the buttons into the second line, or back behind title and formula."""
        here, there = (self.bar, self._second_bar) if second else (self._second_bar, self.bar)
        for place, each in enumerate(controls):
            if here.indexOf(each) >= 0:
                here.removeWidget(each)
                there.insertWidget(place if second else 2 + place, each)

    def _opened(self) -> None:
        if self.page:
            self.opened.emit(self.page)

    def _enlarge(self) -> None:
        self.touched.emit(self)
        self.enlarges.emit(self)

    def _hide(self) -> None:
        self.hides.emit(self)

    def _touch(self) -> None:
        self.touched.emit(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the card's page after a click on the title."""
        self.touched.emit(self)
        if self.title.geometry().contains(event.position().toPoint()):
            self._opened()
