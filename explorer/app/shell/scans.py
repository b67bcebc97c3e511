"""Opens results over many sentences that the user chooses or drops: the table of a scan, or the values of every prompt.

It also begins an ablation over the sentences of a file. A thread of its own reads and writes the files.
"""

from functools import partial
from pathlib import Path
from typing import TypeVar

import attrs
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from explorer.app.file_dialogs import ask_file, ask_new_file, start_in
from explorer.app.shell.looker import Looker
from explorer.app.shell.prompts_window import PromptsWindow
from explorer.app.shell.scan_window import ScanWindow
from explorer.engine.errand import Brought
from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.scanning.table_file import read_table
from explorer.state.held_out import own_sentences
from explorer.state.wish import Wish
from explorer.trace.found.over_prompts import OverPrompts
from explorer.trace.found.prompts_file import SUFFIX, is_results
from explorer.trace.measures.scan_table import ScanTable

THREAD = "scan table"
_TEXTS = "*.txt *.tsv"
W = TypeVar("W", bound=QWidget)


@attrs.frozen(eq=False)
class _Sentences:
    """The sentences of a file, to be ablated with this Wish."""

    wish: Wish
    texts: tuple[str, ...]
    name: str


@attrs.frozen
class _Saved:
    """A result that was written to a file."""

    path: Path


class Scans(Looker):
    """Signals: wished(Intent) from a sentence; opened() for a result that is shown; sent(Errand); noticed(text)."""

    wished = Signal(object)
    opened = Signal()
    sent = Signal(object)
    noticed = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._words: Words | None = None
        self._wish: Wish | None = None
        self._chosen = ""
        self._theme: Theme = LIGHT
        self.shown: ScanWindow | None = None
        self.prompts: PromptsWindow | None = None

    @property
    def _windows(self) -> tuple[ScanWindow | PromptsWindow, ...]:
        return tuple(each for each in (self.shown, self.prompts) if each is not None)

    def put(self, wish: Wish) -> None:
        """Take the Wish that an ablation begins with."""
        self._wish = wish

    def bring(self, brought: Brought) -> None:
        """Hand on what an errand has found out."""
        if self.prompts is not None:
            self.prompts.bar.bring(brought)

    def speak(self, words: Words) -> None:
        self._words = words
        for each in self._windows:
            each.speak(words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for each in self._windows:
            each.set_theme(theme)

    def choose_sentences(self) -> None:
        """Let the user choose a file of sentences, and ablate over them."""
        path, wish = self._asked("action.ablate_file", _TEXTS), self._wish
        if path and wish is not None:
            self.look(partial(_sentences, Path(path), wish), THREAD)

    def _asked(self, title: str, kinds: str) -> str:
        assert self._words is not None  # A window speaks before it has a menu that anybody could open.
        path = ask_file(self._window, self._words(title), start_in(self._chosen), kinds)
        self._chosen = path or self._chosen
        return path

    def _save(self, found: OverPrompts, name: str) -> None:
        assert self._words is not None  # As above.
        begin = Path(start_in(self._chosen)) / Path(name).with_suffix(SUFFIX).name
        path, _kind = ask_new_file(self._window, self._words("many.save"), str(begin), f"*{SUFFIX}")
        if path:
            self.look(partial(_saved, found, Path(path)), THREAD)

    def open(self, path: str) -> None:
        """Read a result, then show it."""
        self.look(partial(_named, Path(path)), THREAD)

    def found(self, what: object) -> None:
        """Show what was read, or say what was written."""
        assert self._words is not None  # As above.
        match what:
            case _Saved(path):
                self.noticed.emit(self._words("many.saved", path=path))
            case _Sentences(wish, texts, name):
                _raised(self._prompts()).ablate(wish, texts, name)
            case (ScanTable() as table, str(name)):
                _raised(self._scan()).put(table, name)
            case (OverPrompts() as found, str(name)):
                _raised(self._prompts()).put(found, name)
        if not isinstance(what, _Saved):
            self.opened.emit()

    def _scan(self) -> ScanWindow:
        assert self._words is not None  # As above.
        if self.shown is None:
            self.shown = ScanWindow(self._window, self._words)
            self.shown.set_theme(self._theme)
            self.shown.wished.connect(self.wished)
        return self.shown

    def _prompts(self) -> PromptsWindow:
        assert self._words is not None  # As above.
        if self.prompts is None:
            self.prompts = PromptsWindow(self._window, self._words)
            self.prompts.set_theme(self._theme)
            self.prompts.wished.connect(self.wished)
            self.prompts.saves.connect(self._save)
            self.prompts.bar.sent.connect(self.sent)
        return self.prompts


def _raised(window: W) -> W:
    """The window, in front."""
    window.show()
    window.raise_()
    return window


def _named(path: Path) -> tuple[ScanTable | OverPrompts, str]:
    """The result in a file, and the file's name. Raises as `read_table` does."""
    return OverPrompts.load(path) if is_results(path) else read_table(path), path.name


def _sentences(path: Path, wish: Wish) -> _Sentences:
    """The sentences of a file: its lines, or the first column. Raises CannotRead, NotAFile, NoSentences."""
    lines = own_sentences(path, english=wish.reads_english)
    texts = tuple(dict.fromkeys(line.partition("\t")[0] for line in lines))
    return _Sentences(wish.of_prompts(), texts, path.name)


def _saved(found: OverPrompts, path: Path) -> _Saved:
    found.save(path)
    return _Saved(path)
