"""A combo box never cuts a letter in half."""

import pytest
from pytestqt.qtbot import QtBot

from explorer.views.controls.choice_box import ChoiceBox


@pytest.mark.parametrize(("width_px", "whole"), [(60, False), (90, False), (400, True)])
def test_a_text_without_room_ends_in_an_ellipsis(width_px: int, whole: bool, qtbot: QtBot) -> None:
    """And is painted so; with room it is whole."""
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItems(["编码器-解码器 encoder-decoder", "short"])
    box.resize(width_px, 24)
    box.show()
    assert (box.shown() == box.currentText()) == whole
    assert whole or (box.shown().endswith("…") and box.currentText().startswith(box.shown()[:-1]))
    long = box.grab().toImage()
    box.setCurrentIndex(1)
    assert box.grab().toImage() != long
