"""A small box for several sentences, one in each line. It leaves undo and redo to the session."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QPlainTextEdit

from explorer.views.controls.sentence import leaves_to_window

_LINES = 4  # visible ones
_EDGE_PX = 12


class SentencesEdit(QPlainTextEdit):
    """Signals: edited(tuple of sentences) for every change by the user that changes one of them."""

    edited = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._said: tuple[str, ...] = ()
        self._composing = False
        self.textChanged.connect(self._changed)

    def sentences(self) -> tuple[str, ...]:
        """What is typed, without empty lines."""
        return tuple(line.strip() for line in self.toPlainText().splitlines() if line.strip())

    def put(self, sentences: tuple[str, ...]) -> None:
        """Show sentences that were set elsewhere. If the box has them already, nothing moves."""
        self._said = sentences
        if sentences != self.sentences():
            if self._composing:  # The composition belongs to the old text.
                QGuiApplication.inputMethod().reset()
                super().inputMethodEvent(QInputMethodEvent())
                self._composing = False
            self.setPlainText("\n".join(sentences))

    def offer(self, sentences: tuple[str, ...]) -> None:
        """Show sentences in the empty box that are used as long as nothing is typed."""
        self.setPlaceholderText("\n".join(sentences))

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        # One event may commit a syllable and begin the next, as with Wubi and Hangul.
        self._composing = bool(event.preeditString())
        committed = bool(event.commitString() or event.replacementLength())
        super().inputMethodEvent(event)
        self._changed(committed=committed)

    def _changed(self, *, committed: bool = False) -> None:
        sentences = self.sentences()
        if (committed or not self._composing) and sentences != self._said:
            self._said = sentences
            self.edited.emit(sentences)

    def event(self, event: QEvent) -> bool:
        if leaves_to_window(event):
            event.ignore()
            return False
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + _EDGE_PX)
