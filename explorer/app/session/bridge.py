"""The only way from the compute thread to the GUI thread: one queued signal that carries values."""

from PySide6.QtCore import QObject, Signal


class Bridge(QObject):
    """Signals: crossed(value) for each value that the worker sends."""

    crossed = Signal(object)
