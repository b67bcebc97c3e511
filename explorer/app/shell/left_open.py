"""The line that offers what a program has left that was not closed. It asks nothing: whoever does not answer loses nothing."""

import contextlib
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal

from explorer.app.shell.notice_line import NoticeLine
from explorer.lang import Words
from explorer.presets import title_in
from explorer.state.saved import Saved
from explorer.state.state_file import title_of

_MOST_CHARACTERS = 24  # of a sentence


class LeftOpen(NoticeLine):
    """Signals: accepted(Saved). What was answered is removed from the disk; the next one is offered then."""

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
