"""The stepper page: one attention head, step by step."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel

from explorer.app.pages.layouts import beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.attention_steps import (
    STEPS,
    first_operand,
    head_split,
    operands,
    result,
    second_operand,
    why_divide,
)
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import LayerBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView


class StepperPage(Page):
    """One step of one head with its operands and result. The arrow keys left and right change the step."""

    key = "stepper"
    least_px = 700
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.steps = Segments()
        self.steps.chose.connect(self.sets("part"))
        self._look = Look()
        self.where = self.choice("attention")
        self.first = self.card(HeatmapView(), first_operand)
        self.second = self.card(HeatmapView(), second_operand)
        self.result = self.card(HeatmapView(), result)
        self.heads = Segments()
        self.heads.chose.connect(self._chose_head)
        self.layer = LayerBox()
        self.layer.chose.connect(self.sets("layer"))
        self.one_head = QLabel()
        self.one_head.setObjectName("faint")
        self.one_head.setWordWrap(True)
        column = column_in(self.scrolled())
        column.addLayout(filled(QHBoxLayout(), self.steps, None))
        column.addLayout(filled(QHBoxLayout(), self.where, self.layer, self.heads, (self.one_head, 2), None))
        column.addLayout(beside((self.first, 1), (self.second, 1), (self.result, 1)), 6)
        column.addLayout(
            beside(
                (self.card(StripsView(), head_split, title="steps.split"), 4),
                (self.card(BarsView(), why_divide, title="steps.why"), 3),
                (self.explain(), 3),
            ),
            4,
        )

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._look = look
        self.steps.offer({key: words(f"steps.{key}") for key in STEPS}, look.part)
        self.layer.offer(trace.card.side(look.attention).n_layers, look.layer, words)
        shown = min(trace.card.side(look.attention).n_heads, 8)
        self.heads.offer({str(head): f"H{head}" for head in range(shown)}, str(look.head))
        self.one_head.setVisible(look.aligned != "head")
        self.one_head.setText(words("steps.one_head"))
        self.second.setVisible(bool(operands(look.part)[1]))
        super().draw(trace, look, words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        place = min(max(STEPS.index(self._look.part) + step, 0), len(STEPS) - 1)
        self.look_at(part=STEPS[place])

    def _chose_head(self, key: str) -> None:
        self.look_at(head=int(key))


PAGE = StepperPage
