"""Draws Strips: several maps of tokens and features side by side; a row is the same token in all of them."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from explorer.lang import Words
from explorer.picture.cell_text import cell, changeable
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Strips
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.strips import draw_beside_strips, draw_over_strips, pitch_of, strip_margins, widest
from explorer.picture.layout.viewport import CellField
from explorer.picture.scales import GAP, indices
from explorer.state.offers import ChangePlace
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.walked_canvas import WalkedCanvas


class StripsView(WalkedCanvas):
    """Shows Strips, with the bands' names above and their ranges below."""

    def __init__(self) -> None:
        super().__init__()
        self.paired = True
        self.picture: Strips | None = None
        self._pitch = 1

    def draw(self, picture: Strips, words: Words) -> None:
        self.picture, self.words = picture, words
        self._pitch = pitch_of(picture)
        n_rows, n_columns = len(picture.bands[0].values), widest(picture)
        across = self._pitch * (len(picture.bands) - 1) + n_columns
        if any(band.levels is not None for band in picture.bands):
            self.set_size(n_rows, across)
        else:
            self.set_cells(self._cells(picture, n_rows, across), picture.bands[0].scale.colours)
        self.tell_reader(in_words(picture, words))

    def _cells(self, picture: Strips, n_rows: int, across: int) -> NDArray[np.uint8]:
        """All bands as one array of colour indices [row, column], with gaps between them."""
        index = np.full((n_rows, across), GAP, np.uint8)
        for place, band in enumerate(picture.bands):
            left = place * self._pitch
            index[:, left : left + band.values.shape[1]] = indices(band.values, band.scale, band.closed)
        return index

    def paint_cells(self, painter: QPainter, field: QRectF) -> None:
        for place, band in enumerate(self.picture.bands if self.picture is not None else ()):
            if band.levels is not None:
                self.paint_part(painter, band.levels, band.scale, left=place * self._pitch)
        super().paint_cells(painter, field)

    def margins(self) -> tuple[float, float, float, float]:
        if self.picture is None:
            return 4, 4, 4, 4
        return strip_margins(self.picture, self.width(), self.letter_px, self.letters, self.measure)

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

    def draw_over(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None:
            draw_over_strips(sketch, self.picture, field, self.lit)

    def draw_around(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None and self.words is not None:
            letters = self.letter_px, self.letters
            draw_beside_strips(sketch, self.picture, self.words, field, self.width(), *letters, self.lit)
