"""The panel of knobs: a row for each, made from its declaration, in groups that fold."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.config import GROUPS, KNOBS, UNTRAINED_GROUPS, Config
from explorer.knobs import Knob, Value
from explorer.lang import Words
from explorer.presets import Preset, load_preset
from explorer.state.intents import SetKnob
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.views.controls.check_box import CheckBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.number_box import NumberBox
from explorer.views.controls.sampling import WritingRows
from explorer.views.controls.wheel import FocusedChoice, FocusedSlider
from explorer.views.painting.style import set_style_property

_TICKS = 1000  # ticks of a logarithmic slider


class KnobRow(QWidget):
    """One knob: name, slider or choice, a box for its value, and a reset button."""

    turned = Signal(str, object)

    def __init__(self, knob: Knob) -> None:
        super().__init__()
        self.knob = knob
        self.setObjectName("knob")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.name = QLabel()
        self.name.setWordWrap(True)
        self.reset = QToolButton()
        self.reset.setObjectName("small")
        self.reset.setText("↺")
        self.reset.setAutoRaise(True)
        self.reset.clicked.connect(self._reset)
        kept = self.reset.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # Other widgets do not move when the reset button appears.
        self.reset.setSizePolicy(kept)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.addWidget(self.name, 0, 0)
        grid.addWidget(self.reset, 0, 1)
        grid.setColumnStretch(0, 1)
        self._start = knob.default
        self._make_editor(grid)

    def _make_editor(self, grid: QGridLayout) -> None:
        self.slider: QSlider | None = None
        self.editor: NumberBox | QComboBox | CheckBox
        if self.knob.kind == "choice":
            self.editor = FocusedChoice()
            self.editor.addItems(self.knob.choices)
            self.editor.currentIndexChanged.connect(self._chosen)
            grid.addWidget(self.editor, 1, 0, 1, 3)
        elif self.knob.kind == "bool":
            self.editor = CheckBox()
            self.editor.toggled.connect(self._toggled)
            grid.addWidget(self.editor, 0, 2)
        else:
            self.editor = self._spin_box()
            self.slider = self._make_slider()
            grid.addWidget(self.editor, 0, 2)
            grid.addWidget(self.slider, 1, 0, 1, 3)
        for each in (self.editor, self.slider):
            if each is not None:
                each.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if isinstance(self.editor, NumberBox):
            self.editor.installEventFilter(self)

    def _spin_box(self) -> NumberBox:
        box = NumberBox(short=self.knob.logarithmic)
        box.setDecimals(_decimals(self.knob))
        box.setRange(*self.knob.valid)
        box.setSingleStep(self.knob.step)
        box.setKeyboardTracking(False)
        box.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setFixedWidth(64)
        box.valueChanged.connect(self._typed)
        return box

    def _make_slider(self) -> QSlider:
        slider = FocusedSlider()
        steps = self._to_tick(self.knob.offered.high)
        slider.setRange(0, steps)
        slider.setPageStep(max(1, steps // 10))
        slider.valueChanged.connect(self._slid)
        return slider

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave undo and redo to the window."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and (event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo))
        ):
            event.ignore()
            return True
        return False

    def speak(self, words: Words) -> None:
        """Set names and hints in the user's language."""
        name, hint = words(f"knob.{self.knob.name}.name"), words(f"knob.{self.knob.name}.hint")
        self.name.setText(name)
        about = f"{name} ({self.knob.name})"
        if self.slider is not None:
            low, high = map(self._figure, self.knob.valid)
            about += f"  {low} … {high} {self.knob.unit}".rstrip()
        self.setToolTip(f"{about}\n{hint}\n{words(f'applies.{self.knob.applies}')}")
        self.reset.setToolTip(words("knob_reset", value=self._start))
        self.reset.setAccessibleName(words("knob_reset_of", name=name))
        for each in (self.editor, self.slider):
            if each is not None:
                each.setAccessibleName(name)
                each.setAccessibleDescription(hint)
        if isinstance(self.editor, QComboBox):
            for index, choice in enumerate(self.knob.choices):
                self.editor.setItemText(index, words(f"choice.{self.knob.name}.{choice}"))

    def put(self, value: Value, start: Value) -> None:
        """Show a value without a signal; `start` is the value that reset goes to."""
        self._start = start
        self.reset.setVisible(value != start)
        for each in (self.editor, self.slider):
            if each is not None:
                set_style_property(each, "away", value != start)
        with QSignalBlocker(self.editor):
            if isinstance(self.editor, QComboBox):
                self.editor.setCurrentIndex(self.knob.choices.index(str(value)))
            elif isinstance(self.editor, CheckBox):
                self.editor.setChecked(bool(value))
            elif self.editor.value() != value:  # Setting the same value would repaint the box.
                self.editor.setValue(float(value))
        if self.slider is not None and self._from_tick(self.slider.value()) != value:
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._to_tick(float(value)))

    def set_meant(self, meant: bool) -> None:
        """Outline the knob, or not; lessons outline the knobs that they speak of."""
        set_style_property(self, "meant", meant)

    def _figure(self, value: float) -> str:
        return f"{value:g}" if value < 1e6 else f"{value:.0e}".replace("e+0", "e")

    def _to_tick(self, value: float) -> int:
        low, high = self.knob.offered
        if self.knob.logarithmic:
            return round(_TICKS * math.log(max(value, low) / low) / math.log(high / low))  # A box takes less, 0 too.
        return round((value - low) / self.knob.step)

    def _from_tick(self, tick: int) -> int | float:
        low, high = self.knob.offered
        if self.knob.logarithmic:
            return self.knob.nearest(high if tick == _TICKS else float(f"{low * (high / low) ** (tick / _TICKS):.3g}"))
        return self.knob.nearest(round(low + tick * self.knob.step, 6))

    def _slid(self, tick: int) -> None:
        self.turned.emit(self.knob.name, self._from_tick(tick))

    def _typed(self, value: float) -> None:
        self.turned.emit(self.knob.name, self.knob.nearest(value))

    def _chosen(self, index: int) -> None:
        self.turned.emit(self.knob.name, self.knob.choices[index])

    def _toggled(self, on: bool) -> None:
        self.turned.emit(self.knob.name, on)

    def _reset(self) -> None:
        self.turned.emit(self.knob.name, self._start)


def _decimals(knob: Knob) -> int:
    """As many decimals as the least number needs."""
    if knob.kind == "int":
        return 0
    if not knob.logarithmic:
        return 2
    return max(0, -math.floor(math.log10(knob.valid.low)))


class KnobGroup(QWidget):
    """A heading that folds and unfolds the rows below it."""

    def __init__(self, key: str, rows: Sequence[QWidget]) -> None:
        super().__init__()
        self.key = key
        self.heading = QToolButton()
        self.heading.setObjectName("fold")
        self.heading.setCheckable(True)
        self.heading.setChecked(True)
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.setArrowType(Qt.ArrowType.DownArrow)
        self.heading.toggled.connect(self._fold)
        self._body = QWidget()
        filled(QVBoxLayout(self._body), *rows, gap_px=2, margins_px=(0, 0, 0, 4))
        filled(QVBoxLayout(self), self.heading, self._body, gap_px=0, margins_px=(0, 0, 0, 0))

    def _fold(self, opened: bool) -> None:
        self._body.setVisible(opened)
        self.heading.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)


class KnobPanel(QScrollArea):
    """All knobs, those of decoding first.

    Signals: wished(Intent) while a slider moves, after typing a value, and on reset.
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The rows take the focus.
        self.rows: dict[str, KnobRow] = {}
        self._offered: dict[str, tuple[str, ...]] = {}
        self._shown: dict[str, tuple[Value, Value]] = {}  # the shown and the reset value of each row
        self.writing = WritingRows()
        self.writing.wished.connect(self.wished)
        for knob in KNOBS:
            self.rows[knob.name] = KnobRow(knob)
            self.rows[knob.name].turned.connect(self._turned)
        self.groups = [KnobGroup("decoding", [self.writing, *self._rows_of("decoding")])]
        self._replaces = False  # whether the preset has trained weights, which the last groups replace
        self._words: Words | None = None
        self._acting: frozenset[str] | None = None  # the knobs that do something
        inside = QWidget()
        inside.setObjectName("knobs")
        layout = filled(QVBoxLayout(inside), self.groups[0], gap_px=4, margins_px=(12, 8, 12, 8))
        for key in GROUPS:
            if key != "decoding":
                self.groups.append(KnobGroup(key, self._rows_of(key)))
                layout.addWidget(self.groups[-1])
        layout.addStretch(1)
        self.setWidget(inside)

    def _rows_of(self, group: str) -> list[KnobRow]:
        return [row for row in self.rows.values() if row.knob.group == group]

    def speak(self, words: Words) -> None:
        self._words = words
        self._name_groups(words)
        self.writing.speak(words)
        for row in self.rows.values():
            row.speak(words)

    def _name_groups(self, words: Words) -> None:
        for group in self.groups:
            name = words(f"group.{group.key}")
            if self._replaces and group.key in UNTRAINED_GROUPS:
                name = words("group.untrained", group=name)
            group.heading.setText(name)
            group.heading.setAccessibleName(name)

    def put_wish(self, wish: Wish) -> None:
        """Show the beam width, and say which groups replace trained weights, if the preset has some."""
        self.writing.put_wish(wish)
        self._show_acting(load_preset(wish.preset))
        if self._replaces != wish.has_trained:
            self._replaces = wish.has_trained
            if self._words is not None:
                self._name_groups(self._words)

    def offer(self, name: str, choices: tuple[str, ...]) -> None:
        """Enable only these choices of a knob, and hide it where there is a single one."""
        if self._offered.get(name) == choices:
            return
        self._offered[name] = choices
        row = self.rows[name]
        self._show_row(row)
        if isinstance(row.editor, QComboBox):
            for index, choice in enumerate(row.knob.choices):
                row.editor.model().item(index).setEnabled(choice in choices)  # type: ignore[attr-defined]  # QStandardItemModel

    def draw(self, trace: Trace) -> None:
        """Let sampling know how many symbols there are; a model without an output samples nothing."""
        has_output = "generator.logits" in trace
        self.groups[0].setVisible(has_output)
        if has_output:
            self.writing.offer(trace.shape("generator.logits")[-1])

    def _show_acting(self, preset: Preset) -> None:
        """Show the knobs that do something to the model, and no others."""
        searching = [] if preset.translates else self._rows_of("decoding")
        acting = frozenset(name for name, row in self.rows.items() if preset.acts(name) and row not in searching)
        if acting != self._acting:
            self._acting = acting
            for row in self.rows.values():
                self._show_row(row)
            for group in self.groups[1:]:
                group.setVisible(not all(row.isHidden() for row in self._rows_of(group.key)))

    def _show_row(self, row: KnobRow) -> None:
        name = row.knob.name
        acts = self._acting is None or name in self._acting
        row.setVisible(acts and len(self._offered.get(name, ("", ""))) > 1)

    def mark(self, names: frozenset[str]) -> None:
        """Outline these knobs and scroll to the first of them."""
        for name, row in self.rows.items():
            row.set_meant(name in names)
        first = next((row for name, row in self.rows.items() if name in names), None)
        if first is not None:
            top = first.mapTo(self.widget(), QPoint(0, 0)).y()
            self.ensureVisible(0, top, 0, 40)
            self.ensureVisible(0, top + first.height(), 0, 40)

    def put(self, config: Config, start: Config) -> None:
        """Show a Config; `start` is the preset's. Rows that do not change are not touched."""
        for name, row in self.rows.items():
            shown = getattr(config, name), getattr(start, name)
            if self._shown.get(name) != shown:
                self._shown[name] = shown
                row.put(*shown)

    def put_all(self, config: Config, start: Config) -> None:
        """Show a Config in every row, because a row may still show a typed value that was adapted to another one."""
        self._shown.clear()
        self.put(config, start)

    def _turned(self, name: str, value: object) -> None:
        self.wished.emit(SetKnob(name, value))
