"""What a training leaves for others to follow it: lines of its log, and the weights after the planned steps."""

from collections.abc import Mapping
from pathlib import Path

import attrs
from torch import Tensor

from explorer.errors import BadWeights
from explorer.files import make_folder
from explorer.model.weights_file import save_weights
from explorer.runs import snapshots
from explorer.runs.log import STEP_FIELDS, LogWriter
from explorer.training.training import Training, TrainingStep

_HALF_BYTES = 2


class Record:
    """The record of a training in its folder. A `budget` of 0 bytes keeps no snapshots; `about` stands in their headers.

    The log begins with the `setup`, what the training was told. It says what a resumed training was told anew.

    Raises CannotRead, CannotWrite, DiskFull, as all its methods do but for reading.
    """

    def __init__(
        self, training: Training, folder: Path, budget: int, about: Mapping[str, str], setup: Mapping[str, object]
    ) -> None:
        self._training, self._folder, self._about = training, folder, about
        self._log = LogWriter(folder, training.step)
        n_bytes = _HALF_BYTES * sum(each.numel() for each in training.model.parameters())
        most = snapshots.count_within(budget, n_bytes)
        self._planned = frozenset(snapshots.planned(training.n_steps, most) if budget else ())
        if budget:
            make_folder(folder / snapshots.FOLDER)
            for step in snapshots.steps_kept(folder):
                if step > training.step:  # From a life that was lost with its last checkpoint.
                    snapshots.snapshot_file(folder, step).unlink(missing_ok=True)
        if not training.step:
            self._log.add(step=0, total=training.n_steps, setup=setup)
            if budget:
                self._keep(0)
        if training.changed:
            new = {name: value for name, (_before, value) in training.changed.items()}
            self._log.add(step=training.step, changed=new, total=training.n_steps)

    def add(self, step: TrainingStep) -> None:
        """Take a step down, and what follows from its number."""
        if step.finished is not None:
            self._validated(step.step, step.finished.validation_loss, step.finished.accuracy, step.finished.exact)
            return
        told = attrs.asdict(step)
        self._log.add(**{name: told[name] for name in STEP_FIELDS})
        if step.step in self._planned:
            self._keep(step.step)

    def close(self) -> None:
        """Keep the weights as they are now, and write the rest of the log."""
        if self._planned and self._training.step not in snapshots.steps_kept(self._folder):
            self._keep(self._training.step)
        self._log.flush()

    def _keep(self, step: int) -> None:
        """Measure the model and keep its weights; one that has numbers no file can hold is measured only."""
        found = self._training.validate()
        self._validated(step, found.loss, found.accuracy, found.exact)
        try:
            weights: dict[str, Tensor] = dict(self._training.model.named_parameters())
            save_weights(snapshots.snapshot_file(self._folder, step), weights, {**self._about, "step": str(step)})
        except BadWeights:
            self._log.add(step=step, lost="weights")
        self._log.flush()

    def _validated(self, step: int, loss: float, accuracy: float, exact: float) -> None:
        self._log.add(step=step, valid_loss=loss, accuracy=accuracy, exact=exact)
