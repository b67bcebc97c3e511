"""A half is a half, whatever the keyboard writes for a point."""

import pytest
from PySide6.QtCore import QEvent, QLocale, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.picture.theme import DARK, LIGHT
from explorer.views.controls.number_box import NumberBox, WholeNumberBox, plain_figures
from explorer.views.painting.style import use_theme


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("0.5", "0.5"),
        ("0,5", "0.5"),
        ("0，5", "0.5"),
        ("0。5", "0.5"),
        ("０．５", "0.5"),
        ("٠٫٥", "0.5"),
        ("−1", "-1"),
        ("", ""),
        ("off", "off"),
    ],
)
def test_figures_are_latin_with_a_point(typed: str, plain: str) -> None:
    """Letter by letter: the caret stays where it is."""
    assert plain_figures(typed) == plain and len(plain) == len(typed)


@pytest.mark.parametrize("locale", ["de_DE", "ar_EG", "fr_FR", "en_US"])
def test_a_number_is_typed_and_shown_alike_in_every_locale(locale: str, qtbot: QtBot) -> None:
    """Its own locale wins over the program's and the system's."""
    before = QLocale()
    QLocale.setDefault(QLocale(locale))
    try:
        box, whole = NumberBox(), WholeNumberBox()
        for each in (box, whole):
            qtbot.addWidget(each)
            each.setMaximum(5000)
            each.lineEdit().selectAll()
        qtbot.keyClicks(box, "0.5")
        qtbot.keyClick(box, Qt.Key.Key_Return)
        for letter in "２56":  # QTest types ASCII alone
            QApplication.sendEvent(whole.lineEdit(), QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter))
        qtbot.keyClick(whole, Qt.Key.Key_Return)
        assert (box.value(), box.text(), whole.value(), whole.text()) == (0.5, "0.50", 256, "256")
        whole.setValue(4096)
        assert whole.text() == "4096"
    finally:
        QLocale.setDefault(before)


@pytest.mark.parametrize("kind", [NumberBox, WholeNumberBox])
def test_the_text_has_the_room_between_the_edges(kind: type[NumberBox], qtbot: QtBot, qapp: QApplication) -> None:
    """At first, in another size and in another theme. Qt 6.12 by itself leaves it a single pixel where there are no buttons."""
    before = qapp.palette()
    try:
        use_theme(qapp, LIGHT)
        box = kind()
        qtbot.addWidget(box)
        box.setButtonSymbols(kind.ButtonSymbols.NoButtons)
        box.resize(90, 26)
        box.show()
        assert box.lineEdit().geometry() == QRect(5, 1, 80, 24)
        box.resize(160, 32)
        assert box.lineEdit().geometry() == QRect(5, 1, 150, 30)
        use_theme(qapp, DARK)
        assert box.lineEdit().geometry() == QRect(5, 1, 150, 30)
        box.lineEdit().setGeometry(0, 1, 1, 30)  # so that it can fail: this is what Qt 6.12 does
        box.resize(161, 32)
        assert box.lineEdit().geometry() == QRect(5, 1, 151, 30)
        box.setButtonSymbols(kind.ButtonSymbols.UpDownArrows)
        box.resize(160, 32)
        assert box.lineEdit().x() == 5 and 120 < box.lineEdit().width() < 150
    finally:
        qapp.setStyleSheet("")
        qapp.setPalette(before)
