"""Boxes for numbers in which 0.5 is a half, in every locale and on every keyboard.

With a German locale Qt takes the point for a thousands separator and reads 0.5 as 5; an Arabic locale has other digits.
"""

import unicodedata

from PySide6.QtCore import QLocale
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_POINTS = str.maketrans(dict.fromkeys(",，。．、٫", "."))
_MINUS = str.maketrans(dict.fromkeys("−－–", "-"))


def plain_figures(text: str) -> str:
    """The typed text with Latin digits and a decimal point, of the same length: "０，５" and "٠٫٥" become "0.5"."""
    figures = "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text)
    return figures.translate(_POINTS).translate(_MINUS)


class NumberBox(QDoubleSpinBox):
    """A box for a number, in any digits. The wheel turns it only while it has the focus, and scrolls what it stands on else."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> float:
        return super().valueFromText(plain_figures(text))

    def fixup(self, text: str) -> str:
        return super().fixup(plain_figures(text))


class WholeNumberBox(QSpinBox):
    """A box for a whole number, in any digits."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> int:
        return super().valueFromText(plain_figures(text))
