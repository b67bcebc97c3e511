"""Boxes for numbers in which 0.5 is a half, in every locale and on every keyboard.

With a German locale Qt takes the point for a thousands separator and reads 0.5 as 5; an Arabic locale has other digits.
"""

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

from explorer.views.controls.wheel import TurnsInFocus
from explorer.views.painting.style import BOX_EDGE_PX, BOX_PAD_PX

if TYPE_CHECKING:
    _Box = QAbstractSpinBox
else:
    _Box = object  # A class of Qt's has one base of Qt's.
_POINTS = str.maketrans(dict.fromkeys(",，。．、٫", "."))
_MINUS = str.maketrans(dict.fromkeys("−－–", "-"))


def plain_figures(text: str) -> str:
    """The typed text with Latin digits and a decimal point, of the same length: "０，５" and "٠٫٥" become "0.5"."""
    figures = "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text)
    return figures.translate(_POINTS).translate(_MINUS)


class _TextInPlace(_Box):
    """Gives the text the room between the edges, after each event with which Qt gives it another one.

    Qt 6.12 leaves the text of a styled box without buttons a single pixel, and that of one with buttons no edge at the left.
    """

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()

    def _place(self) -> None:
        edit, room = self.lineEdit(), self.rect().adjusted(BOX_EDGE_PX + BOX_PAD_PX, BOX_EDGE_PX, -BOX_EDGE_PX, -BOX_EDGE_PX)
        without = self.buttonSymbols() == QAbstractSpinBox.ButtonSymbols.NoButtons
        room.setRight(room.right() - BOX_PAD_PX if without else edit.geometry().right())
        if edit.geometry() != room:
            edit.setGeometry(room)


class NumberBox(TurnsInFocus, _TextInPlace, QDoubleSpinBox):
    """A box for a number, in any digits. The wheel turns it only while it has the focus, and scrolls what it stands on else.

    A `short` one writes no zeros at the end of decimals.
    """

    def __init__(self, *, short: bool = False) -> None:
        super().__init__()
        self._short = short
        self.setLocale(QLocale.c())

    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        return text.rstrip("0").rstrip(".") if self._short and "." in text else text

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> float:
        return super().valueFromText(plain_figures(text))

    def fixup(self, text: str) -> str:
        return super().fixup(plain_figures(text))


class WholeNumberBox(_TextInPlace, QSpinBox):
    """A box for a whole number, in any digits."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> int:
        return super().valueFromText(plain_figures(text))
