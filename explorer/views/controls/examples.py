"""The button with example sentences: a menu of them, each with what to look at."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton

from explorer.lang import Words
from explorer.lessons.gallery import Example


class ExamplesButton(QToolButton):
    """Signals: chosen(Example)."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("small")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The Edit menu has it, too.
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.examples = QMenu(self)
        self.setMenu(self.examples)

    def offer(self, examples: Sequence[Example], words: Words) -> None:
        """List these sentences."""
        self.setText(words("header.examples"))
        self.setToolTip(words("action.examples"))
        self.examples.clear()
        for example in examples:
            note = example.note.of(words.language)
            action = self.examples.addAction(f"{example.text}\t{note}")  # What follows the tab stands in a column at the right.
            action.setData(example)
            action.triggered.connect(self._choose)

    def _choose(self) -> None:
        self.chosen.emit(self.sender().data())  # type: ignore[attr-defined]  # The sender is a QAction.
