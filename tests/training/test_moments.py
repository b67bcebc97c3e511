"""A training is looked at while it runs and afterwards: its weights after single steps are presets."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import explorer
from explorer.errors import BadKnob, NoTrainingData, UnknownMoment, UnknownTask
from explorer.presets import WEIGHTS, load_preset
from explorer.runs.log import read_log
from explorer.runs.snapshots import moment_name, snapshot_file, steps_kept
from explorer.state.preset_file import save_preset
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.trace.trace import Trace
from explorer.training.run import Run
from explorer.training.setup import TrainingSetup
from explorer.training.tasks import toy_config, toy_recipe

pytestmark = pytest.mark.slow  # models are trained

SMALL = {"n_layers": 1, "n_heads": 2, "d_model": 16, "d_ff": 32}


def setup(folder: Path, task: str = "sort", architecture: str = "encoder-decoder", **recipe: object) -> TrainingSetup:
    """A training of a task that takes a second."""
    return TrainingSetup(
        out=folder,
        task=task,
        config=toy_config(architecture=architecture, **SMALL),
        recipe=toy_recipe(**{"epochs": 2, "examples": 200, "batch_tokens": 200} | recipe),
        snapshot_mb=1,
        device="cpu",
        text="31524",
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished training of the task sort."""
    made = Run(setup(tmp_path_factory.mktemp("run")))
    for _ in made.steps():
        pass
    made.finish()
    return made


def passed(name: str) -> Trace:
    """A pass of the preset of this name."""
    return explorer.explore("31524", preset=name)


def test_every_moment_is_a_preset(run: Run) -> None:
    """A pass of it shows the weights of its file, in float64 the same."""
    folder = run.wish.out
    steps = steps_kept(folder)
    assert (steps[0], steps[-1]) == (0, run.training.step) and len(steps) > 5
    seen = []
    for step in (steps[0], steps[3], steps[-1]):
        trace, weights = passed(moment_name(str(folder), step)), load_file(snapshot_file(folder, step))
        w, b = (weights[f"encoder.layers.0.self_attn.project_query.{part}"].double().numpy() for part in ("weight", "bias"))
        # Q = x·W_Q + b, of both heads
        q = trace["encoder.layers.0.norm1"].astype(np.float64) @ w.T + b
        recorded = trace["encoder.layers.0.self_attn.query"]  # [head, token, feature]
        np.testing.assert_allclose(recorded.transpose(1, 0, 2).reshape(q.shape), q, atol=1e-5)
        seen.append(recorded)
    assert not np.allclose(seen[0], seen[1]) and not np.allclose(seen[1], seen[2])


def test_a_moment_that_is_not_kept_names_those_that_are(run: Run) -> None:
    """In the user's sentence."""
    with pytest.raises(UnknownMoment, match="0, 1, 2"):
        load_preset(moment_name(str(run.wish.out), 10**6))


def test_a_training_that_goes_on_is_open_at_its_last_snapshot(tmp_path: Path) -> None:
    """Its folder is a preset from the first step on; in the end that of the finished weights."""
    begun = Run(setup(tmp_path))
    steps = begun.steps()
    for _ in range(4):
        next(steps)
    assert load_preset(str(tmp_path)).weights == snapshot_file(tmp_path, steps_kept(tmp_path)[-1])
    assert np.isfinite(passed(str(tmp_path))["generator.logits"]).all()
    for _ in steps:
        pass
    begun.finish()
    assert load_preset(str(tmp_path)).weights == tmp_path / WEIGHTS


def test_a_moment_can_be_kept_as_a_preset(run: Run, tmp_path: Path) -> None:
    """Its weights become those of the new folder, and nothing of the training goes with them."""
    step = steps_kept(run.wish.out)[3]
    name = moment_name(str(run.wish.out), step)
    preset = load_preset(name)
    kept = Path(save_preset(State(wish=Wish(preset=name, text="31524", config=preset.config)), tmp_path / "kept.toml"))
    assert sorted(each.name for each in kept.iterdir()) == ["preset.toml", "source.txt", "target.txt", WEIGHTS]
    assert (kept / WEIGHTS).read_bytes() == snapshot_file(run.wish.out, step).read_bytes()
    np.testing.assert_array_equal(passed(str(kept))["generator.logits"], passed(name)["generator.logits"])


def test_the_log_tells_each_step_and_measures_each_snapshot(run: Run) -> None:
    """Losses, rates and norms of all steps; the loss at the beginning is about that of guessing."""
    log = read_log(run.wish.out)
    assert log.column("step").tolist() == list(range(1, run.training.step + 1))
    assert log.total == run.training.n_steps
    assert np.isfinite(log.steps).all() and (log.column("norm") > 0).all()
    assert set(steps_kept(run.wish.out)) <= set(log.valid[:, 0].astype(int))
    assert log.column("valid_loss")[0] == pytest.approx(np.log(14), rel=0.5)
    assert log.column("valid_loss")[-1] < log.column("valid_loss")[0]


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only", "encoder-only"])
def test_the_same_seed_gives_the_same_bits_also_after_a_stop(tmp_path: Path, architecture: str) -> None:
    """With each architecture: stopped between two snapshots and gone on, or not."""
    whole, halved = tmp_path / "whole", tmp_path / "halved"
    for _ in (run := Run(setup(whole, architecture=architecture))).steps():
        pass
    run.finish()
    begun = Run(setup(halved, architecture=architecture))
    steps = begun.steps()
    for _ in range(7):
        next(steps)
    begun.stop()
    for _ in (again := Run(setup(halved, architecture=architecture))).steps():
        pass
    again.finish()
    one, two = load_file(whole / WEIGHTS), load_file(halved / WEIGHTS)
    assert one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)
    np.testing.assert_array_equal(read_log(whole).column("loss"), read_log(halved).column("loss"))


def test_a_notebook_trains_with_the_same_bits(run: Run, tmp_path: Path) -> None:
    """A loop that is left early goes on with the next call; what comes out is what the other way gave."""
    small = {"epochs": 2, "examples": 200, "batch_tokens": 200, **SMALL}
    for step in explorer.train("sort", out=tmp_path, snapshots=1, **small):
        if step.step == 5:
            break
    assert steps_kept(tmp_path)[-1] == 5
    losses = [step.loss for step in explorer.train("sort", out=tmp_path, snapshots=1, **small) if step.finished is None]
    assert len(losses) == run.training.step - 5
    one, two = load_file(run.wish.out / WEIGHTS), load_file(tmp_path / WEIGHTS)
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_wrong_call_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """At the call itself, not at the first step."""
    with pytest.raises(UnknownTask):
        explorer.train("nope", out=tmp_path / "a")
    with pytest.raises(NoTrainingData):
        explorer.train(out=tmp_path / "b")
    with pytest.raises(BadKnob):
        explorer.train("sort", out=tmp_path / "c", learning_rate=-1)
    assert not list(tmp_path.iterdir())
