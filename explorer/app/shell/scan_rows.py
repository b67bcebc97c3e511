"""The two lists of a scan's table: heads with their histogram and mean, and the sentences where a head is highest."""

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.lang import Words
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.scan_sums import WHOLE
from explorer.trace.scan_table import Found, HeadRow

_ROW = Qt.ItemDataRole.UserRole
_ROW_PX, _PAD_PX, _NAME_PX, _NUMBER_PX, _VALUE_PX = 34, 10, 150, 118, 56
Index = QModelIndex | QPersistentModelIndex


class _List(QListWidget):
    """Rows that a painter draws, and that a screen reader hears as sentences."""

    def __init__(self, painter: type["_Painter"]) -> None:
        super().__init__()
        self.painter_ = painter(self)
        self.setItemDelegate(self.painter_)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def set_theme(self, theme: Theme) -> None:
        self.painter_.theme = theme
        self.viewport().update()

    def _add(self, row: object, told: str) -> None:
        item = QListWidgetItem()
        item.setData(_ROW, row)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, told)
        item.setToolTip(told)
        self.addItem(item)


class HeadList(_List):
    """Heads, the one with the highest mean first."""

    def __init__(self) -> None:
        super().__init__(_HeadPainter)

    def put(self, rows: list[HeadRow], words: Words) -> None:
        """Show these heads, and choose the first one."""
        self.clear()
        for row in rows:
            self._add((row, told_head(row, words)), told_row(row, words))
        self.setCurrentRow(0)

    def chosen(self) -> HeadRow | None:
        """The head that is chosen."""
        item = self.currentItem()
        row: HeadRow | None = None if item is None else item.data(_ROW)[0]
        return row


class SentenceList(_List):
    """Sentences, the one with the highest value first."""

    def __init__(self) -> None:
        super().__init__(_SentencePainter)

    def put(self, found: tuple[Found, ...], words: Words) -> None:
        """Show these sentences; none is chosen."""
        self.clear()
        for each in found:
            self._add(each, words("scan.sentence", value=f"{each.value:.3f}", row=f"{each.row + 1:,}", text=each.text))

    def chosen(self) -> Found | None:
        """The sentence that is chosen."""
        item = self.currentItem()
        found: Found | None = None if item is None else item.data(_ROW)
        return found


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


class _Painter(QStyledItemDelegate):
    """Paints a row's ground and line; subclasses paint what is in it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area, theme = QRectF(option.rect), self.theme  # type: ignore[attr-defined]  # PySide's stubs lack the fields.
        state = option.state  # type: ignore[attr-defined]
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.soft if chosen else theme.window))
        if chosen:
            painter.fillRect(QRectF(area.left(), area.top(), 3, area.height()), QColor(theme.accent))
        painter.setPen(QPen(QColor(theme.hairline), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setFont(option.font)  # type: ignore[attr-defined]
        self.fill(painter, area.adjusted(_PAD_PX, 0, -_PAD_PX, 0), option.font, index.data(_ROW))  # type: ignore[attr-defined]
        painter.restore()

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object) -> None:
        raise NotImplementedError

    def _write(self, painter: QPainter, area: QRectF, text: str, colour: str, *, right: bool = False) -> None:
        shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(QColor(colour))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)


class _HeadPainter(_Painter):
    """Name, histogram, mean ± deviation. A histogram's highest bar fills the row."""

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object) -> None:
        assert isinstance(row, tuple)  # `HeadList.put` puts in the head with its name.
        head, name = row
        self._write(painter, QRectF(area.left(), area.top(), _NAME_PX, area.height()), name, self.theme.text)
        numbers = QRectF(area.right() - _NUMBER_PX, area.top(), _NUMBER_PX, area.height())
        told = f"{head.mean:.3f} ± {head.deviation:.3f}" if head.count else "–"
        self._write(painter, numbers, told, self.theme.text, right=True)
        self._bars(
            painter,
            QRectF(area.left() + _NAME_PX, area.top(), area.width() - _NAME_PX - _NUMBER_PX - _PAD_PX, area.height()),
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

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object) -> None:
        assert isinstance(row, Found)
        self._write(
            painter, QRectF(area.left(), area.top(), _VALUE_PX - _PAD_PX, area.height()), f"{row.value:.3f}", self.theme.faint
        )
        self._write(painter, area.adjusted(_VALUE_PX, 0, 0, 0), row.text, self.theme.text)
