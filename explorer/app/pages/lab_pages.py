"""The laboratories: positions, one attention step by step, masks, norms and residuals."""

import attrs
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from explorer.app.pages.card import Card, Maker
from explorer.app.pages.page import Page
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.kinds import Heatmap, Picture
from explorer.picture.look import ATTENTIONS, Look, attentions
from explorer.picture.makers.attention import head_map, mask_map
from explorer.picture.makers.attention_steps import (
    STEPS,
    first_operand,
    head_split,
    operands,
    result,
    second_operand,
    why_divide,
)
from explorer.picture.makers.embedding import position_map, similarity_map
from explorer.picture.makers.layers import dead_units, depth_gradients, depth_lengths, norms, stream
from explorer.picture.makers.masks_lab import batch_map, leak_map
from explorer.picture.makers.positions import waves
from explorer.picture.makers.positions_lab import against_distance, rotation_map, swap_strips, variants_strips, with_nearest
from explorer.trace.trace import Trace
from explorer.views.controls.segments import Segments
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView
from explorer.views.pictures.waves import WavesView

_SHIFTS = (1, 2, 3, 5, 8, 13, 21, 32)
_SENTENCES = 3  # of a batch are shown


def _row(*cards: tuple[QWidget, int]) -> QHBoxLayout:
    layout = QHBoxLayout()
    layout.setSpacing(8)
    for card, share in cards:
        layout.addWidget(card, share)
    return layout


def _column(within: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(within)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(8)
    return layout


class PositionPage(Page):
    """Waves, all kinds beside each other, likeness against distance, M(k), and two words exchanged."""

    def __init__(self) -> None:
        super().__init__("position")
        self.experiments = frozenset({"variants", "swap"})
        first = self.card(WavesView(), waves)
        first.bar.insertWidget(2, self.choice("side"))
        rotation = self.card(HeatmapView(), rotation_map)
        self.shift = QComboBox()
        self.shift.addItems([f"k = {k}" for k in _SHIFTS])
        self.shift.currentIndexChanged.connect(self._shifted)
        rotation.bar.insertWidget(2, self.shift)
        column = _column(self.scrolled(1180))
        column.addLayout(_row((first, 3), (self.card(WavesView(), against_distance), 2)), 5)
        column.addLayout(
            _row((self.card(HeatmapView(), _nearest), 3), (self.card(HeatmapView(), similarity_map), 2), (rotation, 3)), 6
        )
        column.addWidget(self.card(StripsView(), variants_strips), 6)
        column.addLayout(_row((self.card(StripsView(), swap_strips), 5), (self.explain(), 2)), 5)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.shift.setAccessibleName(words("positions.shift"))

    def _shifted(self, place: int) -> None:
        self.looked.emit({"shift": _SHIFTS[place]})


def _nearest(trace: Trace, look: Look, words: Words) -> Picture:
    return with_nearest(position_map(trace, look, words), trace, look, words)


class StepperPage(Page):
    """One step of one head: what goes in, what comes out, every cell written out on hover. Left and right go on."""

    def __init__(self) -> None:
        super().__init__("stepper")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.steps = Segments()
        self.steps.chose.connect(self._chose_step)
        self._look = Look()
        self.where = self.choice("attention")
        self.first = self.card(HeatmapView(), first_operand)
        self.second = self.card(HeatmapView(), second_operand)
        self.result = self.card(HeatmapView(), result)
        self.heads = Segments()
        self.heads.chose.connect(self._chose_head)
        bar, below = QHBoxLayout(), QHBoxLayout()
        bar.addWidget(self.steps)
        bar.addStretch(1)
        for widget in (self.where, self.heads):
            below.addWidget(widget)
        below.addStretch(1)
        column = _column(self.scrolled(700))
        column.addLayout(bar)
        column.addLayout(below)
        column.addLayout(_row((self.first, 1), (self.second, 1), (self.result, 1)), 6)
        column.addLayout(
            _row((self.card(StripsView(), head_split), 4), (self.card(BarsView(), why_divide), 3), (self.explain(), 3)), 4
        )

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._look = look
        self.steps.offer({key: words(f"steps.{key}") for key in STEPS}, look.part)
        shown = min(trace.card.side(look.attention).n_heads, 8)
        self.heads.offer({str(head): f"H{head}" for head in range(shown)}, str(look.head))
        self.second.setVisible(bool(operands(look.part)[1]))
        super().draw(trace, look, words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        place = min(max(STEPS.index(self._look.part) + step, 0), len(STEPS) - 1)
        self._chose_step(STEPS[place])

    def _chose_step(self, key: str) -> None:
        self.looked.emit({"part": key})

    def _chose_head(self, key: str) -> None:
        self.looked.emit({"head": int(key)})


class MasksPage(Page):
    """The mask of every attention, what the chosen one does to a head's scores, what leaks, and a batch with padding."""

    def __init__(self) -> None:
        super().__init__("masks")
        self.experiments = frozenset({"leak", "batch"})
        self._masks: dict[str, Card] = {}
        above, below, batch = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for layout in (above, below, batch):
            layout.setSpacing(8)
        for attention in ATTENTIONS:
            self._masks[attention] = self.card(HeatmapView(bar=False), _mask_of(attention))
            above.addWidget(self._masks[attention], 1)
        for place, stage in enumerate(("scaled", "masked", "weights")):
            made = self.card(HeatmapView(), _at_stage(stage))
            below.addWidget(made, 1)
            if place == 0:
                made.bar.insertWidget(2, self.choice("attention"))
        self.leak = self.card(HeatmapView(), leak_map)
        batch.addWidget(self.leak, 1)
        self.sentences = [self.card(HeatmapView(bar=False), _sentence(row)) for row in range(_SENTENCES)]
        for card in self.sentences:
            batch.addWidget(card, 1)
        self.edit, self.label = QLineEdit(), QLabel()
        self.label.setObjectName("faint")
        self.edit.editingFinished.connect(self._batched)
        line = QHBoxLayout()
        line.addWidget(self.label)
        line.addWidget(self.edit, 1)
        column = _column(self.scrolled(1080))
        column.addLayout(above, 4)
        column.addLayout(below, 4)
        column.addLayout(line)
        column.addLayout(batch, 4)
        column.addWidget(self.explain(), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for attention, card in self._masks.items():
            card.setVisible(attention in attentions(trace))
        found = trace.experiments.get("batch")
        for row, card in enumerate(self.sentences):
            card.setVisible(found is not None and row < len(getattr(found, "tokens", ())))
        super().draw(trace, look, words)

    def put(self, request: Request) -> None:
        if not self.edit.hasFocus():
            self.edit.setText(" / ".join(request.batch))

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.label.setText(words("batch.others"))
        self.edit.setPlaceholderText(words("batch.hint"))
        self.edit.setAccessibleName(words("batch.others"))

    def _batched(self) -> None:
        self.batched.emit(tuple(text.strip() for text in self.edit.text().split("/") if text.strip()))


def _mask_of(attention: str) -> Maker:
    """The mask of this attention, whichever is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Picture:
        return mask_map(trace, attrs.evolve(look, attention=attention), words)

    return make


def _at_stage(stage: str) -> Maker:
    """The chosen head at this stage, whatever stage is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Picture:
        return head_map(trace, attrs.evolve(look, stage=stage), words)

    return make


def _sentence(row: int) -> Maker:
    """One sentence of the batch."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return batch_map(trace, look, words, row)

    return make


class LayersPage(Page):
    """Norms and residuals of one layer, and what becomes of vectors and gradients through all of them."""

    def __init__(self) -> None:
        super().__init__("layers")
        self.experiments = frozenset({"depth", "copies"})
        self.layer = QComboBox()
        self.layer.currentIndexChanged.connect(self._chose_layer)
        residual = self.card(StripsView(), stream)
        residual.bar.insertWidget(2, self.choice("side"))
        residual.bar.insertWidget(3, self.layer)
        column = _column(self.scrolled(900))
        column.addWidget(residual, 5)
        column.addWidget(self.card(StripsView(), norms), 5)
        column.addLayout(
            _row(
                (self.card(WavesView(), depth_lengths), 3),
                (self.card(WavesView(), depth_gradients), 3),
                (self.card(BarsView(), dead_units), 2),
            ),
            5,
        )
        column.addWidget(self.explain(), 3)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        names = [words("picture.layer", layer=layer) for layer in range(trace.card.side(look.side).n_layers)]
        with QSignalBlocker(self.layer):
            if names != [self.layer.itemText(place) for place in range(self.layer.count())]:
                self.layer.clear()
                self.layer.addItems(names)
            self.layer.setCurrentIndex(look.layer)
        super().draw(trace, look, words)

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.layer.setAccessibleName(words("axis.layer"))

    def _chose_layer(self, layer: int) -> None:
        self.looked.emit({"layer": layer})
