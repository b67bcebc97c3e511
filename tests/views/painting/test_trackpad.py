"""Two fingers move, a wheel zooms, and what rolls on does nothing."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.views.painting.canvas import Canvas

_NO, _NOWHERE = Qt.KeyboardModifier.NoModifier, QPoint()


@pytest.fixture
def canvas(qtbot: QtBot) -> Canvas:
    """Forty by forty cells, of which a part is seen."""
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(408, 408)
    made.set_cells(np.zeros((40, 40), np.uint8), "cividis")
    made.show()
    made.setFocus()
    made.view = made.view.zoomed(20, 20, 2.0)
    return made


def _turned(
    canvas: Canvas,
    angle: QPoint,
    pixels: QPoint = _NOWHERE,
    phase: Qt.ScrollPhase = Qt.ScrollPhase.NoScrollPhase,
    modifiers: Qt.KeyboardModifier = _NO,
) -> bool:
    at = QPointF(204, 204)
    event = QWheelEvent(at, canvas.mapToGlobal(at), pixels, angle, Qt.MouseButton.NoButton, modifiers, phase, False)
    QApplication.sendEvent(canvas, event)
    return event.isAccepted()


def test_a_wheel_zooms(canvas: Canvas) -> None:
    """As ever: a mouse has no phases."""
    across = canvas.view.right - canvas.view.left
    _turned(canvas, QPoint(0, 120))
    assert canvas.view.right - canvas.view.left == pytest.approx(across / 1.25)


def test_two_fingers_move(canvas: Canvas) -> None:
    """Twenty pixels are one cell here; nothing is zoomed."""
    before = canvas.view
    assert _turned(canvas, QPoint(0, -80), QPoint(-40, -60), Qt.ScrollPhase.ScrollUpdate)
    assert canvas.view.left - before.left == pytest.approx(2) and canvas.view.top - before.top == pytest.approx(3)
    assert canvas.view.right - canvas.view.left == before.right - before.left


def test_with_ctrl_two_fingers_zoom(canvas: Canvas) -> None:
    """The key that means zooming everywhere."""
    across = canvas.view.right - canvas.view.left
    _turned(canvas, QPoint(0, 120), QPoint(0, 60), Qt.ScrollPhase.ScrollUpdate, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.right - canvas.view.left < across


def test_what_rolls_on_does_nothing(canvas: Canvas) -> None:
    """The fingers have left; a map is no list that goes on rolling."""
    before = canvas.view
    assert _turned(canvas, QPoint(0, -80), QPoint(0, -60), Qt.ScrollPhase.ScrollMomentum)
    assert canvas.view == before


def test_where_all_is_seen_the_page_may_scroll(canvas: Canvas) -> None:
    """There is nowhere to move to."""
    canvas.fit()
    assert not _turned(canvas, QPoint(0, -80), QPoint(0, -60), Qt.ScrollPhase.ScrollUpdate)
    assert canvas.view.is_whole


def test_a_pinch_zooms_where_it_is(canvas: Canvas) -> None:
    """The cell between the fingers stays there."""
    before, at = canvas.view, QPointF(104, 304)
    cell = canvas.cell_at(at)
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        at,
        at,
        canvas.mapToGlobal(at),
        0.25,
        QPointF(),
    )
    QApplication.sendEvent(canvas, event)
    assert canvas.view.right - canvas.view.left == pytest.approx((before.right - before.left) / 1.25)
    assert canvas.cell_at(at) == pytest.approx(cell)
