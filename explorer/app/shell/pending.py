"""Whether the picture on screen belongs to a model that is no more: the window dims it while the next one is built."""

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.state.wish import Wish

_PATIENCE_MS = 80  # ms; a model that is there sooner is no reason to flicker


class Pending(QObject):
    """Signals: changed(bool): True a moment after another model was asked for, False when it has answered.

    A new text or a knob of the pass dims nothing: its answer comes within a blink, and dimming at each key would flicker.
    """

    changed = Signal(bool)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.dimmed = False
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(_PATIENCE_MS)
        self._late.timeout.connect(self._dim)

    def asked(self, wish: Wish, shown: Wish | None) -> None:
        """Hear of a wish; `shown` is the one that is answered on screen."""
        if shown is None or _model(wish) == _model(shown):
            self._late.stop()
            self._clear()
        elif not self.dimmed and not self._late.isActive():
            self._late.start()

    def answered(self, wish: Wish, asked: Wish) -> None:
        """Hear of an answer to `wish`, which may be older than what is asked for now."""
        self.asked(asked, wish)

    def refused(self) -> None:
        """Hear that there will be no answer; what is old is then said elsewhere."""
        self._late.stop()
        self.dimmed = False

    def _dim(self) -> None:
        self.dimmed = True
        self.changed.emit(True)

    def _clear(self) -> None:
        if self.dimmed:
            self.dimmed = False
            self.changed.emit(False)


def _model(wish: Wish) -> tuple[object, ...]:
    """What decides the model that answers."""
    return wish.preset, wish.uses_trained, wish.config.shape
