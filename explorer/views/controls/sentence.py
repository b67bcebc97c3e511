"""The box for a sentence, and a small one for several. They leave undo and redo to the session, whose steps include knobs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QStyle, QStyleOptionFrame, QWidget

_KEYS = QKeySequence.StandardKey
_KEPT = (
    _KEYS.Copy,
    _KEYS.Cut,
    _KEYS.Paste,
    _KEYS.SelectAll,
    _KEYS.MoveToNextWord,
    _KEYS.MoveToPreviousWord,
    _KEYS.SelectNextWord,
    _KEYS.SelectPreviousWord,
    _KEYS.DeleteStartOfWord,
    _KEYS.DeleteEndOfWord,
)
_COMING_BACK = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Why a box loses the focus that will have it again."""
PATIENCE_MS = 650
"""A search that is over sooner is no reason to flicker: the pause before it (`app.session`), and a quarter of a second."""
_MOST_STEPS = 2**16  # characters, 1 MB of steps
_MOST = 1_000_000  # characters; Qt's own limit would silently cut a long paste


def _leaves_to_window(event: QEvent) -> bool:
    """Whether a key pressed in a box is one of the window's shortcuts, such as undo."""
    return (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        and not any(event.matches(key) for key in _KEPT)
    )


if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # A class of Qt's has one base of Qt's.


class _TypingBox(_Widget):
    """A box that takes what an input method composes when it is committed, and leaves the window its shortcuts."""

    _composing = False

    def changed_by_typing(self, *, committed: bool = False) -> None:
        """Take a text that may have changed; `committed` says that an input method has committed some of it."""
        raise NotImplementedError

    def end_composition(self) -> None:
        """Drop what is composed: it belongs to the old text."""
        if self._composing:
            QGuiApplication.inputMethod().reset()
            super().inputMethodEvent(QInputMethodEvent())
            self._composing = False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        # The first key of a composition deletes the selection, which does not yet mean an empty sentence. But one event may
        # commit a syllable and begin the next, as with Wubi and Hangul.
        self._composing = bool(event.preeditString())
        committed = bool(event.commitString() or event.replacementLength())
        super().inputMethodEvent(event)
        self.changed_by_typing(committed=committed)

    def event(self, event: QEvent) -> bool:
        if _leaves_to_window(event):
            event.ignore()
            return False
        return super().event(event)


_MOST_FITTED = 1000  # characters; more have no room in any letters
_LETTERS_PX, _HIGH_PX, _AROUND_PX = 17, 32, 48  # px of the letters, of the box, and of what stands beside its text


class SentenceEdit(_TypingBox, QLineEdit):
    """The box. Signals: edited(text) for every change by the user, except while an input method composes a character;
    fixed() when somebody types into it while it is read only; became_provisional(bool) for the offered text.
    """

    edited = Signal(str)
    fixed = Signal()
    became_provisional = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("sentence")
        self.setMaxLength(_MOST)
        self.setClearButtonEnabled(True)
        self._putting = False
        self._said = self._offered = ""
        self._n_steps = 0  # at most so many characters are in the box's own steps of undo
        self._forgetting = QTimer(self, interval=0, singleShot=True)
        self._forgetting.timeout.connect(self._forget)
        self.provisional = False  # whether the offered text is underlined with dots
        self._late = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._late.timeout.connect(self._searching)
        self.textChanged.connect(self.changed_by_typing)
        self.textChanged.connect(self._size_letters)
        self._larger = 1.0
        self.enlarge_letters(1.0)

    def enlarge_letters(self, times: float) -> None:
        """Write so many times as large, for a hall; a text that has no room in these letters has smaller ones."""
        self._larger = times
        self.setMinimumHeight(round(_HIGH_PX * times))
        self._size_letters()

    def _size_letters(self) -> None:
        usual = QFont()
        usual.setPixelSize(_LETTERS_PX)
        text = (self.text() or self.placeholderText())[:_MOST_FITTED]
        wide = 0.0 if self._larger == 1 else QFontMetricsF(usual).horizontalAdvance(text)
        fits = (self.width() - _AROUND_PX) / wide if wide else self._larger
        usual.setPixelSize(int(_LETTERS_PX * max(1.0, min(self._larger, fits))))
        if usual.pixelSize() != self.font().pixelSize():
            self.setFont(usual)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_letters()

    def offer(self, text: str, hint: str) -> None:
        """Show a text, or else the hint, in the empty box. The right arrow key takes the text over."""
        self.setPlaceholderText(text or hint)
        self._size_letters()
        if text != self._offered:
            was, self._offered = bool(self._offered), text
            if was != bool(text):
                self.setProperty("offers", bool(text))
                self.style().polish(self)

    def mark_provisional(self, provisional: bool) -> None:
        """Underline the offered text with dots while a better one is searched for, after a moment: most searches are short."""
        if not provisional:
            self._late.stop()
            self._set_provisional(False)
        elif not self.provisional and not self._late.isActive():
            self._late.start()

    def _searching(self) -> None:
        self._set_provisional(True)

    def _set_provisional(self, provisional: bool) -> None:
        if provisional != self.provisional:
            self.provisional = provisional
            self.update()
            self.became_provisional.emit(provisional)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.provisional or self.text() or not self._offered:
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        wide = min(room.width() - 4, self.fontMetrics().horizontalAdvance(self.placeholderText()))
        y = room.center().y() + self.fontMetrics().ascent() // 2 + 3
        with QPainter(self) as painter:
            painter.setPen(QPen(self.palette().placeholderText().color(), 1, Qt.PenStyle.DotLine))
            painter.drawLine(room.left() + 2, y, room.left() + 2 + wide, y)

    def put(self, text: str) -> None:
        """Show a text that was set elsewhere. If the box has it already, nothing moves."""
        self._said = text
        if text != self.text():
            self._putting = True  # A flag instead of a blocker, because the clear button listens to the signal.
            typing = self._composing or self.hasFocus()
            self.end_composition()
            self.setText(text)
            self._putting = False
            if not typing:
                self.setCursorPosition(0)  # Qt scrolls to it, and a long sentence is read from its beginning.

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show a long sentence from its beginning once the box is left for another part of the window."""
        super().focusOutEvent(event)
        if event.reason() not in _COMING_BACK:
            self.setCursorPosition(0)

    def changed_by_typing(self, _text: str = "", *, committed: bool = False) -> None:
        if (committed or not self._composing) and not self._putting and self.text() != self._said:
            before, self._said = self._said, self.text()
            self._n_steps += len(before) + len(self._said)
            if self._n_steps > _MOST_STEPS:
                self._forgetting.start()
            self.edited.emit(self._said)

    def _forget(self) -> None:
        """Clear the box's own steps of undo, which cannot be taken: Qt keeps 16 bytes of each character that ever came or went.

        Qt has no other way than to set the text anew. What is marked and where the cursor stands stay as they are.
        """
        if self._composing:
            return
        cursor, start, n_marked = self.cursorPosition(), self.selectionStart(), self.selectionLength()
        with QSignalBlocker(self):
            self.setText(self.text())
            if n_marked:
                at_end = cursor == start + n_marked
                self.setSelection(start if at_end else start + n_marked, n_marked if at_end else -n_marked)
            else:
                self.setCursorPosition(cursor)
        self._n_steps = 0

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():  # The window opens the folder; its address is no sentence.
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo):
            event.ignore()
            return
        if self.isReadOnly() and event.text().isprintable() and event.text():
            self.fixed.emit()
        if event.key() == Qt.Key.Key_Right and self._offered and not self.text() and not self._composing:
            self.insert(self._offered)
            return
        super().keyPressEvent(event)


_LINES = 4  # visible ones
_EDGE_PX = 12


class SentencesEdit(_TypingBox, QPlainTextEdit):
    """A small box with a sentence in each line.

    Signals: edited(tuple of sentences) for every change by the user that changes one of them.
    """

    edited = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._said: tuple[str, ...] = ()
        self.textChanged.connect(self.changed_by_typing)

    def sentences(self) -> tuple[str, ...]:
        """What is typed, without empty lines."""
        return tuple(line.strip() for line in self.toPlainText().splitlines() if line.strip())

    def put(self, sentences: tuple[str, ...]) -> None:
        """Show sentences that were set elsewhere. If the box has them already, nothing moves."""
        self._said = sentences
        if sentences != self.sentences():
            self.end_composition()
            self.setPlainText("\n".join(sentences))

    def offer(self, sentences: tuple[str, ...]) -> None:
        """Show sentences in the empty box that are used as long as nothing is typed."""
        self.setPlaceholderText("\n".join(sentences))

    def changed_by_typing(self, *, committed: bool = False) -> None:
        sentences = self.sentences()
        if (committed or not self._composing) and sentences != self._said:
            self._said = sentences
            self.edited.emit(sentences)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + _EDGE_PX)
