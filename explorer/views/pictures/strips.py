"""Draws Strips: several maps of tokens and features side by side; a row is the same token in all of them."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from explorer.lang import Words
from explorer.picture.cell_text import cell, changeable, told_reach
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Heatmap, Strips
from explorer.picture.scales import GAP, indices
from explorer.state.offers import ChangePlace
from explorer.views.painting.labels import advance, right_label, widest
from explorer.views.painting.paint import elided, label_step
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.walked_canvas import WalkedCanvas
from explorer.views.pictures.map_legends import has_unknown, paint_unknown

_MOST_LABEL = 72.0
_HEAD, _FOOT = 25.0, 20.0
_LINE = 19.0  # px, the height of a further line of a band's title
_MOST_LINES = 2  # lines of a band's title
_TITLE_FLAGS = Qt.AlignmentFlag.AlignBottom.value | Qt.AlignmentFlag.AlignLeft.value | Qt.TextFlag.TextWordWrap.value


class StripsView(WalkedCanvas):
    """Shows Strips, with the bands' names above and their ranges below."""

    def __init__(self) -> None:
        super().__init__()
        self.paired = True
        self.picture: Strips | None = None
        self._pitch = 1
        self._unknown = False  # whether a cell is not a number

    def draw(self, picture: Strips, words: Words) -> None:
        self.picture, self.words = picture, words
        self._unknown = any(has_unknown(band) for band in picture.bands)
        n_rows, n_columns = picture.bands[0].values.shape
        gap = max(1, n_columns // 16)
        self._pitch = n_columns + gap
        if any(band.levels is not None for band in picture.bands):
            self.set_size(n_rows, self._pitch * len(picture.bands) - gap)
        else:
            self.set_cells(self._cells(picture, n_rows, n_columns, gap), picture.bands[0].scale.colours)
        self.tell_reader(in_words(picture, words))

    def _cells(self, picture: Strips, n_rows: int, n_columns: int, gap: int) -> NDArray[np.uint8]:
        """All bands as one array of colour indices [row, column], with gaps between them."""
        index = np.full((n_rows, self._pitch * len(picture.bands) - gap), GAP, np.uint8)
        for place, band in enumerate(picture.bands):
            index[:, place * self._pitch : place * self._pitch + n_columns] = indices(band.values, band.scale, band.closed)
        return index

    def paint_cells(self, painter: QPainter, field: QRectF) -> None:
        for place, band in enumerate(self.picture.bands if self.picture is not None else ()):
            if band.levels is not None:
                self.paint_part(painter, band.levels, band.scale, left=place * self._pitch)
        super().paint_cells(painter, field)

    def margins(self) -> tuple[float, float, float, float]:
        if self.picture is None:
            return 4, 4, 4, 4
        font, labels = self.font(), self.picture.bands[0].rows.labels
        left = 10 + min(_MOST_LABEL * self.letters, max((advance(font, label) for label in widest(labels)), default=0.0))
        head, foot = _HEAD + _LINE * (self._title_lines(left) - 1), _FOOT + (_LINE if self._unknown else 0.0)
        return left, head * self.letters, 4, foot * self.letters

    def _title_lines(self, left: float) -> int:
        """The number of lines that the longest title of a band needs."""
        assert self.picture is not None  # Callers have a picture.
        bands, font = self.picture.bands, self.font()
        room = (self.width() - left - 4) / len(bands) - 8
        fits = all(advance(font, band.caption.title) <= room for band in bands)
        return 1 if fits or room <= 0 else _MOST_LINES

    def describe(self, row: int, column: int) -> Pointed:
        if self.picture is None or self.words is None:
            return NOTHING
        place, feature = divmod(column, self._pitch)
        band = self.picture.bands[place]
        if feature >= band.values.shape[1]:
            return NOTHING
        told = cell(band, row, feature, self.words)
        lit = frozenset({band.rows.spot(row)}) if band.rows.side else frozenset()
        return Pointed(told if band.caption.tap else f"{band.caption.title}: {told}", lit)

    def place_to_change(self, row: int, column: int) -> ChangePlace | None:
        place, feature = divmod(column, self._pitch)
        if self.picture is None or place >= len(self.picture.bands):
            return None
        band = self.picture.bands[place]
        return changeable(band, row, feature) if feature < band.values.shape[1] else None

    def paint_over(self, painter: QPainter, field: QRectF) -> None:
        if self.picture is None:
            return
        painter.setPen(QPen(QColor(self.theme.accent), 1.5))
        for row in self.picture.bands[0].rows.indices(self.lit, self.view.rows):
            painter.drawRect(self.cell_rect(row, 0, 1, self.view.columns))

    def paint_around(self, painter: QPainter, field: QRectF) -> None:
        if self.picture is None:
            return
        self._row_labels(painter, field, self.picture.bands[0])
        metrics = QFontMetricsF(painter.font())
        for place, band in enumerate(self.picture.bands):
            box = self.cell_rect(0, place * self._pitch, 1, band.values.shape[1]).intersected(
                QRectF(field.left(), -1e6, field.width(), 2e6)
            )
            if box.width() < 24:
                continue
            painter.setPen(QColor(self.theme.text))
            head = QRectF(box.left(), 0, box.width() + 6, field.top() - 3)
            painter.drawText(head, _TITLE_FLAGS, band.caption.title)
            painter.setPen(QColor(self.theme.faint))
            reach = "" if self.words is None else told_reach(band.scale, self.words)
            painter.drawText(QPointF(box.left(), field.bottom() + 14 * self.letters), elided(metrics, reach, box.width() + 6))
        if self._unknown and self.words is not None:
            below = QPointF(field.left(), field.bottom() + _FOOT * self.letters + 1)
            paint_unknown(painter, below, self.width(), self.words("legend.nan"), self.theme)

    def _row_labels(self, painter: QPainter, field: QRectF, band: Heatmap) -> None:
        metrics = QFontMetricsF(painter.font())
        labels = band.rows.labels
        first, last = int(self.view.top), min(len(labels), int(self.view.bottom + 0.999))
        for row in range(first, last, label_step(last - first, field.height(), metrics.ascent())):
            middle = self.cell_rect(row, 0).center().y()
            if not field.top() <= middle <= field.bottom():
                continue
            colour = self.theme.accent if band.rows.spot(row) in self.lit else self.theme.text
            right_label(painter, field.left() - 6, middle, labels[row], colour, _MOST_LABEL * self.letters)
