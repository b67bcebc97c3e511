"""The prompts of a result, the highest value at the chosen place first."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter

from explorer.lang import Words
from explorer.views.controls.row_list import ROW, LinePainter, RowList

VALUE_PX = 64
MOST_ROWS = 500
"""More prompts are not listed: a list of ten thousand takes a third of a second at each click."""


@attrs.frozen
class PromptRow:
    """A prompt: its number from 0, its value at the chosen place, the metric of its pass as it is, and its text."""

    number: int
    value: float
    plain: float
    text: str


def told_number(value: float) -> str:
    """A value in few digits; a dash where there is none."""
    told = "–" if not math.isfinite(value) else f"{value:.3f}" if abs(value) < 1000 else f"{value:.3g}"
    return told.replace("-", "\N{MINUS SIGN}")


class PromptList(RowList):
    """Signals: opened(number) on a double click or Enter. `currentItemChanged` tells that another one is chosen."""

    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__(_PromptPainter)

    def put(self, values: NDArray[np.float64], plain: NDArray[np.float32], texts: tuple[str, ...], words: Words) -> None:
        """Show the prompts by their values at a place [prompt]; the chosen one stays chosen, the highest one is at first."""
        chosen = self.chosen()
        order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")[:MOST_ROWS]
        with QSignalBlocker(self):
            self.clear()
            for place, number in enumerate(order.tolist()):
                row = PromptRow(number, float(values[number]), float(plain[number]), texts[number])
                told = words("many.row", number=number + 1, value=told_number(row.value), text=row.text)
                self.put_row(place, row, told)
                if number == chosen:
                    self.setCurrentRow(place)
        if self.currentItem() is None and self.count():
            self.setCurrentRow(0)

    def forget(self) -> None:
        """Show none, and choose none."""
        with QSignalBlocker(self):
            self.clear()

    def chosen(self) -> int:
        """The number of the chosen prompt; -1 where none is."""
        row = self.chosen_row()
        return row.number if isinstance(row, PromptRow) else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen() >= 0:
            self.opened.emit(self.chosen())
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        if item is not None:
            self.opened.emit(item.data(ROW).number)


class _PromptPainter(LinePainter):
    """The value at the chosen place, the text, and the metric of the pass as it is."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, PromptRow)  # `PromptList.put` puts in nothing else.
        value = QRectF(area.left(), area.top(), VALUE_PX - self.pad_px, area.height())
        self.write(painter, value, told_number(row.value), self.theme.text, right=True)
        has_plain = math.isfinite(row.plain)
        self.write(painter, area.adjusted(VALUE_PX, 0, -VALUE_PX if has_plain else 0, 0), row.text, self.theme.text)
        if has_plain:
            plain = QRectF(area.right() - VALUE_PX, area.top(), VALUE_PX, area.height())
            self.write(painter, plain, told_number(row.plain), self.theme.faint, right=True)
