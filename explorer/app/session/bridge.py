"""From the compute thread to the GUI thread, by queued signals and by value."""

from PySide6.QtCore import QObject, Signal

from explorer.engine.request import Frame


class Bridge(QObject):
    """Carries what the compute thread says to the GUI thread: the one border, crossed by queued signals."""

    sig_started = Signal()
    sig_done = Signal(object)
    sig_failed = Signal(int, object)
    sig_stopped = Signal(int)
    sig_progressed = Signal(int, float)

    def started(self) -> None:
        self.sig_started.emit()

    def done(self, frame: Frame) -> None:
        self.sig_done.emit(frame)

    def failed(self, serial: int, error: BaseException) -> None:
        self.sig_failed.emit(serial, error)

    def stopped(self, serial: int) -> None:
        self.sig_stopped.emit(serial)

    def progressed(self, serial: int, share: float) -> None:
        self.sig_progressed.emit(serial, share)
