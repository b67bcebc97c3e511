"""The masks page."""

import attrs
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from explorer.app.pages.break_button import BreakingPage
from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.prepared import Maker
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.attention import mask_map
from explorer.picture.makers.masks_lab import batch_map, leak_map
from explorer.picture.makers.pooled import at_stages, heads_map
from explorer.state.experiment_intents import SetBatch
from explorer.state.look import ATTENTIONS, Look, attentions
from explorer.state.wish import Wish
from explorer.trace.found.experiments import BATCH, LEAK
from explorer.trace.trace import Trace
from explorer.views.controls.flow import flowing
from explorer.views.controls.layouts import filled
from explorer.views.pictures.heatmap import HeatmapView

_SENTENCES = 3  # sentences of a batch that are shown


class MasksPage(BreakingPage):
    """The mask of every attention, a head's scores before and behind the mask, the leak test, and a batch with padding."""

    key = "masks"
    breaks = "causal_mask"
    least_px = 1140
    shows_masks = True
    experiments = frozenset({LEAK.key, BATCH.key})

    def __init__(self) -> None:
        super().__init__()
        self._masks = {each: self.card(HeatmapView(bar=False), _mask_of(each)) for each in ATTENTIONS}
        stages = [self.card(HeatmapView(), _at_stage(stage)) for stage in ("scaled", "masked", "weights")]
        choices = flowing(self.choice("attention"), self.pool_box(at_stages))
        self.leak = self.card(HeatmapView(), leak_map)
        self.sentences = [self.card(HeatmapView(bar=False), _sentence(row)) for row in range(_SENTENCES)]
        self.edit, self.label = QLineEdit(), QLabel()
        self.label.setObjectName("faint")
        self.edit.editingFinished.connect(self._batched)
        batch = QWidget()
        filled(QHBoxLayout(batch), self.label, (self.edit, 1), margins_px=(0, 0, 0, 0))
        column = column_in(self.scrolled())
        column.addLayout(beside(*((card, 1) for card in self._masks.values())), 3)  # Cells that say yes or no need less room.
        column.addWidget(choices)
        column.addLayout(beside(*((card, 1) for card in stages)), 4)
        column.addWidget(batch)
        self.leak.bar.insertWidget(2, self.find_button)
        self.of_our_own = [self.leak, batch]
        column.addLayout(beside(*((card, 1) for card in (self.leak, *self.sentences))), 4)
        column.addWidget(self.explain(hug=True), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        for attention, card in self._masks.items():
            card.setVisible(attention in attentions(trace))
        found = trace.experiments.get(BATCH.key)
        for row, card in enumerate(self.sentences):
            card.setVisible(found is not None and row < len(getattr(found, "tokens", ())))
        super().draw(trace, look, words)

    def put(self, wish: Wish) -> None:
        super().put(wish)
        if not self.edit.hasFocus():
            self.edit.setText(" / ".join(wish.batch))

    def speak(self, words: Words) -> None:
        super().speak(words)
        self.label.setText(words("batch.others"))
        self.edit.setPlaceholderText(words("batch.hint"))
        self.edit.setAccessibleName(words("batch.others"))

    def _batched(self) -> None:
        self.wished.emit(SetBatch(tuple(text.strip() for text in self.edit.text().split("/") if text.strip())))


def _mask_of(attention: str) -> Maker[Heatmap]:
    """A maker of this attention's mask, whichever attention is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap:
        return mask_map(trace, attrs.evolve(look, attention=attention), words)

    return make


def _at_stage(stage: str) -> Maker[Heatmap]:
    """A maker of the chosen head, or of several as one, at this stage, whichever stage is chosen."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap:
        return heads_map(trace, attrs.evolve(at_stages(look), stage=stage), words)

    return make


def _sentence(row: int) -> Maker[Heatmap]:
    """A maker of one sentence of the batch."""

    def make(trace: Trace, look: Look, words: Words) -> Heatmap | None:
        return batch_map(trace, look, words, row)

    return make


PAGE = MasksPage
