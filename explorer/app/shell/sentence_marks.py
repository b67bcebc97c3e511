"""What stands beside a typed sentence: examples, whether it is a message of a chat, why the model can hardly know it, and what
unfolds its tokens in a low window.
"""

import html
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton

from explorer.lang import Words
from explorer.lessons.gallery import Example
from explorer.picture.doubt_text import doubt_line, doubt_text
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.check_box import CheckBox

_MOST_TOLD = 4000  # characters of a prompt in a tip


class ChatSwitch(CheckBox):
    """A check box, shown where the model on screen has a chat template, and where one is asked for.

    Its tip is the whole prompt, once the model has read one. Signals: chose(bool) by the user.
    """

    chose = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.chose)
        self.hide()
        self._words: Words | None = None
        self._preset, self._has_model, self._has_template = "", False, False
        self._prompt = ""

    def speak(self, words: Words) -> None:
        """Name it in a language."""
        self._words = words
        self.setText(words("chat.name"))
        self._tell()

    def put(self, wish: Wish) -> None:
        """Show whether a Wish asks for it. Whether another model has a template, its first answer says."""
        with QSignalBlocker(self):
            self.setChecked(wish.chat)
        if wish.preset != self._preset:
            self._preset, self._has_template, self._prompt = wish.preset, False, ""
        self._has_model = wish.foreign and not wish.recorded
        self._appear()

    def draw(self, trace: Trace) -> None:
        """Show it if the model of an answer has a template, with the prompt that it has read."""
        if trace.preset == self._preset:
            self._has_template, self._prompt = trace.card.chat, trace.prompt
            self._appear()

    def _appear(self) -> None:
        self.setVisible(self.isChecked() or (self._has_model and self._has_template))
        self._tell()

    def _tell(self) -> None:
        """Put what it does, and the whole prompt if there is one, into its tip; a prompt may hold marks like tags."""
        if self._words is None:
            return
        told, prompt = self._words("chat.hint"), self._prompt if self.isChecked() else ""
        if len(prompt) > _MOST_TOLD:
            prompt = f"{prompt[:_MOST_TOLD]} …"
        shown = f"<p><b>{self._words('chat.prompt')}</b></p><pre style='white-space:pre-wrap'>{html.escape(prompt)}</pre>"
        self.setToolTip(f"<p>{told}</p>{shown if prompt else ''}")
        self.setAccessibleDescription(f"{told} {prompt}".rstrip())


class DoubtMark(QToolButton):
    """Signals: clicked() for the page with the cuts of the sentence. It is hidden where nothing is doubted."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("doubt")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # By keyboard, the tokens page says the same.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.line = ""
        self.hide()

    def draw(self, trace: Trace, words: Words) -> None:
        """Show what is doubted of a sentence."""
        self.line = doubt_line(trace, words)
        self.setToolTip(doubt_text(trace, words))
        self.setAccessibleName(self.toolTip())
        self._elide()
        self.setVisible(bool(self.line))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(self.line) + 18
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def _elide(self) -> None:
        room = max(0, self.width() - 14)
        self.setText(self.fontMetrics().elidedText(self.line, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()


class TokensButton(QToolButton):
    """Unfolds the tokens below the sentences where a low window has folded them. It says so where the model is in doubt."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("small")
        self.setCheckable(True)
        self.hide()
        self._name, self._doubt = "", ""
        self.toggled.connect(self._tell)

    def speak(self, words: Words) -> None:
        """Name it in a language."""
        self._name = words("page.tokens")
        self._tell()

    def warn(self, doubt: str) -> None:
        """Take what is doubted of the sentence, "" for nothing."""
        self._doubt = doubt
        self._tell()

    def _tell(self) -> None:
        self.setText(f"{self._name}{' !' if self._doubt else ''} {'▴' if self.isChecked() else '▾'}")
        self.setToolTip(self._doubt or self._name)
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(self._doubt)


class ExamplesButton(QToolButton):
    """A menu of example sentences, each with what to look at. Signals: chosen(Example)."""

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
