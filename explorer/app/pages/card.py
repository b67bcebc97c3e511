"""A Card: one view with its title, formula and shape, and the maker of its Picture."""

from functools import partial
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from explorer.app.pages.layouts import least_of
from explorer.app.pages.prepared import Draw, Maker, P, PreparedPictures, ready
from explorer.app.pages.title_line import TitleLine
from explorer.errors import ExplorerError, LacksTap, NotComputed, NotKept, UnknownTap
from explorer.lang import Words
from explorer.picture.card_text import lacking
from explorer.picture.makers.heatmaps import tap_title
from explorer.picture.picture import Caption, Picture
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import is_there, members_of
from explorer.views.painting.pointed import Spot
from explorer.views.painting.style import set_style_property

_MARGIN_PX, _SPARE_PX = 10, 6
_LEAST_PX = 200  # px, the least width of a card
LONG_MS = 400  # An empty card that waits no longer says nothing: a sentence that comes and goes would flicker.
P_shown = TypeVar("P_shown", bound=Picture, contravariant=True)


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

    def __init__(self, view: View[P], make: Maker[P], page: str = "", title: str = "") -> None:
        """`title` is the key of the title that it has while there is no picture that says one."""
        super().__init__()
        self.setObjectName("card")
        self.prepared = PreparedPictures()  # Its page stack gives it the one that the compute thread fills.
        self._least_px = 0  # the height that its page wants it to have at least
        self.lowered_px = 0  # the room below the title that puts the view beside those of other cards
        self.view: View[Any] = view
        self.make: Maker[Any] = make
        self.page, self._title_key = page, title
        self.picture: Picture | None = None
        self.is_refused = False
        self.hopeless = ""  # why a picture that is not there does not come either
        self.waiting = False  # whether the picture is an older one, while the next is still computed
        self._words: Words | None = None
        self.wanted, self.away = True, False  # whether the page shows it, and whether somebody has hidden it
        self.wants: tuple[tuple[str, int], ...] = ()  # taps and heads that the picture needs and that were not kept
        self.line = TitleLine(opens=bool(page))
        # What pages, journeys and lessons ask a card for.
        self.bar, self.title, self.formula, self.shape = self.line.bar, self.line.title, self.line.formula, self.line.shape
        self.badge, self.larger, self.smaller = self.line.badge, self.line.larger, self.line.smaller
        self.line.open.clicked.connect(self._opened)
        self.larger.clicked.connect(self._enlarge)
        self.smaller.clicked.connect(self._hide)
        self.tells_note = True  # whether a picture's note stands above it
        self.note_beside = False  # whether it stands beside the title where it has room there
        self.note = QLabel()
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.note.hide()
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, 6, _MARGIN_PX, 8)
        layout.setSpacing(4)
        layout.addLayout(self.line)
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

    def lower_view(self, by_px: int) -> None:
        """Leave so much room below the title."""
        if by_px != self.lowered_px:
            self.lowered_px = by_px
            self.line.setContentsMargins(0, 0, 0, by_px)

    def set_meant(self, meant: bool) -> None:
        """Outline the card, or not; lessons outline the cards that they speak of."""
        set_style_property(self, "meant", meant)

    def set_enlarged(self, enlarged: bool) -> None:
        """Offer to be put back, or to be enlarged."""
        self.line.set_enlarged(enlarged)

    def setVisible(self, visible: bool) -> None:
        """Show the card where the page wants it and the user has not hidden it."""
        self.wanted = visible
        super().setVisible(visible and not self.away)

    def set_away(self, away: bool) -> None:
        """Hide the card for somebody, whatever the page wants, or leave that to the page again."""
        if away != self.away:
            self.away = away
            super().setVisible(self.wanted and not away)

    def offer_hiding(self, *, several: bool, last: bool) -> None:
        """Offer to be hidden where the page has several cards; the last one in sight says why it stays."""
        self.line.offer_hiding(there=several and not self.bare, last=last)

    def named_in(self, words: Words) -> bool:
        """Whether its title is known in these words."""
        return self.picture is not None and self._words is words

    def speak(self, words: Words, page: str, *, alone: bool) -> None:
        """Name a view that has no picture yet, by its title or by its page. A card that is alone has its room already."""
        self.larger.setVisible(not alone and not self.bare)
        if self.picture is None:
            name = words(self._title_key or f"page.{page}")
            self.view.setAccessibleName(name)  # type: ignore[attr-defined]  # A view is a widget too.

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Make the picture and show it."""
        self.wants, self.waiting = (), False
        if self.picture is None and self._title_key:
            self.title.setText(words(self._title_key))
        if self.is_refused:
            self.is_refused = False
            self.note.setAlignment(Qt.AlignmentFlag.AlignLeft)
            self._column.setStretchFactor(self.note, 0)
            self.view.setVisible(True)  # type: ignore[attr-defined]  # A view is a widget too.
        try:
            made = self.prepared.take(self.make, trace, look, words) or ready(self.make, trace, look, words)
        except NotKept as error:  # A map of a long text may be kept once it is asked for.
            self.wants = ((str(error.values["tap"]), error.head),)
            self._wait(words, words.error(error))
            return
        except (LacksTap, NotComputed) as error:  # There can be no such picture, and that of another one must not stay.
            self._refuse(words.error(error), self._called(error, "tap", words))
            return
        except UnknownTap as error:
            # Our own models have every tap that a picture asks for, unless few were to be recorded.
            if trace.config is not None and not trace.recorded_by and not trace.taps:
                raise
            more = f"\n{words('card.other_pages')}" if self.bare else ""  # It has the whole page.
            self._refuse(lacking(trace.card, str(error.values["name"]), words) + more, self._called(error, "name", words))
            return
        if made is None and trace.recorded_by:
            self._refuse(words("recorded.no_model"))
            return
        if made is None and self.hopeless:
            self._refuse(self.hopeless)
            return
        if made is None:
            self._wait(words, "" if trace.whole else words("picture.too_long"))
            return
        caption, told = made.picture.caption, None if self.picture is None else self.picture.caption
        self.picture = made.picture
        if caption != told or words is not self._words or self.title.text() != caption.title:
            self._words = words
            self._tell(caption, words)
        self.view.draw(self.picture, words, *made.drawn)

    @property
    def foreseen(self) -> tuple[Maker[Any], Draw | None]:
        """What makes the picture of the next answer, and what draws it before it is painted; only some views have that."""
        beforehand = getattr(self.view, "beforehand", None)
        return self.make, None if beforehand is None else beforehand()

    def in_english(self, trace: Trace, look: Look) -> Picture | None:
        """The picture with English names, because files of numbers are the same in every language."""
        try:
            made = ready(self.make, trace, look, Words.load("en"))
            return self.picture if made is None else made.picture
        except (NotKept, LacksTap, NotComputed, UnknownTap):
            return self.picture

    def _wait(self, words: Words, note: str) -> None:
        """Keep the last picture, with dots behind its title and a note."""
        self.waiting = True
        self.title.setText(f"{self.title.text().removesuffix(' …')} …")
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if self.picture is None:
            self.view.setAccessibleDescription(words("status.computing"))  # type: ignore[attr-defined]  # It is a widget too.
            QTimer.singleShot(LONG_MS, self, partial(self._say_computing, words))

    def wait_no_more(self, why: str) -> None:
        """Say why nothing more comes, if the card waits: its last picture stays, and an empty one gives it its place."""
        empty = self.picture is None or getattr(self.picture, "pending", False)
        if not self.waiting and not (empty and self.picture is not None):
            return
        self.waiting = False
        self.title.setText(self.title.text().removesuffix(" …"))
        if empty:
            self._refuse(why)
        else:
            self.note.setText(why)
            self.note.show()

    def _say_computing(self, words: Words) -> None:
        """Say in an empty card what it waits for, once that takes long enough to be noticed."""
        if self.waiting and self.picture is None and not self.note.text():
            self.note.setText(words("status.computing"))
            self.note.show()

    def _called(self, error: ExplorerError, key: str, words: Words) -> str:
        """The title of a card whose picture cannot be made: by what is not there, where it has no title of its own."""
        return "" if self._title_key or key not in error.values else tap_title(str(error.values[key]), words)

    def _refuse(self, why: str, title: str = "") -> None:
        """Say in a sentence why there is no picture, in its place. Its title, or this one, stays above it."""
        self.line.clear(title or self.title.text().removesuffix(" …"))
        self.picture, self.is_refused = None, True
        self.view.setVisible(False)  # type: ignore[attr-defined]  # A view is a widget too.
        self.note.setText(why)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.setStretchFactor(self.note, 1)
        self.note.setVisible(True)

    def _tell(self, caption: Caption, words: Words) -> None:
        self.line.tell(caption, words)
        self.note.setText(caption.told)
        self.note.setVisible(bool(caption.told) and self.tells_note)
        self.line.note.setText(caption.told if self.note_beside else "")
        self.note.setToolTip(words("picture.origin.computed") if any(map(str.isdigit, caption.note)) else "")
        view: QWidget = self.view  # type: ignore[assignment]  # A view is a widget too.
        view.setAccessibleName(caption.title)

    def hasHeightForWidth(self) -> bool:
        """False, although a wrapped note's height depends on its width: a page's layout shares out its height, and a note
        changes that only where it would leave the view too little.
        """
        return False

    def setMinimumHeight(self, height_px: int) -> None:
        """Keep at least this height, and always what title, note and view need."""
        if height_px != self._least_px:
            self._least_px = height_px
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """A title of some words in each line, and all that stands above and below the view with the least that it needs."""
        column = self._column
        inside = [least_of(each) for each in members_of(column).values() if each is not self.line and is_there(each)]
        wide = max(_LEAST_PX, 2 * _MARGIN_PX + max(self.line.least_px(), *inside))
        high = column.minimumSize().height()
        if column.hasHeightForWidth():  # Some text or row of buttons breaks.
            high = column.minimumHeightForWidth(max(wide, self.width()))
        return QSize(wide, max(self._least_px, high))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def event(self, event: QEvent) -> bool:
        """Make room in the title line again after its buttons changed their size."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit_line()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_line()
            self.updateGeometry()  # Title and note take other heights.

    def _fit_line(self) -> None:
        """Share out the title line; a note that has no room beside the title stands below it."""
        self.line.fit(self.width() - 2 * _MARGIN_PX - _SPARE_PX, bare=self.bare)
        if self.line.note.text() and self.note.text() == self.line.note.text():
            self.note.setVisible(self.line.note.isHidden())

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
