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
from explorer.runs.snapshots import moment_in
from explorer.training.tasks import OF_FILES, TASKS

FIRST = "sort"
"""The training that the page opens with: a bundled one that has come to its end."""
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


def runs_there(shown: str) -> tuple[str, ...]:
    """The bundled trainings, the newest of the user's own, and the one that is shown wherever it lies."""
    try:
        own = [each for each in trainings_folder().iterdir() if (each / FILE).exists()]
    except OSError:
        own = []
    newest = sorted(own, key=lambda each: (each / FILE).stat().st_mtime_ns, reverse=True)[:_MOST_OFFERED]
    return tuple(dict.fromkeys((FIRST, *map(str, newest), *training_names(), shown)))


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
