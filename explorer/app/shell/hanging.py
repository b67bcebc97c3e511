"""The line that offers to restart the engine, while its work gives no sign of life."""

from PySide6.QtCore import Signal

from explorer.app.shell.notice_line import NoticeLine
from explorer.lang import Words

_AGAIN_S = 30
"""So many further silent seconds the line stays away after somebody has chosen to wait."""


class Hanging(NoticeLine):
    """Whoever keeps waiting is offered it again when the silence goes on. Signals: accepted() to restart the engine."""

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
        self.dismiss.setToolTip(words("engine.wait"))
        self.dismiss.setAccessibleName(words("engine.wait"))

    def _wait(self) -> None:
        self._again = self._seconds + _AGAIN_S
        self.hide()
