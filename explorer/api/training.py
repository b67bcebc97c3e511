"""Training a model, step by step."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from explorer.training.setup import TrainingSetup
    from explorer.training.training import TrainingStep


def train(
    task: str = "",
    *,
    out: str | Path,
    data: str | Path | None = None,
    preset: str | Path | None = None,
    snapshots: float = 256,
    device: str = "cpu",
    **given: Any,
) -> "Iterator[TrainingStep]":
    """Train a model and yield each step; the folder `out` is then a preset, and so is "OUT@120", the model after step 120.

    `task` is a toy task ("copy", "reverse", "sort", "add", "brackets"), `data` a file of pairs in place of it. `given` are
    knobs of the model and numbers of the recipe, such as `n_heads=8, learning_rate=0.002`; `preset` has the other knobs.
    `snapshots` is the room for the weights after single steps, in MB. A training whose loop is left early goes on when the
    same call is made again. The last step of each epoch has `finished`, the results on validation examples.
    Raises explorer.errors.ExplorerError for anything a caller can correct, before the first step.
    """
    from explorer.training.setup import usual_setup

    asked = usual_setup(Path(out), task, None if data is None else Path(data), None if preset is None else str(preset), given)
    return _steps(attrs.evolve(asked, snapshot_mb=snapshots, device=device))


def _steps(wish: "TrainingSetup") -> "Iterator[TrainingStep]":
    from explorer.training.run import Run

    run = Run(wish)
    try:
        yield from run.steps()
    except GeneratorExit:
        run.stop()
        raise
    run.finish()
