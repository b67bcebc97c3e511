"""The two lists of a scan's table: heads with their histogram and mean, and the sentences where a head is highest."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from explorer.lang import Words
from explorer.trace.measures.scan_sums import WHOLE
from explorer.trace.measures.scan_table import Found, HeadRow
from explorer.views.controls.row_list import RowList, RowPainter

_NAME_PX, _NUMBER_PX, _VALUE_PX = 150, 118, 56


class HeadList(RowList):
    """Heads, the one with the highest mean first."""

    def __init__(self) -> None:
        super().__init__(_HeadPainter)

    def put(self, rows: list[HeadRow], words: Words) -> None:
        """Show these heads, and choose the first one."""
        self.clear()
        for row in rows:
            self.put_row(self.count(), (row, told_head(row, words)), told_row(row, words))
        self.setCurrentRow(0)

    def chosen(self) -> HeadRow | None:
        """The head that is chosen."""
        found = self.chosen_row()
        return found[0] if isinstance(found, tuple) else None


class SentenceList(RowList):
    """Sentences, the one with the highest value first."""

    def __init__(self) -> None:
        super().__init__(_SentencePainter)

    def put(self, found: tuple[Found, ...], words: Words) -> None:
        """Show these sentences; none is chosen."""
        self.clear()
        for each in found:
            self.put_row(
                self.count(), each, words("scan.sentence", value=f"{each.value:.3f}", row=f"{each.row + 1:,}", text=each.text)
            )

    def chosen(self) -> Found | None:
        """The sentence that is chosen."""
        found = self.chosen_row()
        return found if isinstance(found, Found) else None


def told_head(row: HeadRow, words: Words) -> str:
    """Attention, layer and head in few words."""
    if row.attention == WHOLE:
        return words("scan.whole")
    return words("scan.head", attention=words(f"attention_short.{row.attention}"), layer=row.layer, head=row.head)


def told_row(row: HeadRow, words: Words) -> str:
    """The whole row in words."""
    if not row.count:
        return words("scan.no_row", head=told_head(row, words))
    mean, deviation = f"{row.mean:.3f}", f"{row.deviation:.3f}"
    return words("scan.row", head=told_head(row, words), mean=mean, deviation=deviation, count=f"{row.count:,}")


class _Painter(RowPainter):
    """Rows of one line."""

    row_px, pad_px = 34, 10

    def _write(self, painter: QPainter, area: QRectF, text: str, colour: str, *, right: bool = False) -> None:
        shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(QColor(colour))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)


class _HeadPainter(_Painter):
    """Name, histogram, mean ± deviation. A histogram's highest bar fills the row."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, tuple)  # `HeadList.put` puts in the head with its name.
        head, name = row
        self._write(painter, QRectF(area.left(), area.top(), _NAME_PX, area.height()), name, self.theme.text)
        numbers = QRectF(area.right() - _NUMBER_PX, area.top(), _NUMBER_PX, area.height())
        told = f"{head.mean:.3f} ± {head.deviation:.3f}" if head.count else "–"
        self._write(painter, numbers, told, self.theme.text, right=True)
        self._bars(
            painter,
            QRectF(area.left() + _NAME_PX, area.top(), area.width() - _NAME_PX - _NUMBER_PX - self.pad_px, area.height()),
            head,
        )

    def _bars(self, painter: QPainter, area: QRectF, head: HeadRow) -> None:
        counts = head.histogram
        if area.width() < len(counts) or not counts.any():
            return
        edges = np.round(area.left() + area.width() * np.arange(len(counts) + 1) / len(counts))
        ground = area.bottom() - 5
        painter.fillRect(QRectF(area.left(), ground, area.width(), 1), QColor(self.theme.hairline))
        height = (area.height() - 11) * counts / counts.max()  # [bin]
        for left, right, own in zip(edges[:-1], edges[1:], height, strict=True):
            if own:
                painter.fillRect(QRectF(left, ground - max(1.0, own), right - left, max(1.0, own)), QColor(self.theme.grey))


class _SentencePainter(_Painter):
    """The value, and the sentence."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        assert isinstance(row, Found)
        self._write(
            painter,
            QRectF(area.left(), area.top(), _VALUE_PX - self.pad_px, area.height()),
            f"{row.value:.3f}",
            self.theme.faint,
        )
        self._write(painter, area.adjusted(_VALUE_PX, 0, 0, 0), row.text, self.theme.text)
