"""The stepper page: one attention head, step by step, from x·W_Q to the heads times W_O."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel

from explorer.app.pages.layouts import below, beside, column_in
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers.attention_steps import (
    STEPS,
    first_operand,
    head_split,
    opened_sum,
    operands,
    result,
    second_operand,
    why_divide,
)
from explorer.picture.makers.cell_sum import PRODUCTS
from explorer.picture.makers.projections import bias, has_bias, is_projection
from explorer.state.focus import NOWHERE, Focus
from explorer.state.look import Look
from explorer.trace.found.experiments import ATTENTION_WEIGHTS
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import HeadBox, LayerBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.segments import Segments
from explorer.views.pictures.account import AccountView
from explorer.views.pictures.bars import BarsView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.strips import StripsView

_BIAS_PX, _TEXT_MOST_PX = 92, 500
_MAPS_ROW, _MAPS_LEAST_PX = 2, 600  # the row of maps, and the height below which a step without a sum scrolls


class StepperPage(Page):
    """One step of one head with its operands and result; of a product also one cell as the sum that it is.

    The arrow keys left and right change the step; in the result they choose the cell.
    """

    key = "stepper"
    least_px = 496
    shows_masks = True

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.steps = Segments()
        self.steps.chose.connect(self.sets("part"))
        self._look = Look()
        self.where = self.choice("attention")
        self.first = self.card(HeatmapView(), first_operand)
        self.second = self.card(HeatmapView(), second_operand, title="steps.matrix")
        self.bias = self.card(HeatmapView(), bias)
        self.bias.fix_height(_BIAS_PX)
        self.map = HeatmapView()
        self.result = self.card(self.map, result)
        self.map.chose.connect(self._open_cell)
        self.map.cell_cursor.moved.connect(self._open_cell)
        self.sum = self.card(AccountView(), opened_sum, title="steps.sum")
        self.split = self.card(StripsView(), head_split, title="steps.split")
        self.why = self.card(BarsView(), why_divide, title="steps.why")
        self.layer, self.head = LayerBox(), HeadBox()
        self.layer.chose.connect(self.sets("layer"))
        self.head.chose.connect(self.sets("head"))
        self.one_head = QLabel()
        self.one_head.setObjectName("faint")
        self.one_head.setWordWrap(True)
        self.signs = QLabel("×"), QLabel("=")
        for sign in self.signs:
            sign.setObjectName("title")
        self._lay_out()

    def _lay_out(self) -> None:
        """The choices, then the step from left to right, then what explains it."""
        self._desk = self.scrolled()
        column = self._column = column_in(self._desk)
        self.choose_above(self.where, self.layer, self.head)
        column.addLayout(filled(QHBoxLayout(), self.steps, None))
        column.addWidget(self.one_head)
        times, equals = self.signs
        second = filled(QHBoxLayout(), times, (below((self.second, 1), (self.bias, 0)), 1), gap_px=8)
        column.addLayout(
            beside((self.first, 1), (second, 1), (filled(QHBoxLayout(), equals, (self.result, 1), gap_px=8), 1)), 2
        )
        explanation = self.explain()
        explanation.setMaximumWidth(_TEXT_MOST_PX)
        column.addLayout(beside((self.sum, 5), (self.split, 4), (self.why, 3), (explanation, 3)), 2)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self._look = look
        self.steps.offer({key: words(f"steps.{key}") for key in STEPS}, look.part)
        self.layer.offer(trace.card.side(look.attention).n_layers, look.layer, words)
        self.head.offer(trace.card.side(look.attention).n_heads, look.head, words)
        self.one_head.setVisible(look.aligned != "head")
        self.one_head.setText(words("steps.one_head"))
        self._show_cards(trace, look)
        super().draw(trace, look, words)
        picture = self.result.picture
        if isinstance(picture, Heatmap) and picture.chosen_row is not None and picture.chosen_column is not None:
            self.map.cell_cursor.put(picture.chosen_row, picture.chosen_column)
        projects = is_projection(look.part)
        focus = Focus(attention=look.attention, layer=look.layer) if projects else NOWHERE
        self.look_into(frozenset({ATTENTION_WEIGHTS.key}) if projects else frozenset(), focus)

    def _show_cards(self, trace: Trace, look: Look) -> None:
        """Show what belongs to the step: the second factor, the bias, the sum, and what it is about."""
        two, times = bool(operands(look.part)[1]), look.part in PRODUCTS
        self.second.setVisible(two)
        self.signs[0].setVisible(two)
        self.signs[1].setText("=" if two else "→")
        self.bias.setVisible(has_bias(trace, look))
        self.sum.setVisible(times)
        split = look.part in ("query", "key", "value", "merged")
        self.split.setVisible(split)
        self.why.setVisible(not times and not split)
        # The sum belongs to the maps above it and is seen with them; what else stands there may be scrolled to.
        self._desk.setMinimumHeight(self.least_px if times else _MAPS_LEAST_PX)
        self._column.setStretch(_MAPS_ROW, 2 if times else 3)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        place = min(max(STEPS.index(self._look.part) + step, 0), len(STEPS) - 1)
        self.look_at(part=STEPS[place])

    def _open_cell(self, row: int, column: int) -> None:
        if self._look.part in PRODUCTS:
            self.look_at(sum_row=row, sum_column=column)


PAGE = StepperPage
