"""Sliders under the mouse."""

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.views.controls.wheel import FocusedSlider


@pytest.mark.parametrize("x", [9, 100, 210, 291])
def test_the_handle_goes_to_where_it_is_pressed(qtbot: QtBot, x: int) -> None:
    """At once and not by pages, from the left end to the right one."""
    slider = FocusedSlider()
    qtbot.addWidget(slider)
    slider.setRange(0, 50)
    slider.setValue(25)
    slider.resize(300, 20)
    slider.show()
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert slider.value() == pytest.approx(50 * (x - 7) / 286, abs=1.5)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
