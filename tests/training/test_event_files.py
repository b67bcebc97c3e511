"""TensorBoard's event files, read again by its own library."""

from pathlib import Path

import pytest

pytest.importorskip("tensorboard", reason="the extra tensorboard brings it")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from explorer.cli import main as cli
from explorer.runs.log import read_log


def test_the_numbers_are_those_of_the_log(tmp_path: Path) -> None:
    """Each step of the training, and the validation at the end of each epoch."""
    out, events = tmp_path / "out", tmp_path / "events"
    small = ["--examples", "200", "--epochs", "2", "--d-model", "16", "--n-layers", "1", "--n-heads", "2"]
    assert cli.main(["train", "--task", "copy", "--out", str(out), "--tensorboard", str(events), *small]) == 0
    found, log = EventAccumulator(str(events)).Reload(), read_log(out)

    losses = {each.step: each.value for each in found.Scalars("train/loss")}
    assert len(losses) == len(log.steps) > 2
    assert [losses[int(step)] for step in log.column("step")] == pytest.approx(log.column("loss").tolist(), rel=1e-6)
    assert [each.value for each in found.Scalars("valid/loss")][-1] == pytest.approx(log.column("valid_loss")[-1], rel=1e-6)
    assert len(found.Scalars("train/learning_rate")) == len(found.Scalars("train/gradient_norm")) == len(log.steps)
