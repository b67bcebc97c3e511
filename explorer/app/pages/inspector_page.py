"""The inspector page: a table of all taps with their figures, the chosen tap as a picture, and another pass beside it.

The same table lists the parameters of the model, and the circuits of its heads.
"""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from explorer.app.pages.page import Page
from explorer.app.pages.parameters_part import ParametersPart
from explorer.engine.errand import Brought, MeasureTaps
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.compare import place_difference
from explorer.picture.makers.gradients import gradient_map, words_to_ask
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.picture.makers.taps import TapList, tap_list
from explorer.picture.theme import Theme
from explorer.state.experiment_intents import SetTaps
from explorer.state.focus import NOWHERE, Focus
from explorer.state.look import TENSORS, Look
from explorer.state.wish import Wish
from explorer.trace.found.experiments import GRADIENTS, ZEROED
from explorer.trace.found.parameters import ParameterList
from explorer.trace.measures.tap_figures import MeasuredTaps, TapFigures, agree, grouped
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import PlaceBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.controls.segments import Segments
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.tap_table import TapTableView

_TABLE_PX = 320
_TABLE_WHOLE_PX = 794
_CARD_PX = 360
_OF_GRADIENTS = frozenset({GRADIENTS.key, ZEROED.key})
_LEAST_HIGH_PX = 160  # px of the table and of the cards where they stand below each other


class InspectorPage(Page):
    """A table at the left, the chosen tap at the right, or below the table where this has no room for its columns.

    Where a state was put aside, the table says how far each tap is from its, and below the tap stands the difference.
    """

    key = "inspector"

    def __init__(self) -> None:
        super().__init__()
        self.table = TapTableView()
        self.table.chosen.connect(self._chose)
        self.table.lacks.connect(self._measure)
        self.table.filtered.connect(self._count)
        self.lists = Segments()
        self.lists.chose.connect(self.sets("tensors"))
        self.gradients = PlaceBox()
        self.gradients.name_key = "gradients.choice"
        self.gradients.chose.connect(self._chose_gradients)
        self.record_only, self.record_all = QPushButton(), QPushButton()
        for button in (self.record_only, self.record_all):
            button.setObjectName("slim")
        self.record_only.clicked.connect(self._record_only)
        self.record_all.clicked.connect(lambda: self.wished.emit(SetTaps(())))
        self._look = Look()
        self._trace: Trace | None = None  # the pass whose figures are in the table
        self._words: Words | None = None
        self._listed: ParameterList | None = None  # the parameters in the table
        self._asked = MeasureTaps()
        self._recorded: tuple[str, ...] = ()  # the names by which few taps are recorded; () for all
        self.head = WholeNumberBox()
        self.head.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.head.setMinimumWidth(48)
        self.head.valueChanged.connect(self.sets("head"))
        self.head_label = QLabel()
        shown = self.card(HeatmapView(), _looked_at)
        self.difference = self.card(HeatmapView(), _difference, page="compare")
        self.difference.hide()  # Nothing is compared before there is a pass.
        self.slopes = self.card(HeatmapView(), gradient_map)
        self.slopes.hide()  # Nobody has asked for gradients.
        self.shown = shown
        shown.bar.insertWidget(2, self.head_label)
        shown.bar.insertWidget(3, self.head)
        maps = QWidget()
        self.part = ParametersPart(self)
        self.part.sent.connect(self.sent)
        self.part.changed.connect(self._draw_again)
        self.part.measured.connect(self.table.tell)
        self.without = QLabel()
        self.without.setObjectName("faint")
        self.without.setWordWrap(True)
        part = self.part
        cards = (shown, 1), (self.slopes, 1), (self.difference, 1), (part.map, 5), part.reading, (part.curve, 3)
        self._maps = filled(QVBoxLayout(maps), *cards, margins_px=(0, 0, 0, 0))
        tables = QWidget()
        self.choose_above(self.record_all, self.record_only, self.table.filter, self.gradients, self.lists)
        filled(QVBoxLayout(tables), self.without, (self.table, 1), gap_px=6, margins_px=(0, 0, 0, 0))
        splitter = self._splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(tables)
        splitter.addWidget(maps)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        tables.setMinimumSize(_TABLE_PX, _LEAST_HIGH_PX)
        maps.setMinimumSize(_CARD_PX, _LEAST_HIGH_PX)
        layout = QHBoxLayout(self.scrolled())
        layout.setContentsMargins(8, 8, 8, 8)
        splitter.setSizes([_TABLE_WHOLE_PX, 400])
        layout.addWidget(splitter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards beside the table, or beside each other below it, so that no column of the table is out of sight."""
        super().resizeEvent(event)
        beside = self.width() >= _TABLE_WHOLE_PX + _CARD_PX
        way = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if self._splitter.orientation() != way:
            self._splitter.setOrientation(way)
            self._splitter.setStretchFactor(0, 0 if beside else 1)
            self._splitter.setSizes([_TABLE_WHOLE_PX, _CARD_PX] if beside else [self.height()] * 2)
            self._maps.setDirection(QVBoxLayout.Direction.TopToBottom if beside else QVBoxLayout.Direction.LeftToRight)

    def forget(self) -> None:
        self._trace = None
        self.part.forget()
        if self._asked.n_pieces:
            self._send(MeasureTaps())  # What is measured holds a whole pass.

    def put(self, wish: Wish) -> None:
        self.part.put(wish)
        self._recorded = wish.taps
        self._count()

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        of_pass = look.tensors == "taps"
        other = (look.tensors, look.gradients) != (self._look.tensors, self._look.gradients)
        self._look = look
        self.part.look_into(trace)
        self.part.draw(look, words)
        self.shown.setVisible(of_pass)
        self.slopes.setVisible(of_pass and bool(look.gradients) and trace.whole)
        self.difference.setVisible(of_pass and agree(trace, look.tap))
        self._offer_gradients(trace, look, words)
        super().draw(trace, look, words)
        is_new = trace is not self._trace or words is not self._words
        if is_new and self._asked.n_pieces:
            self._send(MeasureTaps())  # The figures of the pass before are not wanted any more.
        self._trace, self._words = trace, words
        if is_new or other:  # Another Look changes no figure.
            self._list()
        in_list = self.part.shown(look)
        self.table.mark(look.tap if of_pass else in_list[0].name if in_list else "")
        has_heads = of_pass and trace.axes(look.tap)[0] == "head"
        self.head.setVisible(has_heads)
        self.head_label.setVisible(has_heads)
        self.head_label.setText(words("axis.head"))
        self.head.setAccessibleName(words("axis.head"))
        with QSignalBlocker(self.head):
            self.head.setRange(0, _heads(trace, look) - 1)
            self.head.setValue(look.head)

    def _draw_again(self) -> None:
        """Show what was found out about the parameters."""
        if self._trace is None or self._words is None:
            return
        if self.part.found is not self._listed:
            self._list()
        self.draw(self._trace, self._look, self._words)

    def _rows(self, tensors: str) -> TapList:
        """What the table lists of the pass on screen."""
        assert self._trace is not None  # Callers have one.
        if tensors == "taps":
            return tap_list(self._trace, gradients=bool(self._look.gradients))
        return self.part.rows("circuits" if tensors == "circuits" else "parameters")

    def _list(self) -> None:
        """Fill the table, and say where circuits are missing why that is so."""
        assert self._words is not None  # There is a pass.
        self._listed = self.part.found
        self.table.draw(self._rows(self._look.tensors), self._words)
        without = "" if self._listed is None or self._look.tensors != "circuits" else self._listed.without
        self.without.setText(self._words(without) if without else "")
        self.without.setVisible(bool(without))
        self._count()

    def _count(self) -> None:
        """Say beside each list how many of its names the filter finds."""
        if self._trace is None or self._words is None:
            return
        counts = {tensors: self.table.n_found(self._rows(tensors).names) for tensors in TENSORS}
        words, text = self._words, self.table.filter.text()
        fewer = 0 < counts["taps"] < len(self._trace)
        self.record_only.setText(words("inspector.record_only", count=counts["taps"]))
        self.record_only.setVisible(self._look.tensors == "taps" and bool(text) and fewer and "*" not in text)
        self.record_all.setText(words("inspector.record_all"))
        self.record_all.setVisible(bool(self._recorded))
        self.lists.setAccessibleName(words("inspector.lists"))
        self.lists.offer({key: words(f"inspector.list.{key}", count=counts[key]) for key in TENSORS}, self._look.tensors)

    def _offer_gradients(self, trace: Trace, look: Look, words: Words) -> None:
        """Offer the gradients of each word, and ask for the chosen ones."""
        texts = words_to_ask(trace)
        at = min(max(look.position, 0), len(texts) - 1)
        place = {"target": 1, "word": 2 + at}.get(look.gradients, 0) if texts else (1 if look.gradients else 0)
        named = [words("gradients.of", word=f"{number} {text}") for number, text in enumerate(texts)]
        self.gradients.put([words("gradients.none"), words("gradients.of", word=words("gradients.target")), *named], place)
        self.gradients.speak(words)
        self.gradients.setToolTip(words("gradients.choice"))
        self.gradients.setVisible(look.tensors == "taps" and trace.whole)  # Of a long text they are not computed.
        asks = look.tensors == "taps" and bool(look.gradients) and trace.whole
        focus = Focus(position=at if look.gradients == "word" and texts else -1, tap=look.tap)
        self.look_into(_OF_GRADIENTS if asks else frozenset(), focus if asks else NOWHERE)

    def _chose_gradients(self, place: int) -> None:
        if place < 2:
            self.look_at(gradients=("", "target")[max(place, 0)])
        else:
            self.look_at(gradients="word", position=place - 2)

    def _record_only(self) -> None:
        self.wished.emit(SetTaps((f"*{self.table.filter.text()}*",)))
        self.table.filter.clear()

    def _chose(self, name: str) -> None:
        self.look_at(**{"tap" if self._look.tensors == "taps" else "parameter": name})

    def _broken(self, trace: Trace, words: Words) -> str:
        return super()._broken(trace, words) if self._look.tensors == "taps" else self.part.broken(self._look, words)

    def let_go(self) -> bool:
        return self.part.give_up()

    def bring(self, brought: Brought) -> None:
        self.part.bring(brought)
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
        return self.table.awaits or self.part.awaits

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.table.set_theme(theme)

    def _measure(self, names: tuple[str, ...]) -> None:
        """Have these taps or parameters in the table measured."""
        if self._look.tensors != "taps":
            self.part.measure(names)
        elif self._trace is not None:
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
