"""A list whose rows a painter draws, over a ground that shows the chosen one, and that a screen reader reads as sentences."""

from typing import ClassVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.picture.theme import LIGHT, Theme

ROW = Qt.ItemDataRole.UserRole
"""Where an item has its row."""
Index = QModelIndex | QPersistentModelIndex


class RowPainter(QStyledItemDelegate):
    """Paints a row's ground and line; subclasses have a height and paint what is in the row."""

    row_px: ClassVar[int]
    pad_px: ClassVar[int] = 0  # left and right of what `fill` paints

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self.row_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area, theme = QRectF(option.rect), self.theme  # type: ignore[attr-defined]  # PySide's stubs lack the fields.
        state, font = option.state, QFont(option.font)  # type: ignore[attr-defined]
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.soft if chosen else theme.window))
        if chosen:
            painter.fillRect(QRectF(area.left(), area.top(), 3, area.height()), QColor(theme.accent))
        painter.setPen(QPen(QColor(theme.hairline), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setFont(font)
        self.fill(painter, area.adjusted(self.pad_px, 0, -self.pad_px, 0), font, index.data(ROW), chosen=chosen)
        painter.restore()

    def fill(self, painter: QPainter, area: QRectF, font: QFont, row: object, *, chosen: bool) -> None:
        """Paint what is in a row."""
        raise NotImplementedError


class LinePainter(RowPainter):
    """Rows of one line."""

    row_px, pad_px = 34, 10

    def write(self, painter: QPainter, area: QRectF, text: str, colour: str, *, right: bool = False) -> None:
        """Write a text into an area, cut where it is too long."""
        shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(QColor(colour))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)


class RowList(QListWidget):
    """The list. `painter_` is its painter."""

    def __init__(self, painter: type[RowPainter]) -> None:
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

    def chosen_row(self) -> object:
        """The row that is chosen, None where none is."""
        item = self.currentItem()
        return None if item is None else item.data(ROW)

    def put_row(self, place: int, row: object, told: str) -> None:
        """Put a row in; `told` is the whole of it in words."""
        item = QListWidgetItem()
        item.setData(ROW, row)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, told)
        item.setToolTip(told)
        self.insertItem(place, item)
