"""The steering page: a vector made of two sets of sentences, added to the stream of a layer as many times as a slider says."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.findings import why_not_made
from explorer.picture.makers.steering import chosen_tap, direction_map, found_steering, steered_rewording, told_lengths
from explorer.state.change_intents import ReplaceChange
from explorer.state.experiment_intents import SetSteering
from explorer.state.look import Look, sides_of
from explorer.state.suggested_sentences import with_suggested
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.trace.found.experiments import STEERING, UNCHANGED
from explorer.trace.found.steering import Steering
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import LayerBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.sampling import SamplingRow
from explorer.views.controls.segments import Segments
from explorer.views.controls.sentence import SentencesEdit
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.rewording import RewordingView

_FACTORS = [round(0.1 * tick, 1) for tick in range(-50, 51)]
_SLIDER_PX = 160
_WORDS_PX = 152  # px of the card with both translations, with each word's Δ log p below them once something is steered


class SteeringPage(Page):
    """Two boxes of sentences, the layer, the slider; beside them the translation before and after, below where tokens point.

    Decision: the slider is a handle of a Change of the kind "add" in the list of changes. Rejected: a state of its own, which
    undo, files and the strip of changes would have to learn.
    """

    key = "steering"
    sweeps = True
    least_px = 600
    experiments = frozenset({STEERING.key, UNCHANGED.key})

    def __init__(self) -> None:
        super().__init__()
        self.toward, self.away = SentencesEdit(), SentencesEdit()
        for box, suggested in zip((self.toward, self.away), with_suggested((), ()), strict=True):
            box.offer(suggested)
        self.toward.edited.connect(self._typed_toward)
        self.away.edited.connect(self._typed_away)
        self.toward_label, self.away_label, self.lengths, self.why = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self.toward_label, self.away_label, self.lengths, self.why):
            label.setObjectName("faint")
        self.lengths.setWordWrap(True)
        self.why.setWordWrap(True)
        self.why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.side, self.layer = Segments(), LayerBox()
        self.side.chose.connect(self._chose_side)
        self.layer.chose.connect(self._chose_layer)
        self.factor = SamplingRow("factor", _FACTORS, None, 1, start=0.0)
        self.factor.setMinimumWidth(_SLIDER_PX)
        self.factor.turned.connect(self._turned)
        self.words_card = self.card(RewordingView(), steered_rewording)
        self.words_card.setMinimumHeight(_WORDS_PX)
        directions = HeatmapView()
        directions.follows = False  # Its cells are cosines and no weights.
        self.directions = self.card(directions, direction_map)
        self.directions.note_beside = True
        self.found: Steering | None = None
        self._look = Look()
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        sets = QGridLayout()
        sets.setHorizontalSpacing(10)
        sets.setVerticalSpacing(4)
        for place, (label, box) in enumerate(((self.toward_label, self.toward), (self.away_label, self.away))):
            sets.addWidget(label, 0, place)
            sets.addWidget(box, 1, place)
            sets.setColumnStretch(place, 1)
            label.setBuddy(box)
            label.setWordWrap(True)
        row = filled(QHBoxLayout(), self.side, self.layer, (self.factor, 1), gap_px=10)
        column = column_in(self.scrolled())
        column.addLayout(beside((filled(QVBoxLayout(), sets, row, self.lengths, None), 1), (self.words_card, 1)))
        column.addWidget(self.why)
        column.addWidget(self.directions, 6)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        why, found, self._look = why_not_made(trace, words, "steering"), found_steering(trace), look.fitted(trace)
        if found is not None or why or not (self.found is not None and self.found.fits(trace)):
            self.found = found  # A quick answer brings none: then the slider goes on with the last one.
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.directions.setVisible(not why)
        self.factor.setEnabled(not why)
        self.side.offer({key: words(f"side.{key}") for key in sides_of(trace)}, self._look.side)
        self.layer.offer(trace.card.side(self._look.side).n_layers, self._look.layer, words)
        self._show_factor(words)
        super().draw(trace, look, words)

    def _show_factor(self, words: Words) -> None:
        """Show the factor of the change in the list, and how long the vector is; or that other sentences made that change."""
        change = self._steering()
        if self.found is None:
            self.lengths.setText("")
            return
        self.factor.put(round(self.found.factor(change), 2) if change is not None and change.on else 0.0)
        foreign = change is not None and not self.found.is_own(change)
        told = told_lengths(self.found, chosen_tap(self.found, self._look), words)
        self.lengths.setText(words("steering.other_sentences") if foreign else told)

    def _steering(self) -> Change | None:
        """The change in the list that the slider turns."""
        return None if self.found is None or self._wish is None else self.found.steered_by(self._wish.changes)

    def put(self, wish: Wish) -> None:
        self._wish = wish
        self.toward.put(wish.toward)
        self.away.put(wish.away)
        self._name_sets()

    def _name_sets(self) -> None:
        """Say of each box what it is for, and whether its sentences are the suggested ones."""
        if self._words is None:
            return
        boxes = {"toward": (self.toward_label, self.toward), "away": (self.away_label, self.away)}
        for name, (label, box) in boxes.items():
            label.setText(self._words(f"steering.{name}" if box.sentences() else f"steering.{name}_suggested"))

    def speak(self, words: Words) -> None:
        super().speak(words)
        self._words = words
        self._name_sets()
        self.toward.setAccessibleName(words("steering.toward"))
        self.away.setAccessibleName(words("steering.away"))
        self.side.setAccessibleName(words("steering.side"))
        self.factor.speak(words)
        name_px = self.factor.name.fontMetrics().horizontalAdvance(self.factor.name.text()) + 2
        self.factor.lay_out(narrow=True, name_px=name_px)

    def _typed_toward(self, sentences: tuple[str, ...]) -> None:
        self.wished.emit(SetSteering(toward=sentences))

    def _typed_away(self, sentences: tuple[str, ...]) -> None:
        self.wished.emit(SetSteering(away=sentences))

    def _turned(self, _field: str, factor: float) -> None:
        if self.found is not None:
            self.wished.emit(ReplaceChange(self._steering(), self.found.change(chosen_tap(self.found, self._look), factor)))

    def _chose_side(self, side: str) -> None:
        self.look_at(side=side)
        self._move(side, self._look.layer)

    def _chose_layer(self, layer: int) -> None:
        self.look_at(layer=layer)
        self._move(self._look.side, layer)

    def _move(self, side: str, layer: int) -> None:
        """Let the change go along to another stream, with the same factor."""
        change = self._steering()
        if self.found is not None and change is not None and change.on and self.found.is_own(change):
            tap = chosen_tap(self.found, Look(side=side, layer=layer))
            self.wished.emit(ReplaceChange(change, self.found.change(tap, self.found.factor(change))))


PAGE = SteeringPage
