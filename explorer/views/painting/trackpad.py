"""Tells a trackpad from a wheel: two fingers move the view, a wheel zooms, and scrolling by momentum does nothing."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QInputDevice, QWheelEvent

_PX_PER_ANGLE = 0.5  # A notch of 120 moves 60 px where the system reports no pixels.


def by_fingers(event: QWheelEvent) -> bool:
    """Whether the event comes from a trackpad; a mouse's wheel has no phases."""
    return event.phase() != Qt.ScrollPhase.NoScrollPhase or event.device().type() == QInputDevice.DeviceType.TouchPad


def rolls_on(event: QWheelEvent) -> bool:
    """Whether momentum scrolls on after the fingers have left."""
    return event.phase() == Qt.ScrollPhase.ScrollMomentum


def moved_px(event: QWheelEvent) -> QPointF:
    """How far the fingers moved (px)."""
    pixels = event.pixelDelta()
    return QPointF(event.angleDelta()) * _PX_PER_ANGLE if pixels.isNull() else QPointF(pixels)
