"""The rows of a search for sentences that a change breaks: the sentence, both translations, and the score as a bar."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from explorer.picture.layout.rewording import told_difference
from explorer.picture.outcome import Runs, runs
from explorer.picture.theme import LIGHT, Theme
from explorer.trace.sentence_breaks import Break

_ROW_PX, _PAD_PX, _BAR_PX, _NUMBER_PX = 46, 10, 96, 44
_SOURCE_SHARE = 0.32  # of the width that the sentence takes
_BREAK = Qt.ItemDataRole.UserRole


class FoundRows(QListWidget):
    """The finds, the one with the highest score first. A screen reader hears a row as one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("found")
        self.painter_ = _Painter(self)
        self.setItemDelegate(self.painter_)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def found(self) -> list[Break]:
        """All finds from top to bottom."""
        return [self.item(row).data(_BREAK) for row in range(self.count())]

    def add(self, one: Break, told: str) -> None:
        """Put a find in its place; `told` is the whole of it in words."""
        place = sum(other.score >= one.score for other in self.found())
        item = QListWidgetItem()
        item.setData(_BREAK, one)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, told)
        item.setToolTip(told)
        self.insertItem(place, item)
        self.painter_.most = max(other.score for other in self.found())
        self.viewport().update()

    def chosen(self) -> Break | None:
        """The find that is chosen."""
        item = self.currentItem()
        one: Break | None = None if item is None else item.data(_BREAK)
        return one

    def set_theme(self, theme: Theme) -> None:
        self.painter_.theme = theme
        self.viewport().update()


class _Painter(QStyledItemDelegate):
    """Paints a row. The bar's whole length is the highest score."""

    def __init__(self, parent: FoundRows) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.most = 0.0

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        one: Break = index.data(_BREAK)
        area, theme = QRectF(option.rect), self.theme  # type: ignore[attr-defined]  # PySide's stubs lack the fields.
        state = option.state  # type: ignore[attr-defined]
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(theme.soft if chosen else theme.window))
        if chosen:
            painter.fillRect(QRectF(area.left(), area.top(), 3, area.height()), QColor(theme.accent))
        painter.setPen(QPen(QColor(theme.hairline), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        source_px = _SOURCE_SHARE * area.width()
        left = area.left() + _PAD_PX + source_px
        right = area.right() - _PAD_PX - _NUMBER_PX - _BAR_PX - _PAD_PX
        font = QFont(option.font)  # type: ignore[attr-defined]
        self._line(painter, font, ((one.source, ""),), area.left() + _PAD_PX, left - _PAD_PX, area.center().y() + 5, chosen)
        self._line(painter, font, runs(one.after, one.before), left, right, area.top() + 19, None)
        self._line(painter, font, runs(one.before, one.after), left, right, area.top() + 38, False)
        self._score(painter, font, one, area)
        painter.restore()

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
