"""The inspector page: a table of all taps with their figures, the chosen tap as a picture, and another pass beside it."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, MeasureTaps
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.compare import place_difference
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.picture.makers.taps import tap_list
from explorer.picture.theme import Theme
from explorer.state.look import Look
from explorer.trace.measures.tap_figures import MeasuredTaps, TapFigures, agree, grouped
from explorer.trace.trace import Trace
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.tap_table import TapTableView

_TABLE_PX = 320
_TABLE_WHOLE_PX = 794
_CARD_PX = 280


class InspectorPage(Page):
    """A table at the left, the chosen tap at the right, with a box for its head.

    Where a state was put aside, the table says how far each tap is from its, and below the tap stands the difference.
    """

    key = "inspector"

    def __init__(self) -> None:
        super().__init__()
        self.table = TapTableView()
        self.table.chosen.connect(self.sets("tap"))
        self.table.lacks.connect(self._measure)
        self._trace: Trace | None = None  # the pass whose figures are in the table
        self._words: Words | None = None
        self._asked = MeasureTaps()
        self.head = WholeNumberBox()
        self.head.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.head.setMinimumWidth(48)
        self.head.valueChanged.connect(self.sets("head"))
        self.head_label = QLabel()
        shown = self.card(HeatmapView(), _looked_at)
        self.difference = self.card(HeatmapView(), _difference, page="compare")
        self.difference.hide()  # Nothing is compared before there is a pass.
        shown.bar.insertWidget(2, self.head_label)
        shown.bar.insertWidget(3, self.head)
        maps = QWidget()
        filled(QVBoxLayout(maps), (shown, 1), (self.difference, 1), margins_px=(0, 0, 0, 0))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.table)
        splitter.addWidget(maps)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        self.table.setMinimumWidth(_TABLE_PX)
        maps.setMinimumWidth(_CARD_PX)
        layout = QHBoxLayout(self.scrolled())
        layout.setContentsMargins(8, 8, 8, 8)
        splitter.setSizes([_TABLE_WHOLE_PX, 400])
        layout.addWidget(splitter)

    def forget(self) -> None:
        self._trace = None
        if self._asked.n_pieces:
            self._send(MeasureTaps())  # What is measured holds a whole pass.

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self.difference.setVisible(agree(trace, look.tap))
        super().draw(trace, look, words)
        if trace is not self._trace or words is not self._words:  # A Look changes no figure.
            if self._asked.n_pieces:
                self._send(MeasureTaps())  # The figures of the pass before are not wanted any more.
            self._trace, self._words = trace, words
            self.table.draw(tap_list(trace), words)
        has_heads = trace.axes(look.tap)[0] == "head"
        self.head.setVisible(has_heads)
        self.head_label.setVisible(has_heads)
        self.head_label.setText(words("axis.head"))
        self.head.setAccessibleName(words("axis.head"))
        with QSignalBlocker(self.head):
            self.head.setRange(0, _heads(trace, look) - 1)
            self.head.setValue(look.head)

    def bring(self, brought: Brought) -> None:
        if brought.errand is not self._asked:
            return
        if isinstance(brought.found, MeasuredTaps):
            self.table.tell(brought.found.figures)
        elif isinstance(brought.found, ExplorerError):  # Its figures will not come.
            self.table.tell(dict.fromkeys(self._asked.groups[brought.number], TapFigures(None)))
        if brought.number + 1 == self._asked.n_pieces:
            self._send(MeasureTaps())  # What was measured holds a whole pass, which the thread need not keep.

    @property
    def awaits(self) -> bool:
        return self.table.awaits

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.table.set_theme(theme)

    def _measure(self, names: tuple[str, ...]) -> None:
        """Have these taps of the pass in the table measured."""
        if self._trace is not None:
            self._send(MeasureTaps(trace=self._trace, groups=grouped(self._trace, names)))

    def _send(self, errand: MeasureTaps) -> None:
        self._asked = errand
        self.sent.emit(errand)


def _heads(trace: Trace, look: Look) -> int:
    """The number of maps of the chosen tap. Keys and values may have fewer heads than queries."""
    return trace.shape(look.tap)[0] if trace.axes(look.tap)[0] == "head" else 1


def _looked_at(trace: Trace, look: Look, words: Words) -> Heatmap:
    return tap_heatmap(trace, look.tap, look, words, min(look.head, _heads(trace, look) - 1))


def _difference(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    return place_difference(trace, look, words, min(look.head, _heads(trace, look) - 1))


PAGE = InspectorPage
