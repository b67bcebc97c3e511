"""Watches whether the compute thread still gives signs of life, and replaces one that does not."""

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.session import told
from explorer.engine.worker import Worker

HANGS_S = 10
"""Seconds without a tap or a share of progress after which the work may hang. A usual pass asks hundreds of times a second."""
_LOOK_MS = 1000


class Watch(QObject):
    """Signals: changed(told.Hanging) each second while the work may hang, and once when it has given a sign again."""

    changed = Signal(object)

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._hangs = False
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self.start, self.stop = self._timer.start, self._timer.stop

    def look(self) -> None:
        """Look whether the work hangs; tell for how long it does, and that it does so no more."""
        silent_s = self._worker.silent_s
        hung, self._hangs = self._hangs, silent_s >= HANGS_S
        if self._hangs:
            self.changed.emit(told.Hanging(max(int(silent_s), 1)))
        elif hung:
            self.changed.emit(told.Hanging(0))

    def restart(self) -> None:
        """Go on with a new compute thread. What the old one was at is told as EngineRestarted."""
        self._worker.restart()
        self.look()
