"""The rows of a search for sentences that a change breaks: the sentence, both translations, and the score as a bar."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from explorer.picture.cell_text import told_difference
from explorer.picture.outcome import Runs, runs
from explorer.trace.found.sentence_breaks import Break
from explorer.views.controls.row_list import ROW, RowList, RowPainter

_PAD_PX, _BAR_PX, _NUMBER_PX = 10, 96, 44
_SOURCE_SHARE = 0.32  # of the width that the sentence takes


class FoundRows(RowList):
    """The finds, the one with the highest score first."""

    painter_: "_Painter"

    def __init__(self) -> None:
        super().__init__(_Painter)
        self.setObjectName("found")

    def found(self) -> list[Break]:
        """All finds from top to bottom."""
        return [self.item(row).data(ROW) for row in range(self.count())]

    def add(self, one: Break, told: str) -> None:
        """Put a find in its place; `told` is the whole of it in words."""
        self.put_row(sum(other.score >= one.score for other in self.found()), one, told)
        self.painter_.most = max(other.score for other in self.found())
        self.viewport().update()

    def chosen(self) -> Break | None:
        """The find that is chosen."""
        found = self.chosen_row()
        return found if isinstance(found, Break) else None


class _Painter(RowPainter):
    """Paints a row. The bar's whole length is the highest score."""

    row_px = 46
    most = 0.0

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, Break)  # `FoundRows.add` puts it in.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = area.left() + _PAD_PX + _SOURCE_SHARE * area.width()
        right = area.right() - _PAD_PX - _NUMBER_PX - _BAR_PX - _PAD_PX
        self._line(painter, font, ((row.source, ""),), area.left() + _PAD_PX, left - _PAD_PX, area.center().y() + 5, chosen)
        self._line(painter, font, runs(row.after, row.before), left, right, area.top() + 19, None)
        self._line(painter, font, runs(row.before, row.after), left, right, area.top() + 38, False)
        self._score(painter, font, row, area)

    def _score(self, painter: QPainter, font: QFont, one: Break, area: QRectF) -> None:
        share = max(0.0, one.score / self.most) if self.most > 0 else 0.0
        end = area.right() - _PAD_PX - _NUMBER_PX
        bar = QRectF(end - share * _BAR_PX, area.center().y() - 5, share * _BAR_PX, 10)
        painter.fillRect(bar, QColor(self.theme.grey))
        painter.setFont(font)
        painter.setPen(QColor(self.theme.text))
        number = QRectF(end, area.top(), _NUMBER_PX, area.height())
        told = told_difference(one.score).removesuffix("0").removeprefix("+")
        painter.drawText(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, told)

    def _line(
        self, painter: QPainter, font: QFont, told: Runs, left: float, right: float, baseline: float, bold: bool | None
    ) -> None:
        """Write runs up to `right`. Those that differ have the accent: bold, or underlined where `bold` is None."""
        x = left
        for text, mark in told:
            own = QFont(font)
            own.setBold(bool(bold) or (mark == "new" and bold is not None))
            metrics = QFontMetricsF(own)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, right - x))
            painter.setFont(own)
            painter.setPen(QColor(self.theme.accent if mark and bold is not None else self._ink(bold)))
            painter.drawText(round(x), round(baseline), shown)
            wide = metrics.horizontalAdvance(shown)
            if mark and bold is None:
                blank = metrics.horizontalAdvance(shown[: len(shown) - len(shown.lstrip())])
                painter.fillRect(QRectF(x + blank, baseline + 2.5, wide - blank, 1.2), QColor(self.theme.accent))
            x += wide
            if shown != text:
                return

    def _ink(self, bold: bool | None) -> str:
        return self.theme.faint if bold is None else self.theme.text
