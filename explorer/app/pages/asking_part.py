"""A part of a page that has one thing found out beside the pass, as soon as the page shows it, and anew for each Wish.

Decision: an errand of one piece, which gives way to each keystroke. Rejected: an experiment of the answer itself, since a
keystroke would wait for a pass of each token.
"""

from typing import Generic, TypeVar

import attrs
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from explorer.app.pages.card import Card
from explorer.engine.errand import Brought, Errand
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.trace import Trace

F = TypeVar("F")


class AskingPart(QWidget, Generic[F]):
    """A subclass says what is asked for (`errand_for`) and of which type the answer is (`of`), and makes its `cards`.

    The cards come with the first answer, and the keys go to the first of them; later the last picture stays until the next
    answer is there. `told` says that the first one is being computed, or why there is none.

    Signals: sent(Errand); changed() when cards are to be drawn.
    """

    sent = Signal(object)
    changed = Signal()
    waiting = ""  # the key of the text that says what is being computed

    def __init__(self, of: type[F]) -> None:
        super().__init__()
        self._of = of
        self.cards: tuple[Card, ...] = ()
        self.found: F | None = None
        self._shown = False  # whether the cards have a picture
        self._asked: Errand | None = None
        self._answered = True
        self._refused: ExplorerError | None = None
        self._wish: Wish | None = None
        self._words = Words.load("en")
        self.told = QLabel()
        self.told.setObjectName("faint")
        self.told.setWordWrap(True)

    def errand_for(self, wish: Wish) -> Errand:
        """What is asked for."""
        raise NotImplementedError

    def put(self, wish: Wish) -> None:
        """Take another Wish; what a second pass is compared with makes no difference."""
        before = self._wish
        self._wish = attrs.evolve(wish, batch=(), other="", toward=(), away=(), compared_with=None)
        if before is not None and before.preset != wish.preset:
            self._shown = False  # The pictures are those of another model.
        if before != self._wish:
            self._drop()

    def draw(self, trace: Trace, _look: Look, words: Words) -> None:
        """Ask for what the Trace on screen has no answer to yet."""
        self._words = words
        if self._asked is None and self._wish is not None and self._wish.preset == trace.preset:
            self._asked, self._answered = self.errand_for(self._wish), False
            self.sent.emit(self._asked)
        for card in self.cards:
            card.setVisible(self._shown)
        if self._shown and self.hasFocus():
            self.cards[0].view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        self._tell()

    def bring(self, brought: Brought) -> None:
        """Take the answer, unless it is that to an older question."""
        if brought.errand is not self._asked:
            return
        self._answered = True
        if isinstance(brought.found, self._of):
            self.found, self._shown = brought.found, True
        elif isinstance(brought.found, ExplorerError):
            self._refused, self._shown = brought.found, False
        self.changed.emit()

    def ask_anew(self) -> None:
        """Something else is asked for of the same Wish."""
        self._drop()
        self.changed.emit()

    def _drop(self) -> None:
        """Forget the answer, and end what is being computed."""
        if self._asked is not None and not self._answered:
            self.sent.emit(type(self._asked)())
        self._asked, self._answered, self._refused, self.found = None, True, None, None

    def _tell(self) -> None:
        if self._refused is not None:
            self.told.setText(self._words.error(self._refused))
        elif not self._shown:
            self.told.setText(self._words(self.waiting))
        self.told.setVisible(self._refused is not None or not self._shown)
