"""Boxes for numbers: 0.5 is a half in every locale and on every keyboard.

A German locale reads the point as one between thousands and makes 5 of 0.5, an Arabic one shows other figures.
"""

import unicodedata

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_POINTS = str.maketrans(dict.fromkeys(",，。．、٫", "."))
_MINUS = str.maketrans(dict.fromkeys("−－–", "-"))


def plain_figures(text: str) -> str:
    """What was typed in Latin figures, with a point: "０，５" and "٠٫٥" are "0.5". As long as before."""
    figures = "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text)
    return figures.translate(_POINTS).translate(_MINUS)


class NumberBox(QDoubleSpinBox):
    """A box for a number."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> float:
        return super().valueFromText(plain_figures(text))

    def fixup(self, text: str) -> str:
        return super().fixup(plain_figures(text))


class WholeNumberBox(QSpinBox):
    """A box for a whole number."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())

    def validate(self, text: str, place: int) -> object:
        return super().validate(plain_figures(text), place)

    def valueFromText(self, text: str) -> int:
        return super().valueFromText(plain_figures(text))
