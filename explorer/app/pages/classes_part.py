"""What a classifier says: the classes of the text, or of each token with those of the chosen one."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.classes import TOP, class_bars, class_map, class_row
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView

_NUMBERS = 4  # rows of bars that have the height of a map with one row
_STEPS_PX = 124  # px, the height of title, note, chips, bars and their figures
_LEAST_PX = 420  # px, with room for ten classes below the row of tokens
_ROW_PX, _AROUND_PX = 26, 84  # px, the height of a bar, and of title, note and margins
_COLUMN_PX, _BESIDE_PX = 120, 160  # px, the width of a number, and of what stands beside the numbers
_MOST_PX = 16_777_215  # px, no limit: QWIDGETSIZE_MAX


class ClassesPart(QWidget):
    """Bars of a text; of tokens a row of them, the bars of the chosen one, and a map of all; of mere numbers the map alone."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        steps, numbers = TimelineView(), HeatmapView()
        numbers.follows = False  # Its cells are no weights.
        steps.stepped.connect(lambda place: page.look_at(position=place))
        self.steps = page.card(steps, class_row)
        self.steps.fix_height(_STEPS_PX)
        self.bars = page.card(BarsView(), class_bars)
        self.map = page.card(numbers, class_map)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.bars, 4)
        row.addWidget(self.map, 7)
        row.addStretch(0)  # takes what a narrow map leaves
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.steps)
        column.addLayout(row, 1)

    def draw(self, trace: Trace, _look: Look, _words: Words) -> None:
        """Show the cards that this classifier has; the page draws them."""
        head = trace.card.classes
        assert head is not None  # The page shows this part of classifiers alone.
        self.steps.setVisible(head.of == "tokens")
        self.bars.setVisible(head.by != "number")
        self.map.setVisible(head.of == "tokens" or head.by == "number")
        # A text has one row: cards with a few bars are no higher than these, and a few numbers no wider than they need.
        count = min(len(head.labels), TOP)
        rows = _NUMBERS if head.by == "number" else count
        self.map.setMaximumWidth(_MOST_PX if head.of == "tokens" else _BESIDE_PX + count * _COLUMN_PX)
        self.setMinimumHeight(_LEAST_PX if head.of == "tokens" else min(_LEAST_PX, _AROUND_PX + rows * _ROW_PX))
        self.setMaximumHeight(_MOST_PX if head.of == "tokens" else _AROUND_PX + rows * _ROW_PX)
