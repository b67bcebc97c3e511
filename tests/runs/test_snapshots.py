"""After which steps the weights of a training are kept."""

import itertools
from pathlib import Path

import pytest

from explorer.runs.snapshots import MOST, count_within, planned, snapshot_file, steps_kept


@pytest.mark.parametrize("n_steps", [1, 2, 7, 60, 900, 100_000])
def test_snapshots_are_dense_at_first(n_steps: int) -> None:
    """From the beginning to the last step, never closer again than before, and not too many."""
    steps = planned(n_steps)
    gaps = [later - earlier for earlier, later in itertools.pairwise(steps)]
    assert (steps[0], steps[-1]) == (0, n_steps)
    assert len(steps) <= MOST and all(gap > 0 for gap in gaps)
    if n_steps >= 900:
        thirds = [gaps[:15], gaps[15:30], gaps[30:]]
        means = [sum(third) / len(third) for third in thirds]
        assert means == sorted(means) and 10 * means[0] < means[-1]


@pytest.mark.parametrize(("budget", "size", "count"), [(4_000_000, 45_000, 60), (100, 45, 2), (0, 45, 2), (450, 45, 10)])
def test_the_budget_decides_how_many(budget: int, size: int, count: int) -> None:
    """At most 60; the first and the last are always kept."""
    assert count_within(budget, size) == count


def test_only_snapshots_are_found(tmp_path: Path) -> None:
    """In the order of their steps; other files, and a folder that is not there, are none."""
    assert steps_kept(tmp_path) == ()
    for step in (1200, 0, 35):
        path = snapshot_file(tmp_path, step)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (path.parent / ".step-0000007.safetensors.unfinished").touch()
    assert steps_kept(tmp_path) == (0, 35, 1200)
