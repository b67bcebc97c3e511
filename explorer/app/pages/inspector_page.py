"""The inspector page: a table of all taps with their figures, and the chosen tap as a picture."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter

from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.picture.makers.taps import TapList
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.tap_table import TapTableView

_TABLE_PX = 320
_TABLE_WHOLE_PX = 730
_CARD_PX = 280


class InspectorPage(Page):
    """A table at the left, the chosen tap at the right, with a box for its head."""

    key = "inspector"

    def __init__(self) -> None:
        super().__init__()
        self.table = TapTableView()
        self.table.chosen.connect(self._chose_tap)
        self.head = WholeNumberBox()
        self.head.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.head.setMinimumWidth(48)
        self.head.valueChanged.connect(self._chose_head_number)
        self.head_label = QLabel()
        shown = self.card(HeatmapView(), _looked_at)
        shown.bar.insertWidget(2, self.head_label)
        shown.bar.insertWidget(3, self.head)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.table)
        splitter.addWidget(shown)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        self.table.setMinimumWidth(_TABLE_PX)
        shown.setMinimumWidth(_CARD_PX)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        splitter.setSizes([_TABLE_WHOLE_PX, 400])
        layout.addWidget(splitter)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        super().draw(trace, look, words)
        self.table.draw(TapList(trace), words)
        has_heads = trace.axes(look.tap)[0] == "head"
        self.head.setVisible(has_heads)
        self.head_label.setVisible(has_heads)
        self.head_label.setText(words("axis.head"))
        self.head.setAccessibleName(words("axis.head"))
        with QSignalBlocker(self.head):
            self.head.setRange(0, _heads(trace, look) - 1)
            self.head.setValue(look.head)

    def _chose_tap(self, name: str) -> None:
        self.look_at(tap=name)

    def _chose_head_number(self, head: int) -> None:
        self.look_at(head=head)


def _heads(trace: Trace, look: Look) -> int:
    """The number of maps of the chosen tap. Keys and values may have fewer heads than queries."""
    return trace.shape(look.tap)[0] if trace.axes(look.tap)[0] == "head" else 1


def _looked_at(trace: Trace, look: Look, words: Words) -> Heatmap:
    return tap_heatmap(trace, look.tap, look, words, min(look.head, _heads(trace, look) - 1))


PAGE = InspectorPage
