"""A Card: one view with its title, formula and shape, and the maker of its Picture."""

from collections.abc import Callable
from html import escape
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.errors import NotKept
from explorer.lang import Words
from explorer.picture.cell_text import told_origin
from explorer.picture.kinds import Caption, Picture
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.elided_label import ElidedLabel
from explorer.views.painting.pointed import Spot

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
    exporting use.
    """

    opened = Signal(str)
    touched = Signal(object)

    def __init__(self, view: View[P], make: Maker[P], page: str = "") -> None:
        super().__init__()
        self.setObjectName("card")
        # The page's layout alone decides heights: card heights do not change when a note appears.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.view: View[Any] = view
        self.make: Maker[Any] = make
        self.page = page
        self.picture: Picture | None = None
        self._words: Words | None = None
        self.wants: tuple[tuple[str, int], ...] = ()  # taps and heads that the picture needs and that were not kept
        self.title = ElidedLabel()
        self.title.setObjectName("title")
        if page:
            self.title.setCursor(Qt.CursorShape.PointingHandCursor)
        self.formula, self.shape, self.note = QLabel(), QLabel(), QLabel()
        self.formula.setObjectName("formula")
        self.formula.setTextFormat(Qt.TextFormat.RichText)
        self.shape.setObjectName("shape")
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        self.note.hide()
        self._open = QToolButton()
        self._open.setObjectName("small")
        self._open.setText("↗")
        self._open.setVisible(bool(page))
        self._open.clicked.connect(self._opened)
        self.bar = QHBoxLayout()
        self.bar.setSpacing(8)
        self.bar.addWidget(self.title)
        self.bar.addWidget(self.formula)
        self.bar.addStretch(1)
        self.bar.addWidget(self.shape)
        self.bar.addWidget(self._open)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 8)
        layout.setSpacing(4)
        layout.addLayout(self.bar)
        layout.addWidget(self.note)
        layout.addWidget(view, 1)  # type: ignore[arg-type]  # Every view is a widget too.
        self.view.opened.connect(self._opened)
        self.view.pointed.connect(self._touch)

    def set_meant(self, meant: bool) -> None:
        """Outline the card, or not; lessons outline the cards that they speak of."""
        if self.property("meant") != meant:
            self.setProperty("meant", meant)
            self.style().polish(self)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Make the picture and show it."""
        self.wants = ()
        try:
            made = self.make(trace, look, words)
        except NotKept as error:  # A map of a long text may be kept once it is asked for.
            self.wants = ((str(error.values["tap"]), error.head),)
            self._wait(words, words.error(error))
            return
        if made is None:
            self._wait(words, "" if trace.whole else words("picture.too_long"))
            return
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
            return self.make(trace, look, Words.load("en")) or self.picture
        except NotKept:
            return self.picture

    def _wait(self, words: Words, note: str) -> None:
        """Keep the last picture, with dots behind its title and a note."""
        self.title.setText(f"{self.title.text().removesuffix(' …')} …")
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if self.picture is None:
            self.view.setAccessibleName(words("status.computing"))  # type: ignore[attr-defined]  # A view is a widget too.

    def _tell(self, caption: Caption, words: Words) -> None:
        self.title.setText(caption.title)
        self.formula.setText(caption.formula)
        self.shape.setText(caption.shape)
        origin = escape(told_origin(caption, words)).replace("\n", "<br>")
        self.title.setToolTip(f"<b>{escape(caption.title)}</b><br>{caption.formula}<br>{caption.tap} {caption.shape}{origin}")
        self.note.setText(caption.note)
        self.note.setVisible(bool(caption.note))
        self.note.setToolTip(words("picture.origin.computed") if any(map(str.isdigit, caption.note)) else "")
        view: QWidget = self.view  # type: ignore[assignment]  # A view is a widget too.
        view.setAccessibleName(caption.title)

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
        self._make_room()

    def _make_room(self) -> None:
        """Hide the shape, then the formula, where the title line is too narrow. The tooltip has both."""
        used = self.title.sizeHint().width() + self.bar.spacing() + 40
        for place in range(self.bar.count()):
            widget = self.bar.itemAt(place).widget()
            if widget is not None and widget not in (self.title, self.formula, self.shape) and not widget.isHidden():
                used += widget.sizeHint().width() + self.bar.spacing()
        for label in (self.shape, self.formula):
            needed = label.sizeHint().width() + self.bar.spacing()
            fits = bool(label.text()) and used + needed <= self.width()
            label.setVisible(fits)
            used += needed if fits else 0

    def _opened(self) -> None:
        if self.page:
            self.opened.emit(self.page)

    def _touch(self) -> None:
        self.touched.emit(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the card's page after a click on the title."""
        self.touched.emit(self)
        if self.title.geometry().contains(event.position().toPoint()):
            self._opened()
