"""Two fingers on a trackpad move what is seen; a wheel zooms. What rolls on after the fingers have left does nothing."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QInputDevice, QWheelEvent

_PX_PER_ANGLE = 0.5  # a notch of 120 moves 60 px, where the system does not tell pixels


def by_fingers(event: QWheelEvent) -> bool:
    """Whether it comes from a trackpad: a mouse's wheel has no phases."""
    return event.phase() != Qt.ScrollPhase.NoScrollPhase or event.device().type() == QInputDevice.DeviceType.TouchPad


def rolls_on(event: QWheelEvent) -> bool:
    """Whether the fingers have left already."""
    return event.phase() == Qt.ScrollPhase.ScrollMomentum


def moved_px(event: QWheelEvent) -> QPointF:
    """How far the fingers moved what lies under them."""
    pixels = event.pixelDelta()
    return QPointF(event.angleDelta()) * _PX_PER_ANGLE if pixels.isNull() else QPointF(pixels)
