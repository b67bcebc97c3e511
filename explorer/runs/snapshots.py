"""Snapshots of a training: the weights after some of its steps, as files in the folder of the run."""

import re
from pathlib import Path

FOLDER = "snapshots"
WEIGHTS = "weights.safetensors"  # of the finished training, beside the folder of snapshots
MOST = 60
_NAME = re.compile(r"step-(?P<step>\d{7,})\.safetensors")
_MOMENT = re.compile(r"(?P<preset>.+)@(?P<step>\d{1,12})", re.DOTALL)


def planned(n_steps: int, most: int = MOST) -> tuple[int, ...]:
    """The steps after which weights are kept, of a training of `n_steps` steps: 0, then farther and farther apart, the last.

    Between two of them lies the same factor, as long as that is a step at least: a model changes most at first.
    """
    if n_steps < 1:
        return (0,)
    n_rising = max(2, most - 1)
    # step_i = n^(i / (k - 1)), from 1 to n
    rising = {round(n_steps ** (i / (n_rising - 1))) for i in range(n_rising)}
    return (0, *sorted({*rising, n_steps}))


def count_within(budget_bytes: int, snapshot_bytes: int) -> int:
    """How many snapshots of this size are kept: what the budget has room for, two at least and MOST at most."""
    return min(MOST, max(2, budget_bytes // max(1, snapshot_bytes)))


def snapshot_file(folder: Path, step: int) -> Path:
    """The file of the weights after a step."""
    return folder / FOLDER / f"step-{step:07}.safetensors"


def steps_kept(folder: Path) -> tuple[int, ...]:
    """The steps whose weights are there, rising; () where the folder holds no snapshots."""
    try:
        names = [each.name for each in (folder / FOLDER).iterdir()]
    except OSError:
        return ()
    return tuple(sorted(int(found["step"]) for found in map(_NAME.fullmatch, names) if found))


def moment_name(preset: str, step: int) -> str:
    """The name of a trained preset as it was after a step: "FOLDER@120"."""
    return f"{preset}@{step}"


def moment_in(name: str) -> tuple[str, int | None]:
    """The preset and the step that a name means; None where it names no step."""
    found = _MOMENT.fullmatch(name)
    return (found["preset"], int(found["step"])) if found else (name, None)
