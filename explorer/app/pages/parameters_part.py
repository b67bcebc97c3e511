"""The parameters of the model behind the pass, on the page of tensors: their list, and one of them as a map and a histogram.

Decision: what is read belongs to the page and comes as an errand behind the frames. Rejected: an experiment of the answer,
since each further parameter would then ask for a whole pass, which takes minutes with a large model.
"""

from collections.abc import Iterable

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel

from explorer.app.pages.page import Page
from explorer.engine.errand import Brought, Errand, ListParameters, MeasureParameters, ReadParameter
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.kinds import Heatmap, Waves
from explorer.picture.makers.parameters import default_parameter, parameter_histogram, parameter_map, parameter_rows
from explorer.picture.makers.taps import TapList
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.found.parameters import Kind, Parameter, ParameterList, ParameterNumbers
from explorer.trace.measures.tap_figures import MeasuredTaps, TapFigures
from explorer.trace.trace import Trace
from explorer.views.controls.number_box import WholeNumberBox
from explorer.views.controls.progress_row import ProgressRow
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.waves import WavesView

_CURVE_PX = 190
_FEW_PIECES = 2  # of a reading that is over at once


class ParametersPart(QObject):
    """Two cards, the box that chooses a head or another matrix, and the progress of reading with the button that cancels it.

    `found` is the list of the model behind the pass on screen; None until it is known, or where `refused` says why it is not.
    Signals: sent(Errand); changed() when list or cards are to be drawn; measured(figures by name).
    """

    sent = Signal(object)
    changed = Signal()
    measured = Signal(object)

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.found: ParameterList | None = None
        self.refused: ExplorerError | None = None
        self._wish: Wish | None = None
        self._listed: Wish | None = None  # the one whose model is listed
        self._trace: Trace | None = None  # the pass whose model is listed
        self._read: ParameterNumbers | None = None
        self._listing, self._measuring, self._reading = ListParameters(), MeasureParameters(), ReadParameter()
        self._done = 0  # pieces of the reading
        self._shown: tuple[Parameter, int] | None = None
        self._given_up: tuple[Parameter, int] | None = None
        self.map = page.card(HeatmapView(), self._map, title="parameters.title")
        self.curve = page.card(WavesView(), self._curve, title="parameters.histogram")
        for card in (self.map, self.curve):
            card.hide()  # Nothing is listed before there is a pass.
        self.curve.setMinimumHeight(_CURVE_PX)
        self.box_label, self.box = QLabel(), WholeNumberBox()
        self.box.setButtonSymbols(WholeNumberBox.ButtonSymbols.NoButtons)
        self.box.setMinimumWidth(48)
        self.box.valueChanged.connect(self._chose)
        self._look_at = page.look_at
        self._field = "head"
        self.map.bar.insertWidget(2, self.box_label)
        self.map.bar.insertWidget(3, self.box)
        self.box_label.hide()
        self.box.hide()
        self.reading = ProgressRow()
        self.progress, self.button = self.reading.progress, self.reading.button
        self.button.clicked.connect(self._cancel_or_read)

    # What is asked for

    def put(self, wish: Wish) -> None:
        """Take the Wish whose pass comes next."""
        self._wish = wish

    def look_into(self, trace: Trace) -> None:
        """List the parameters of the model behind this pass, unless they are listed."""
        if trace is self._trace or self._wish is None:
            return
        self._given_up = None if self.refused else self._given_up  # What was cancelled stays so.
        self._trace, self._read, self.refused = trace, None, None
        self._end(self._reading, self._measuring)
        self._listed = self._wish
        self._listing = ListParameters(wish=self._listed)
        self.sent.emit(self._listing)

    def measure(self, names: Iterable[str]) -> None:
        """Have the figures of these parameters found out."""
        if self.found is None or self._listing.n_pieces:
            return
        known = {each.name: each for each in self.found.parameters}
        wanted = tuple(known[name] for name in names if name in known)
        self._measuring = MeasureParameters(wish=self._listed, parameters=wanted)
        self.sent.emit(self._measuring)

    def forget(self) -> None:
        """Ask for nothing further, and list everything anew with the next pass."""
        self._trace, self._read = None, None
        self._end(self._listing, self._reading, self._measuring)

    def give_up(self) -> bool:
        """Cancel the reading of a matrix that takes long; False where none does."""
        if self.reading.isHidden() or not self._reading.n_pieces:
            return False
        self._give_up()
        self.changed.emit()
        return True

    def _give_up(self) -> None:
        """Read the matrix that is under way no further, until somebody asks for it anew."""
        assert self._reading.parameter is not None  # The callers have looked.
        self._given_up = self._reading.parameter, self._reading.number
        self._end(self._reading)

    def _cancel_or_read(self) -> None:
        if not self.give_up():
            self._given_up, self.refused = None, None
            self.changed.emit()

    def bring(self, brought: Brought) -> None:
        """Take what an errand has found out."""
        errand, found = brought.errand, brought.found
        if errand is self._listing:
            self._listing = ListParameters()
            self.found = found if isinstance(found, ParameterList) else None
            self.refused = found if isinstance(found, ExplorerError) else None
            self.changed.emit()
        elif errand is self._measuring:
            name = self._measuring.parameters[brought.number].name
            self.measured.emit(found.figures if isinstance(found, MeasuredTaps) else {name: TapFigures(None)})
        elif errand is self._reading:
            self._take(brought, found)

    def _take(self, brought: Brought, found: object) -> None:
        self._done = brought.number + 1
        if isinstance(found, ParameterNumbers):
            self._read, self._reading = found, ReadParameter()
        elif isinstance(found, ExplorerError):
            self.refused = found
            self._give_up()  # It would be refused again.
        self._show_progress()
        if found is not None:
            self.changed.emit()

    def _show_progress(self) -> None:
        """Show how far the reading is where it takes long, or offer to read what was given up."""
        n, given_up = self._reading.n_pieces, self._shown is not None and self._shown == self._given_up
        self.reading.tell(self._done, n, going=not given_up)
        self.reading.setVisible(given_up or (self._shown is not None and n > _FEW_PIECES and self._done > 0))

    def _end(self, *errands: Errand) -> None:
        """End these errands, as far as they are under way."""
        for errand in errands:
            if errand.n_pieces:
                self.sent.emit(type(errand)())
        self._listing = ListParameters() if self._listing in errands else self._listing
        self._reading = ReadParameter() if self._reading in errands else self._reading
        self._measuring = MeasureParameters() if self._measuring in errands else self._measuring
        self._show_progress()

    # What is shown

    @property
    def awaits(self) -> bool:
        """Whether the list or a matrix is still to come."""
        return bool(self._listing.n_pieces or self._reading.n_pieces)

    def rows(self, kind: Kind) -> TapList:
        """The table of a kind; an empty one until it is known."""
        return parameter_rows(self.found or ParameterList(()), kind)

    def shown(self, look: Look) -> tuple[Parameter, int] | None:
        """The parameter or circuit that a Look means in the present list, and which of its matrices; None if there is none."""
        if self.found is None or look.tensors == "taps":
            return None
        kind: Kind = "circuits" if look.tensors == "circuits" else "parameters"
        named = next((each for each in self.found.of(kind) if each.name == look.parameter), None)
        found = named or default_parameter(self.found, kind, look)
        if found is None:
            return None
        return found, min(look.head if kind == "circuits" else look.matrix, found.n_matrices - 1)

    def draw(self, look: Look, words: Words) -> None:
        """Show the cards of a parameter, and read it unless it is there."""
        shown = self._shown = self.shown(look)
        on = look.tensors != "taps" and (shown is not None or self.found is None)
        self.map.setVisible(on)
        self.curve.setVisible(on)
        several = shown is not None and shown[0].n_matrices > 1
        self.box.setVisible(several)
        self.box_label.setVisible(several)
        if shown is None:
            self._show_progress()
            return
        parameter, which = shown
        self._field = "head" if parameter.kind == "circuits" else "matrix"
        self.box_label.setText(words(f"axis.{parameter.axes[0]}"))
        self.box.setAccessibleName(words(f"axis.{parameter.axes[0]}"))
        with QSignalBlocker(self.box):
            self.box.setRange(0, parameter.n_matrices - 1)
            self.box.setValue(which)
        self._want(parameter, which)
        self.button.setText(words("parameters.read" if shown == self._given_up else "parameters.cancel"))
        self._show_progress()

    def broken(self, look: Look, words: Words) -> str:
        """Why there is no picture and none comes; "" where there is one, or one is to come."""
        if self.refused is not None:
            return words.error(self.refused)
        return words("parameters.cancelled") if self._given_up and self.shown(look) == self._given_up else ""

    def _want(self, parameter: Parameter, which: int) -> None:
        """Read a matrix unless it is there, under way, or was given up."""
        under_way = (self._reading.parameter, self._reading.number) == (parameter, which)
        if self._listing.n_pieces or under_way or self._has(parameter, which) or (parameter, which) == self._given_up:
            return
        self._given_up, self.refused = None, None
        self._end(self._reading)
        self._reading, self._done = ReadParameter(wish=self._listed, parameter=parameter, number=which), 0
        self.sent.emit(self._reading)

    def _has(self, parameter: Parameter, which: int) -> bool:
        return self._read is not None and (self._read.parameter, self._read.number) == (parameter, which)

    def _chose(self, which: int) -> None:
        self._look_at(**{self._field: which})

    def _map(self, _trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return None if self._read is None or not self._fits(look) else parameter_map(self._read, look, words)

    def _curve(self, _trace: Trace, look: Look, words: Words) -> Waves | None:
        return None if self._read is None or not self._fits(look) else parameter_histogram(self._read, words)

    def _fits(self, look: Look) -> bool:
        shown = self.shown(look)
        return shown is not None and self._has(*shown)
