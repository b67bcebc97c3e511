"""The cells of an Outcome: one a word, coloured by Δ log p. Hairlines stand for what is still computed."""

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.picture.layout.rewording import SCALE_NAT
from explorer.picture.outcome import Outcome
from explorer.picture.scales import LEVELS, Scale, indices
from explorer.picture.theme import LIGHT, Theme
from explorer.views.painting.paint import colour_image

WIDE_PX = 105
_CELL_PX, _HIGH_PX, _LEAST_PX = 15, 14, 2.0
_USUAL = 7  # cells of an outcome that nothing is known of yet
_LEGEND_PX = 72


class OutcomeStrip(QWidget):
    """Stands at the right of its place; of a long translation the cells are narrow. It is decoration: the row tells all."""

    def __init__(self) -> None:
        super().__init__()
        self.outcome = Outcome()
        self.theme: Theme = LIGHT
        self.colours = LIGHT.signed_colours
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(WIDE_PX, _HIGH_PX)

    def put(self, outcome: Outcome, theme: Theme, colours: str) -> None:
        """Show the cells of an outcome."""
        self.outcome, self.theme, self.colours = outcome, theme, colours
        self.setToolTip(outcome.each())
        self.update()

    def n_cells(self) -> int:
        """How many cells are shown."""
        return len(self.outcome.words) or (_USUAL if self.outcome.pending else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        n = self.n_cells()
        if not n:
            return
        wide = max(_LEAST_PX, min(_CELL_PX, WIDE_PX / n))
        left = max(0.0, WIDE_PX - n * wide)
        gap = 1.0 if wide >= 4 else 0.0
        places = [QRectF(left + place * wide, 0, wide - gap, _HIGH_PX) for place in range(n)]
        with QPainter(self) as painter:
            if not self.outcome.pending:
                scale = Scale(-SCALE_NAT, SCALE_NAT, self.colours)
                index = indices(np.array([self.outcome.cells], np.float32), scale)  # [1, word]
                for place, level in zip(places, index[0], strict=True):
                    painter.drawImage(place, colour_image(np.array([[level]], np.uint8), self.colours, self.theme))
            if self.outcome.pending or (self.theme.name == "dark" and gap):
                painter.setPen(QPen(QColor(self.theme.hairline), 1))
                for place in places:
                    painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))


class OutcomeLegend(QWidget):
    """The fixed scale of all strips: its colours between its two ends."""

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.colours = LIGHT.signed_colours
        self.setFixedSize(_LEGEND_PX, 10)

    def dress(self, theme: Theme, colours: str) -> None:
        """Take the colours of a theme, and those of signed data."""
        self.theme, self.colours = theme, colours
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            index = np.arange(LEVELS, dtype=np.uint8)[None]  # [1, level]
            painter.drawImage(QRectF(self.rect()), colour_image(index, self.colours, self.theme))
