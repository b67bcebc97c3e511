"""A row of the list of changes: its switch and name, and below them what it does before anybody switches it on.

Its strip has a cell for each word, coloured by Δ log p; hairlines stand for what is still computed.
"""

from html import escape

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from explorer.lang import Words
from explorer.picture.layout.rewording import SCALE_NAT
from explorer.picture.outcome import Mark, Outcome
from explorer.picture.scales import LEVELS, Scale, indices
from explorer.picture.theme import LIGHT, Theme
from explorer.views.controls.check_box import Switch
from explorer.views.painting.paint import colour_image
from explorer.views.painting.style import set_style_property

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


TOOL_PX = 20  # the column of buttons at the right, which rows without buttons leave free


class OutcomeRow(QWidget):
    """The base of the rows. A screen reader reads the Outcome at its switch, which takes the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("changerow")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.switch, self.name, self.strip = Switch(), QLabel(), OutcomeStrip()
        self.said, self.hit = QLabel(), QLabel()
        self.name.setObjectName("changename")
        self.said.setObjectName("faint")
        self.hit.setObjectName("shape")
        self.said.setTextFormat(Qt.TextFormat.RichText)
        self.hit.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.name, self.said):
            label.setWordWrap(True)
        self.hit.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(4, 3, 0, 3)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(1)
        top, right = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignRight
        self.grid.addWidget(self.switch, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        self.grid.addWidget(self.name, 0, 1)
        self.grid.addWidget(self.strip, 0, 2, Qt.AlignmentFlag.AlignVCenter)
        self.grid.addWidget(self.said, 1, 1, top)
        self.grid.addWidget(self.hit, 1, 2, top | right)
        self.grid.setColumnMinimumWidth(3, TOOL_PX)
        self.grid.setColumnStretch(1, 1)
        self.outcome: Outcome | None = None
        self.theme: Theme = LIGHT
        self.colours = LIGHT.signed_colours
        self.show_outcome(Outcome())

    def dress(self, theme: Theme, colours: str) -> None:
        """Take the colours of a theme, and those of signed data."""
        if (theme, colours) != (self.theme, self.colours):
            self.theme, self.colours = theme, colours
            self.show_outcome(self.outcome or Outcome())

    def put_row(self, name: str, *, on: bool, about: str = "") -> None:
        """Show a name and whether it is on."""
        with QSignalBlocker(self.switch):
            self.switch.setChecked(on)
        for part in (self, self.name):
            set_style_property(part, "on", on)
        self.name.setText(name)
        self.name.setToolTip(about)
        self.switch.setAccessibleName(name)

    def put_outcome(self, outcome: Outcome | None, words: Words) -> None:
        """Show what the row does; None where nothing is found out about it."""
        if outcome != self.outcome:
            self.outcome = outcome
            self.show_outcome(outcome or Outcome())
        self.switch.setAccessibleDescription("" if outcome is None else outcome.told(words))

    def show_outcome(self, outcome: Outcome) -> None:
        """Write the translation, its differences in the accent colour, and paint the cells."""
        self.said.setText("".join(map(self._marked, outcome.runs)) or ("…" if outcome.pending else escape(outcome.lacks)))
        self.hit.setText(outcome.hit)
        set_style_property(self.hit, "none", outcome.none)
        self.strip.put(outcome, self.theme, self.colours)
        for part in (self.said, self.hit, self.strip):
            part.setVisible(self.outcome is not None)

    def _marked(self, run: tuple[str, Mark]) -> str:
        text, mark = escape(run[0]), run[1]
        kind = {"": "span", "new": "b", "gone": "s"}[mark]
        return f'<{kind} style="color:{self.theme.accent}">{text}</{kind}>' if mark else text
