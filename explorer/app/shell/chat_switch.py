"""The check box beside the text for models with a chat template: whether the text is written as a message in it."""

import html

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.check_box import CheckBox

_MOST_TOLD = 4000  # characters of a prompt in a tip


class ChatSwitch(CheckBox):
    """Shown where the model on screen has a template, and where one is asked for. Signals: chose(bool) by the user.

    Its tip is the whole prompt, once the model has read one.
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
