"""The trainings that the window knows: the bundled one, and those in the user's folder."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.knobs import Value
from explorer.lang import Words
from explorer.presets import load_preset, title_in, training_names
from explorer.resources import trainings_folder
from explorer.runs.log import FILE, RunLog
from explorer.runs.snapshots import WEIGHTS, moment_in
from explorer.training.tasks import OF_FILES, TASKS

FIRST = "sort"
"""The training that the page opens with at first: a bundled one that has come to its end."""
_MOST_OFFERED = 20


def folder_of(run: str) -> Path | None:
    """The folder of a training by its preset's name or folder; None where it is gone."""
    if run == FIRST or run in training_names():
        return load_preset(run).folder
    folder = Path(run)
    return folder if folder.is_absolute() and (folder.is_dir() or folder.parent == trainings_folder()) else None


def run_of(preset: str) -> str:
    """The training that a preset, or a moment of one, belongs to; "" where it was not trained with a log."""
    name = moment_in(preset)[0]
    folder = folder_of(name)
    return name if folder is not None and (folder / FILE).exists() else ""


def first_run() -> str:
    """The training that is shown until somebody chooses one: the newest of the user's own if it can go on, else FIRST."""
    newest = next(iter(_own()), None)
    return FIRST if newest is None or (newest / WEIGHTS).exists() else str(newest)


def runs_there(shown: str) -> tuple[str, ...]:
    """The bundled trainings, the newest of the user's own, and the one that is shown wherever it lies."""
    return tuple(dict.fromkeys((FIRST, *map(str, _own()[:_MOST_OFFERED]), *training_names(), shown)))


def _own() -> list[Path]:
    """The folders of the user's own trainings, the newest first."""
    try:
        logs = [each / FILE for each in trainings_folder().iterdir() if (each / FILE).exists()]
        return [log.parent for log in sorted(logs, key=lambda log: log.stat().st_mtime_ns, reverse=True)]
    except OSError:  # There is none yet, or it is removed at this moment.
        return []


def run_name(run: str, words: Words) -> str:
    """What a training is called: its task, and what its folder says of when it began."""
    if run == FIRST or run in training_names():
        return title_in(words, run)
    task, _, rest = Path(run).name.partition("-")
    return (
        words("training.page.run", task=words(f"training.tasks.{task}"), when=rest)
        if task in (*TASKS, *OF_FILES)
        else Path(run).name
    )


def new_folder(task: str) -> Path:
    """A folder for a new training, which its task and the time name: "sort-1127-1649"."""
    name = f"{task}-{datetime.now():%m%d-%H%M}"
    names = (name, *(f"{name}-{number}" for number in range(2, _MOST_OFFERED)))
    return next((each for each in map(trainings_folder().joinpath, names) if not each.exists()), trainings_folder() / name)


def text_of(run: str) -> str | None:
    """The sentence that a training's own preset opens with; None as long as there is no preset."""
    try:
        return load_preset(run).text
    except ExplorerError:
        return None


def given_of(log: RunLog) -> Mapping[str, Value]:
    """What a training was given, with what was changed while it ran."""
    given: dict[str, Value] = {**log.setup.get("knobs", {}), **log.setup.get("recipe", {})}
    for _step, changed in log.changes:
        given |= changed
    return given
