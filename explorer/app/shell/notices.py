"""The calm lines above the pages: the tour, what a program left that was not closed, a silent engine, and refusals.

The one that offers a model for another language stands in `reader_offer.py`.
"""

import contextlib
from datetime import datetime
from pathlib import Path

import attrs
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.session import told
from explorer.app.shell.notice_line import NoticeLine
from explorer.app.shell.reader_offer import ReaderOffer
from explorer.errors import (
    BadFolder,
    CheckpointAsModel,
    ExplorerError,
    FolderIsGone,
    NeedsConversion,
    NoChatTemplate,
    NotAnAdapter,
    NotOwnModel,
    SeveralGguf,
)
from explorer.lang import Words
from explorer.presets import title_in
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.intents import OpenFolder, OpenStep, SetPreset
from explorer.state.saved import Saved
from explorer.state.state_file import title_of
from explorer.state.state_link import OpenLink, OpenState
from explorer.views.controls.layouts import filled

NOT_KEPT = "session.not_kept"
"""A refusal under this key stays, whatever is opened."""
_WITHOUT_FILES = (CheckpointAsModel, FolderIsGone, NeedsConversion, NoChatTemplate, NotAnAdapter, NotOwnModel, SeveralGguf)
_OPENING = (SetPreset, OpenFolder, OpenAdapter, OpenState, OpenLink, OpenStep)


@attrs.frozen(eq=False)
class _Refusal:
    error: ExplorerError
    key: str
    of_edit: bool

    def says(self, other: "_Refusal") -> bool:
        """Whether it says the same as the other one."""
        mine, others = ((each.key, type(each.error), each.error.values) for each in (self, other))
        return mine == others


class Refusals(NoticeLine):
    """What could not be done: a folder or a session that cannot be opened, a file that cannot be written.

    `tell` shows why; `settle` says that something else could be done, `answered` that it was opened.

    One rule for all of them: a sentence stays until somebody closes it, or opens or writes something else that works. The
    newest stands in front, and those below come up again. A change that was taken back because it cannot be made is shown here
    too, until the next step. Any other refusal of an edit stands in the status line, until the next good answer.

    Of a model that cannot be run it offers to look into its files. Signals: looked(path).
    """

    looked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.offer_button.clicked.connect(self._look)
        self.text.setObjectName("warning")
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # It may quote files from strangers.
        self.text.setWordWrap(True)
        self.row.setContentsMargins(12, 3, 8, 3)
        self.row.setStretch(self.row.indexOf(self.text), 1)
        self.row.setStretch(self.row.count() - 2, 0)  # The text takes the room that other lines leave empty.
        self.dismiss.clicked.connect(self._close)
        self._told: list[_Refusal] = []  # the newest last
        self._outlived: list[_Refusal] = []  # those that go if what is being opened can be opened
        self._words: Words | None = None

    def speak(self, words: Words) -> None:
        self._words = words
        self.name_dismissal(words("status.close"))
        self.offer_button.setText(words("files.look"))
        self._show()

    def tell(self, error: ExplorerError, key: str = "", *, of_edit: bool = False) -> None:
        """Show the error's sentence, or the text under `key` with it as {reason}. A repeated refusal moves to the front."""
        new = _Refusal(error, key, of_edit)
        self._told = [*(each for each in self._told if not each.says(new)), new]
        self._show()

    def settle(self, key: str = "") -> None:
        """Remove the refusals under this key: they no longer hold."""
        self._told = [each for each in self._told if each.key != key]
        self._show()

    def follow(self, news: told.Set) -> None:
        """Take a step. A refusal to open something is out of date once something else has been opened, and not before."""
        if news.by is None:  # The program itself went back to what was there.
            self._outlived = []
            return
        self._told = [each for each in self._told if each.key == NOT_KEPT or not each.of_edit]
        if isinstance(news.by, _OPENING):
            self._outlived = [each for each in self._told if each.key != NOT_KEPT]
            if news.state.wish == news.before.wish:  # There is nothing to wait for.
                self.answered()
        self._show()

    def answered(self) -> None:
        """Take an answer to the present wish: what was opened last works."""
        self._told = [each for each in self._told if each not in self._outlived]
        self._outlived = []
        self._show()

    def _show(self) -> None:
        if self._told and self._words is not None:
            newest = self._told[-1]
            sentence = self._words.error(newest.error)
            self.text.setText(self._words(newest.key, reason=sentence) if newest.key else sentence)
        self.offer_button.setVisible(bool(self._told) and _has_files(self._told[-1].error))
        self.setVisible(bool(self._told))

    def _look(self) -> None:
        self.looked.emit(str(self._told[-1].error.values["path"]))

    def _close(self) -> None:
        self._told.pop()
        self._show()


def _has_files(error: ExplorerError) -> bool:
    """Whether a refusal is about files with weights that can be looked into all the same."""
    return isinstance(error, BadFolder) and not isinstance(error, _WITHOUT_FILES) and "path" in error.values


_AGAIN_S = 30
"""So many further silent seconds the line stays away after somebody has chosen to wait."""


class RestartOffer(NoticeLine):
    """Offers to restart the engine while its work gives no sign of life.

    Whoever keeps waiting is offered it again when the silence goes on. Signals: accepted() to restart the engine.
    """

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
        self.name_dismissal(words("engine.wait"))

    def _wait(self) -> None:
        self._again = self._seconds + _AGAIN_S
        self.hide()


class Invitation(NoticeLine):
    """Invites somebody who is here for the first time to the tour: on the first page, and gone for good once it was answered.

    Signals: accepted() for the tour; answered() when the line is not needed any more."""

    accepted = Signal()
    answered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_due, self._page = False, ""
        self.begin = self.offer_button
        self.begin.clicked.connect(self.accept)
        self.dismiss.clicked.connect(self._answer)

    def offer(self) -> None:
        """Invite, as long as the first page is in front."""
        self._is_due = True
        self._show()

    def put_page(self, page: str) -> None:
        """The page in front."""
        self._page = page
        self._show()

    def _show(self) -> None:
        self.setVisible(self._is_due and self._page == page_list.KEYS[0])

    def speak(self, words: Words) -> None:
        self.text.setText(words("tour.invitation"))
        self.begin.setText(words("tour.begin"))
        self.name_dismissal(words("tour.later"))

    def accept(self) -> None:
        """Take the tour, also by another way than the line's button: nobody who takes it needs the line."""
        self._answer()
        self.accepted.emit()

    def _answer(self) -> None:
        self._is_due = False
        self._show()
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
        self.name_dismissal(words("session.discard"))
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
        self.reader = ReaderOffer()
        self._lines = (self.invitation, self.left_open, self.reader, self.hanging, self.refusals)
        filled(QVBoxLayout(self), *self._lines, gap_px=0, margins_px=(0, 0, 0, 0))

    def speak(self, words: Words) -> None:
        for line in self._lines:
            line.speak(words)
