"""What a training is given: the task, what goes wrong on purpose, the numbers of the recipe, and the model's shape."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QToolButton, QVBoxLayout, QWidget

from explorer.app.file_dialogs import ask_file, start_in
from explorer.config import KNOBS
from explorer.knobs import Knob, Value
from explorer.lang import Words
from explorer.training.mishaps import MISHAPS
from explorer.training.recipe import RECIPE_KNOBS, TURNED
from explorer.training.tasks import OF_FILES, TASKS, toy_config, toy_recipe
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.flow import flowing
from explorer.views.controls.knobs import KnobGroup, KnobRow
from explorer.views.controls.layouts import filled

_SHAPE = ("architecture", "n_layers", "n_heads", "d_model", "d_ff", "seed")
_PASS = ("position", "causal_mask", "residual", "norm_placement", "dropout")
_KINDS = {"text": "*.txt *.md", "pairs": "*.tsv *.txt"}
_TASKS = (*TASKS, *OF_FILES)
Given = Mapping[str, Value]


def usual(task: str) -> dict[str, Value]:
    """What a task's training has where nobody says otherwise."""
    config, recipe = toy_config(architecture="decoder-only" if task == "text" else "encoder-decoder"), toy_recipe(task)
    return {name: getattr(recipe if name in TURNED else config, name) for name in (*TURNED, *_SHAPE, *_PASS)}


def needs_new_weights(given: Given, before: Given) -> bool:
    """Whether a training that runs cannot be given this: the weights would have other shapes."""
    return any(given[name] != before[name] for name in _SHAPE)


class TrainingForm(QWidget):
    """Signals: changed() when something else is given; begins() for a new training."""

    changed = Signal()
    begins = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.task, self.data = _TASKS[0], ""
        self._usual, self._given = usual(self.task), usual(self.task)
        self._words: Words | None = None
        self.tasks, self.tasks_label, self.begin, self.refused = ChoiceBox(), QLabel(), QPushButton(), QLabel()
        self.begin.setDefault(True)
        self.refused.setObjectName("warning")
        self.refused.setWordWrap(True)
        self.refused.hide()
        self.tasks.activated.connect(self._choose_task)
        self.begin.clicked.connect(self.begins)
        self.mishaps = {name: QToolButton() for name in MISHAPS}
        for name, button in self.mishaps.items():
            button.setObjectName("segment")
            button.setCheckable(True)
            button.clicked.connect(lambda on, name=name: self._break(name, on=on))
        declared: dict[str, Knob] = {knob.name: knob for knob in (*RECIPE_KNOBS, *KNOBS)}
        self.rows = {name: KnobRow(declared[name]) for name in (*TURNED, *_PASS, *_SHAPE)}
        for row in self.rows.values():
            row.turned.connect(self._turned)
        self._lay_out()
        self.put(self.task, {})

    def _lay_out(self) -> None:
        buttons, rows = flowing(*self.mishaps.values(), gap_px=4), self.rows
        self.groups = [
            KnobGroup("mishaps", [buttons]),
            KnobGroup("recipe", [rows[name] for name in TURNED]),
            KnobGroup("model", [rows[name] for name in (*_SHAPE, *_PASS)]),
        ]
        inside = QWidget()
        inside.setObjectName("knobs")
        filled(QVBoxLayout(inside), *self.groups, None, gap_px=4, margins_px=(0, 0, 8, 0))
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        above = filled(QHBoxLayout(), self.tasks_label, self.tasks, None, self.begin, gap_px=8)
        filled(QVBoxLayout(self), above, self.refused, (area, 1), gap_px=6, margins_px=(0, 0, 0, 0))

    @property
    def given(self) -> dict[str, Value]:
        """All that is given, by the names of knobs and of the recipe."""
        return dict(self._given)

    def put(self, task: str, given: Mapping[str, object]) -> None:
        """Show a task and what its training was given; what is not named is as usual."""
        self.task = task if task in _TASKS else _TASKS[0]
        self._usual = usual(self.task)
        self._given = {name: given.get(name, value) for name, value in self._usual.items()}  # type: ignore[misc]  # Checked.
        self._show()

    def speak(self, words: Words) -> None:
        self.tasks_label.setText(words("training.page.task"))
        self._words = words
        self._name_tasks()
        self.tasks.setAccessibleName(words("training.page.task"))
        self.begin.setText(words("training.page.begin"))
        self.begin.setToolTip(words("training.page.begin_hint"))
        for name, button in self.mishaps.items():
            button.setText(words(f"training.mishap.{name}.name"))
            button.setToolTip(words(f"training.mishap.{name}.hint"))
        for row in self.rows.values():
            row.speak(words)
        for group in self.groups:
            group.heading.setText(words(f"training.group.{group.key}"))
            group.heading.setAccessibleName(words(f"training.group.{group.key}"))

    def tell(self, why: str) -> None:
        """Say why this cannot be trained, or why it is not given to the training that runs; "" says nothing."""
        self.refused.setText(why)
        self.refused.setVisible(bool(why))

    def _show(self) -> None:
        for name, row in self.rows.items():
            row.put(self._given[name], self._usual[name])
        for name, button in self.mishaps.items():
            with QSignalBlocker(button):
                button.setChecked(all(self._given[each] == value for each, value in MISHAPS[name].settings.items()))
        self._name_tasks()

    def _name_tasks(self) -> None:
        """Write the tasks into their box; those of a file name it once it is chosen."""
        if self._words is not None:
            names = {name: self._words(f"training.tasks.{name}") for name in _TASKS}
            if self.data and self.task in OF_FILES:
                names[self.task] = f"{names[self.task]} {Path(self.data).name}"
            self.tasks.put(list(names.values()), _TASKS.index(self.task))

    def _choose_task(self, place: int) -> None:
        chosen, data = _TASKS[place], ""
        if chosen in OF_FILES and self._words is not None:
            data = ask_file(self.window(), self._words(f"training.tasks.{chosen}"), start_in(self.data), _KINDS[chosen])
            chosen = chosen if data else self.task
        self.data = data or self.data
        before, self.task, self._usual = self._usual, chosen, usual(chosen)
        # What somebody has turned stays; the rest is as usual for the task.
        self._given |= {name: value for name, value in self._usual.items() if self._given[name] == before[name]}
        self._show()
        self.changed.emit()

    def _turned(self, name: str, value: Value) -> None:
        self._give({name: value})

    def _break(self, name: str, *, on: bool) -> None:
        """Set what a mishap sets, or put it back as usual."""
        settings = MISHAPS[name].settings
        self._give(settings if on else {each: self._usual[each] for each in settings})

    def _give(self, values: Mapping[str, Value]) -> None:
        self._given |= values
        self._show()
        self.changed.emit()
