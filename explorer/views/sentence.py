"""The box where one types. It leaves undo and redo to the session, which goes through knobs as well."""

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit

_MOST = 1_000_000  # characters; Qt would cut a longer paste off without a word


class SentenceEdit(QLineEdit):
    """edited(str) is emitted for every change by the user; text still being composed by an input method is no change."""

    edited = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(_MOST)
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self.edited)

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere; while the user types the same text nothing moves."""
        if text != self.text():
            with QSignalBlocker(self):
                self.setText(text)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and (
            event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
        ):
            event.ignore()  # the window's own undo takes it
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo):
            event.ignore()
            return
        super().keyPressEvent(event)
