"""The calm lines above the pages: the tour, what a program left that was not closed, a silent engine, and refusals."""

import contextlib
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.app.shell.notice_line import NoticeLine
from explorer.app.shell.refusals import Refusals
from explorer.lang import Words
from explorer.presets import title_in
from explorer.state.saved import Saved
from explorer.state.state_file import title_of

_AGAIN_S = 30
"""So many further silent seconds the line stays away after somebody has chosen to wait."""


class RestartOffer(NoticeLine):
    """Offers to restart the engine while its work gives no sign of life.

    Whoever keeps waiting is offered it again when the silence goes on. Signals: accepted() to restart the engine."""

    accepted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.restart = self.offer_button
        self.restart.clicked.connect(self.accepted)
        self.dismiss.clicked.connect(self._wait)
        self._seconds = self._again = 0  # seconds of silence: now, and when it is offered again

    def tell(self, seconds: int, words: Words) -> None:
        """Offer it after so many silent seconds; 0 takes the offer back."""
        if seconds < self._seconds:  # There was a sign of life.
            self._again = 0
        self._seconds = seconds
        self.speak(words)
        self.setVisible(seconds > 0 and seconds >= self._again)

    def speak(self, words: Words) -> None:
        self.text.setText(words("engine.hangs", seconds=self._seconds))
        self.restart.setText(words("engine.restart"))
        self.dismiss.setToolTip(words("engine.wait"))
        self.dismiss.setAccessibleName(words("engine.wait"))

    def _wait(self) -> None:
        self._again = self._seconds + _AGAIN_S
        self.hide()


class Invitation(NoticeLine):
    """Invites somebody who is here for the first time to the tour; gone for good once it was answered.

    Signals: accepted() for the tour; answered() when the line is not needed any more."""

    accepted = Signal()
    answered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.begin = self.offer_button
        self.begin.clicked.connect(self._accept)
        self.dismiss.clicked.connect(self._answer)

    def speak(self, words: Words) -> None:
        self.text.setText(words("tour.invitation"))
        self.begin.setText(words("tour.begin"))
        self.dismiss.setToolTip(words("tour.later"))
        self.dismiss.setAccessibleName(words("tour.later"))

    def _accept(self) -> None:
        self._answer()
        self.accepted.emit()

    def _answer(self) -> None:
        self.hide()
        self.answered.emit()


_MOST_CHARACTERS = 24  # of a sentence


class LeftOpen(NoticeLine):
    """Offers what a program has left that was not closed. It asks nothing: whoever does not answer loses nothing.

    Signals: accepted(Saved). What was answered is removed from the disk; the next one is offered then."""

    accepted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.restore = self.offer_button
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # It quotes a sentence.
        self.restore.clicked.connect(self._accept)
        self.dismiss.clicked.connect(self._answer)
        self._found: list[tuple[Path, Saved]] = []
        self._words: Words | None = None

    def offer(self, found: dict[Path, Saved]) -> None:
        """Offer these, the first one first."""
        self._found = list(found.items())
        self._show()

    def speak(self, words: Words) -> None:
        self._words = words
        self.restore.setText(words("session.restore"))
        self.dismiss.setToolTip(words("session.discard"))
        self.dismiss.setAccessibleName(words("session.discard"))
        self._show()

    def _show(self) -> None:
        if self._found and self._words is not None:
            path, saved = self._found[0]
            name = title_of(saved.session) if saved.session else _shortened(saved.state.wish.text)
            key = "session.left_open" if saved.was_shown else "session.ended_early"
            model = title_in(self._words, saved.state.wish.preset)
            self.text.setText(self._words(key, name=name, model=model, when=_when(path)))
        self.setVisible(bool(self._found))

    def _accept(self) -> None:
        self.accepted.emit(self._found[0][1])
        self._answer()

    def _answer(self) -> None:
        path, _saved = self._found.pop(0)
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        self._show()


def _shortened(sentence: str) -> str:
    line = " ".join(sentence[: _MOST_CHARACTERS + 1].split())
    return f"{line[:_MOST_CHARACTERS]}…" if len(sentence) > _MOST_CHARACTERS else line


def _when(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().strftime("%Y-%m-%d %H:%M")
    except OSError:
        return "–"


class Notices(QWidget):
    """All lines, one below the other: hidden together, each still comes and goes, and is there when they are shown."""

    def __init__(self) -> None:
        super().__init__()
        self.invitation, self.left_open, self.hanging, self.refusals = Invitation(), LeftOpen(), RestartOffer(), Refusals()
        self._lines = (self.invitation, self.left_open, self.hanging, self.refusals)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for line in self._lines:
            column.addWidget(line)

    def speak(self, words: Words) -> None:
        for line in self._lines:
            line.speak(words)
