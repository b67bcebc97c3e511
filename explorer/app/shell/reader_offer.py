"""The line that offers a model for the language at hand: of a text that the open model cannot read, or of the interface."""

from PySide6.QtCore import Signal

from explorer.app.shell.notice_line import NoticeLine
from explorer.lang import Words
from explorer.picture.doubt_text import is_foreign_language
from explorer.presets import load_preset, reader_of
from explorer.state.change_intents import TakeSentence
from explorer.state.intents import Intent
from explorer.state.reader_intents import OpenReader
from explorer.state.wish import Wish
from explorer.tokens.language import language_of
from explorer.trace.trace import Trace


class ReaderOffer(NoticeLine):
    """Says which language the model reads, and offers the one that reads the other language; without such a one, a sentence.

    It is shown for a text of which more than half is unknown or spelled out, and once after the interface's language was
    switched. Whoever closes it is told no more of that model.

    Signals: wished(Intent).
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.offer_button.clicked.connect(self._accept)
        self.dismiss.clicked.connect(self._close)
        self._words: Words | None = None
        self._wish: Wish | None = None
        self._unread = ""  # the text that the open model could not read
        self._switched = False  # whether the language was switched and the model is still the one of before
        self._closed: set[str] = set()  # the models of which nobody wants to be told
        self._intent: Intent | None = None

    def put(self, wish: Wish) -> None:
        """Take what is set up. Another model has not read the text yet."""
        if self._wish is not None and wish.preset != self._wish.preset:
            self._unread, self._switched = "", False
        self._wish = wish
        self._show()

    def draw(self, trace: Trace) -> None:
        """Take an answer: whether the model could read its text."""
        self._unread = (trace.source or trace.target) if is_foreign_language(trace) else ""
        self._show()

    def speak(self, words: Words) -> None:
        self._switched = self._switched or (self._words is not None and words.language != self._words.language)
        self._words = words
        self.name_dismissal(words("status.close"))
        self._show()

    def _show(self) -> None:
        self._intent = None
        if self._wish is not None and self._words is not None and self._wish.preset not in self._closed:
            self._offer(self._wish, self._words)
        self.setVisible(self._intent is not None)

    def _offer(self, wish: Wish, words: Words) -> None:
        preset = load_preset(wish.preset)
        language = language_of(self._unread) if self._unread else words.language if self._switched else preset.reads
        if not preset.reads or (language == preset.reads and not self._unread):
            return
        other = reader_of(language, preset.config.architecture)
        if other is not None:
            self._intent = OpenReader(other)
            self.text.setText(words(f"reader.{preset.reads}_other"))
            self.offer_button.setText(words("reader.open"))
        elif self._unread and preset.text != wish.text:
            self._intent = TakeSentence(preset.text)
            self.text.setText(words(f"reader.{preset.reads}"))
            self.offer_button.setText(words("reader.own"))

    def _accept(self) -> None:
        if self._intent is not None:
            self.wished.emit(self._intent)

    def _close(self) -> None:
        if self._wish is not None:
            self._closed.add(self._wish.preset)
        self._show()
