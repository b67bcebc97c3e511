"""What a person does with a training: begins it, pauses it, goes on, and changes it while it runs."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from explorer.app.pages.training_form import TrainingForm, needs_new_weights
from explorer.app.training.follower import Follower
from explorer.app.training.process import TrainingProcess
from explorer.app.training.runs import given_of, new_folder
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.runs.log import RunLog
from explorer.training.setup import usual_setup
from explorer.training.tasks import OF_FILES

_SNAPSHOTS_MB = 64
_CHANGE_MS = 500  # after the last turn of a knob a running training is given what was set
_SPEED_STEPS = 50  # so many of the last steps say how fast it is


class TrainingControl(QObject):
    """Signals: began(folder) for a new training; changed() when the training has begun, has ended, or could not."""

    began = Signal(object)
    changed = Signal()

    def __init__(self, follower: Follower, form: TrainingForm, parent: QObject) -> None:
        super().__init__(parent)
        self.process, self.words = TrainingProcess(self), Words.load("en")
        self._follower, self._form, self._refused = follower, form, ""
        self._folder = Path()  # that of the training that runs or ran last
        self._changing = QTimer(self)
        self._changing.setSingleShot(True)
        self._changing.setInterval(_CHANGE_MS)
        self._changing.timeout.connect(self._change)
        self.process.begun.connect(self._begun)
        self.process.ended.connect(self._ended)
        form.begins.connect(self._begin)
        form.changed.connect(self._given)

    @property
    def trains(self) -> bool:
        """Whether the training that is shown runs."""
        return self.process.is_running and self._folder == self._follower.folder

    @property
    def offers(self) -> str:
        """What can be done with the training that is shown: "pause" or "continue" it, or "" nothing."""
        if self.process.is_running:
            return "pause" if self.trains else ""
        is_over = self._follower.is_finished or self._follower.grows  # Another program may run it.
        return "" if is_over or not len(self._follower.log.valid) else "continue"

    def standing(self, words: Words) -> tuple[str, float | None]:
        """How far the training that is shown is, and its share of all steps while it runs."""
        log = self._follower.log
        done, total = log.last_step, max(log.total, log.last_step)
        if self._refused and self._folder == self._follower.folder:
            return words("training.page.broke", reason=self._refused), None
        if self.trains and not done:
            return words("training.page.starting"), 0.0
        if self.trains or (self._follower.grows and not self._follower.is_finished):
            minutes, seconds = divmod(round(_seconds_left(log)), 60)
            speed = float(log.column("tokens_per_s")[-_SPEED_STEPS:].mean())
            told = words("training.page.running", done=done, total=total, minutes=minutes, seconds=seconds, speed=speed)
            return told, done / total
        if self._follower.is_finished:
            last = {field: float(log.column(field)[-1]) for field in ("seconds", "exact", "accuracy")}
            key = "finished_text" if log.task == "text" else "finished"  # A text has no answers that could be right as a whole.
            return words(f"training.page.{key}", done=done, **last), None
        return words("training.page.stopped", done=done, total=total), None

    def shows_another(self) -> None:
        """Another training is shown: the form shows what it was given, and its folder is watched while it runs."""
        log = self._follower.log
        if log.task:  # One that has just begun has the form's own settings.
            self._form.put(log.task, given_of(log))
        self._follower.watch()

    def act(self, what: str) -> None:
        """Pause or continue the training that is shown."""
        arguments = self._arguments()
        if what == "pause":
            self.process.stop()
        elif arguments is not None and not self.process.is_running:
            self._folder = self._follower.folder
            self.process.start(self._folder, [*arguments, "--changing"])

    def _begin(self) -> None:
        """Begin a new training with what the form says."""
        arguments = self._arguments()
        if self.process.is_running:
            self._form.tell(self.words("training.page.one_at_a_time"))
        elif arguments is not None:
            self._folder = new_folder(self._form.task)
            self.process.start(self._folder, arguments)
            self.began.emit(self._folder)

    def _arguments(self) -> list[str] | None:
        """The command's flags for what the form says; None where it cannot be trained, which the form then says."""
        given, data = self._form.given, self._form.data if self._form.task in OF_FILES else ""
        try:
            usual_setup(Path(), self._form.task, Path(data) if data else None, None, given)
        except ExplorerError as error:
            self._form.tell(self.words.error(error))
            return None
        self._form.tell("")
        flags = [f"--{name.replace('_', '-')}={str(value).lower()}" for name, value in given.items()]
        file = [f"--data={data}"] if data else []
        common = ["--language", self.words.language, "--task", self._form.task, "--snapshots", str(_SNAPSHOTS_MB)]
        return [*common, *file, *flags]

    def _given(self) -> None:
        """The form says something else: the training that runs is given it, once nobody turns further."""
        self._form.tell("")
        if not self.trains or self._form.task != self._follower.log.task:
            return
        if needs_new_weights(self._form.given, {**self._form.given, **given_of(self._follower.log)}):
            self._form.tell(self.words("training.page.needs_new"))
        else:
            self._changing.start()

    def _change(self) -> None:
        """Let the training that runs go on with what the form says."""
        arguments = self._arguments()
        if self.trains and arguments is not None:
            self.process.restart(self._folder, [*arguments, "--changing"])

    def _begun(self) -> None:
        self._refused = ""
        self._follower.watch()
        self.changed.emit()

    def _ended(self, reason: str) -> None:
        self._refused = reason
        if self._folder == self._follower.folder:
            self._follower.rest()
        self.changed.emit()


def _seconds_left(log: RunLog) -> float:
    """How long it will still take, by the last steps."""
    last = log.column("seconds")[-_SPEED_STEPS:]
    took = float(np.diff(last).mean()) if len(last) > 1 else 0.0
    return took * max(0, log.total - log.last_step)
