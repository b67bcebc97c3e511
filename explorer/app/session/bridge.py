"""From the compute thread to the GUI thread: the one border, crossed by one queued signal, by value."""

from PySide6.QtCore import QObject, Signal


class Bridge(QObject):
    """`crossed` carries each value that the worker tells."""

    crossed = Signal(object)
