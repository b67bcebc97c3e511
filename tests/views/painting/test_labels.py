"""Labels that are drawn once and copied look as if they were drawn there."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.painting.labels import centred_label

TEXT = "我爱北京 library 0.123"


def _drawn(theme: Theme, colour: str, *, copied: bool, ratio: float) -> np.ndarray:
    image = QImage(round(240 * ratio), round(40 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(theme.card))
    font = QFont(QApplication.font())
    font.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)
    with QPainter(image) as painter:
        painter.setBackground(QColor(theme.card))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        if copied:
            centred_label(painter, 120, 20, TEXT, colour)
        else:
            wide, high = np.ceil(metrics.horizontalAdvance(TEXT)) + 1.0, np.ceil(metrics.height())
            left, top = round(120 - wide / 2), round(20 - high / 2)
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(left, top + high / 2 + (metrics.ascent() - metrics.descent()) / 2), TEXT)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., :3]
    return pixels.astype(int)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_a_copied_label_is_no_bolder_than_one_drawn_there(theme: Theme, ratio: float, qtbot: QtBot) -> None:
    """On a transparent ground dark letters came out up to a fifth bolder, light ones thinner."""
    for colour in (theme.text, theme.faint):
        there, copied = (_drawn(theme, colour, copied=each, ratio=ratio) for each in (False, True))
        ground = QColor(theme.card).getRgb()[2::-1]
        ink, ink_copied = (np.abs(each - ground).sum() for each in (there, copied))
        assert ink_copied == pytest.approx(ink, rel=0.02) and ink > 10_000
        if ratio.is_integer():  # else a copy stands on whole pixels, and what is drawn there does not
            assert np.abs(there - copied).max() <= 5


def test_labels_that_overlap_erase_nothing(qtbot: QtBot) -> None:
    """They are drawn for their ground and hold the letters alone."""
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        painter.setBackground(QColor("white"))
        painter.setFont(QApplication.font())
        centred_label(painter, 30, 20, "一", "#000000")
        before = image.copy()
        centred_label(painter, 30, 27, " ", "#000000")
    assert image == before
