"""A training that was killed and resumed ends with the very weights of one that was not."""

import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from explorer.errors import BadWeights
from explorer.lang import Words
from explorer.training import checkpoint
from explorer.training.training import Training, average, rate
from tests.sweeps import sweep
from tests.training.runs import CHECKPOINTS, CONFIG, RECIPE, VALID, a_training, assert_equal, finished, steps_of, weights

pytestmark = pytest.mark.slow  # models are trained

# Killed and resumed

KILLS = ((1,), (4,), (5,), (6,), (13,), (3, 3, 3), (7, 8, 1, 12))
"""After how many steps each."""


@pytest.mark.parametrize("kills", sweep(KILLS, telling=[(5,), (7, 8, 1, 12)]), ids=str)
def test_a_killed_and_resumed_training_ends_with_the_same_weights(
    tmp_path: Path, undisturbed: Training, kills: tuple[int, ...]
) -> None:
    """To the last bit, before the first checkpoint, at one, between two, and again and again; the history too."""
    for count in kills:
        steps_of(a_training(tmp_path), count)
    resumed = finished(tmp_path)

    assert_equal(weights(resumed), weights(undisturbed))
    assert_equal(resumed.averaged(), undisturbed.averaged())
    assert [attrs.evolve(each, seconds=0) for each in resumed.history] == [
        attrs.evolve(each, seconds=0) for each in undisturbed.history
    ]


@pytest.mark.parametrize("after", [0, 1])
def test_a_training_killed_right_after_an_epoch_ends_with_the_same_weights(
    tmp_path: Path, undisturbed: Training, after: int
) -> None:
    """And one that had begun the next."""
    steps = a_training(tmp_path).steps()
    while next(steps).finished is None:
        pass
    for _ in range(after):
        next(steps)

    assert_equal(weights(finished(tmp_path)), weights(undisturbed))


def test_a_training_goes_on_after_the_last_checkpoint(tmp_path: Path) -> None:
    """TrainingStep, place in the epoch and sums; not from the beginning."""
    killed = steps_of(a_training(tmp_path), 7)
    again = next(a_training(tmp_path).steps())

    assert (again.step, again.epoch) == (6, 0)
    assert again.loss == killed[5].loss
    assert again.share == killed[5].share > 0


def test_a_slow_training_is_kept_by_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a step takes a minute and a half, each second one is followed by a checkpoint."""
    clock = itertools.count(0.0, 91.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(CHECKPOINTS, 1000)
    steps_of(a_training(tmp_path), 5)

    assert checkpoint.load(tmp_path / checkpoint.FILE)[0].step > 2


_SCRIPT = """
import os, signal, sys
from pathlib import Path
import torch
from explorer.training import training
from explorer.model import weights_file as trained
from tests.training.runs import a_training
torch.set_num_threads(1)
training._STEPS_BETWEEN_CHECKPOINTS = 5
write = trained.save_file
def killed(tensors, path, about):
    write(tensors, path, about)
    if '"step": 10,' in about.get("state", ""):
        Path(path).write_bytes(Path(path).read_bytes()[:1000])
        os.kill(os.getpid(), signal.SIGKILL)
trained.save_file = killed
for _ in a_training(Path(sys.argv[1])).steps():
    pass
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills otherwise")
def test_a_process_killed_while_it_writes_a_checkpoint_loses_nothing(tmp_path: Path, undisturbed: Training) -> None:
    """The checkpoint before it stays, and the training ends with the same weights."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(tmp_path)], cwd=root, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )

    assert done.returncode == -signal.SIGKILL
    assert checkpoint.load(tmp_path / checkpoint.FILE)[0].step == 5
    assert_equal(weights(finished(tmp_path)), weights(undisturbed))


def test_random_numbers_that_are_not_restored_would_be_found(
    tmp_path: Path, undisturbed: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dropout alone makes other weights."""
    steps_of(a_training(tmp_path), 6)
    monkeypatch.setattr(checkpoint, "restore_random", lambda *_given: None)
    with pytest.raises(AssertionError):
        assert_equal(weights(finished(tmp_path)), weights(undisturbed))


@pytest.mark.parametrize("group", ["first", "second"])
def test_moments_that_are_not_restored_would_be_found(
    tmp_path: Path, undisturbed: Training, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    """Adam without its memory walks elsewhere."""
    steps_of(a_training(tmp_path), 6)
    load = checkpoint.load

    def forgetful(path: Path) -> tuple[checkpoint.Checkpoint, checkpoint.Memory]:
        state, memory = load(path)
        kept = getattr(memory, group)
        return state, attrs.evolve(memory, **{group: {name: 0 * each for name, each in kept.items()}})

    monkeypatch.setattr(checkpoint, "load", forgetful)
    with pytest.raises(AssertionError):
        assert_equal(weights(finished(tmp_path)), weights(undisturbed))


def test_the_seed_decides_and_nothing_else(tmp_path: Path, undisturbed: Training) -> None:
    """torch's own random numbers stood somewhere else; another seed gives other weights."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    assert_equal(weights(finished(tmp_path / "a")), weights(undisturbed))
    with pytest.raises(AssertionError):
        assert_equal(weights(finished(tmp_path / "b", RECIPE.changed(training_seed=1))), weights(undisturbed))


@pytest.mark.parametrize(
    "knobs",
    [{"norm_placement": "post"}, {"position": "learned"}, {"tied_embeddings": True}, {"bias": False, "norm_kind": "std-eps"}],
    ids=str,
)
def test_every_kind_of_model_can_be_killed_and_resumed(tmp_path: Path, knobs: dict[str, object]) -> None:
    """Under post-norm the final norms idle and have no moments."""
    config, recipe = CONFIG.changed(**knobs), RECIPE.changed(epochs=1)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    steps_of(a_training(tmp_path / "a", recipe, config), 6)

    assert_equal(weights(finished(tmp_path / "a", recipe, config)), weights(finished(tmp_path / "b", recipe, config)))


# What training does


def test_it_learns(undisturbed: Training) -> None:
    """Both losses fall from epoch to epoch, and the last lies below that of guessing, log 25 nats."""
    losses = [each.validation_loss for each in undisturbed.history]

    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < math.log(25)
    assert [each.epoch for each in undisturbed.history] == [1, 2, 3]
    assert all(0 <= each.accuracy <= 1 for each in undisturbed.history)


def test_the_validation_loss_is_torchs_cross_entropy(tmp_path: Path) -> None:
    """Per target token, the end symbol among them, without smoothing and without dropout; accuracy as counted by hand."""
    done = finished(tmp_path, RECIPE.changed(epochs=1))
    model = done.model.eval()
    losses: list[torch.Tensor] = []
    right: list[bool] = []
    for example in VALID:
        source = torch.tensor([example.source_ids(0, 0, random.Random(0))])
        given, expected = torch.tensor([(2, *example.target)]), torch.tensor((*example.target, 3))
        logits = model(source, given)[0]
        losses.append(nn.functional.cross_entropy(logits, expected, reduction="none"))
        right += (logits.argmax(dim=-1) == expected).tolist()

    assert done.history[0].validation_loss == pytest.approx(torch.cat(losses).mean().item(), abs=1e-5)
    assert done.history[0].accuracy == pytest.approx(sum(right) / len(right))


def test_validating_draws_no_random_number_and_ends_in_training(tmp_path: Path) -> None:
    """Whatever happens in it."""
    one = a_training(tmp_path)
    before = torch.get_rng_state()
    one.validate()

    assert torch.equal(torch.get_rng_state(), before)
    assert all(module.training for module in one.model.modules())
    one.model.generator.project.bias = None  # a model that breaks in the middle
    one.model.generator.project.weight.data = torch.zeros(2, 2)
    with pytest.raises(RuntimeError):
        one.validate()
    assert all(module.training for module in one.model.modules())


def test_only_matrices_decay(tmp_path: Path) -> None:
    """Biases and norms are not drawn towards zero."""
    one = a_training(tmp_path)
    decays = {id(parameter): group["weight_decay"] for group in one.optimizer.param_groups for parameter in group["params"]}

    assert decays == {
        id(parameter): RECIPE.weight_decay if parameter.dim() > 1 else 0.0 for parameter in one.model.parameters()
    }


@pytest.mark.parametrize(
    ("step", "share", "warmup", "expected"),
    [
        (0, 0.0, 10, 0.1),
        (4, 0.0, 10, 0.5),
        (9, 0.0, 10, 1.0),
        (500, 0.5, 10, 0.5),
        (500, 1.0, 10, 0.0),
        (0, 0.0, 0, 1.0),
        (0, 0.0, 1, 1.0),
        (500, 1 / 3, 10, 0.75),
        (4, 0.5, 10, 0.25),
    ],
)
def test_the_learning_rate_rises_in_a_line_and_falls_along_a_cosine(
    step: int, share: float, warmup: int, expected: float
) -> None:
    """cos 0 = 1, cos π/2 = 0, cos π = -1, cos π/3 = 1/2."""
    assert rate(step, share, warmup) == pytest.approx(expected)


def test_the_rate_is_the_optimizers(tmp_path: Path) -> None:
    """At each step, after a resumption too."""
    recipe = RECIPE.changed(epochs=2, warmup_steps=3)
    for _ in range(2):
        one = a_training(tmp_path, recipe)
        steps = one.steps()
        for step in (step for step in (next(steps) for _ in range(8)) if step.finished is None):
            expected = 0.01 * min(1, step.step / 3) * 0.5 * (1 + math.cos(math.pi * step.share))
            assert [group["lr"] for group in one.optimizer.param_groups] == pytest.approx([expected] * 2)


def test_gradients_are_clipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their norm is the recipe's at most when the optimizer sees them."""
    one = a_training(tmp_path, RECIPE.changed(clip_norm=0.05))
    seen: list[float] = []
    step = one.optimizer.step

    def watched() -> None:
        seen.append(math.sqrt(sum(each.grad.square().sum().item() for each in one.model.parameters())))
        step()

    monkeypatch.setattr(one.optimizer, "step", watched)
    steps_of(one, 3)

    assert seen == pytest.approx([0.05] * 3, rel=1e-3)


# Epochs


def with_losses(folder: Path, losses: list[float], **recipe: object) -> Training:
    """A training whose validation comes out as told."""
    one = a_training(folder, RECIPE.changed(**{"epochs": 20, "batch_tokens": 2000, "average": 2} | recipe))
    told = iter(losses)
    one.validate = lambda: (next(told), 0.5)  # type: ignore[method-assign]
    return one


NAN = math.nan


@pytest.mark.parametrize(
    ("losses", "patience", "best"),
    [
        ([3, 2, 2.5, 2.6], 2, 2),
        ([3, 2, 2, 2], 2, 2),
        ([3, 4], 1, 1),
        ([3, 2, 2.5, 1, 1.5, 1.6], 2, 4),
        ([3, NAN, NAN], 2, 1),
        ([NAN, 3, 4, 5], 2, 2),
    ],
    ids=str,
)
def test_training_stops_when_nothing_gets_better(tmp_path: Path, losses: list[float], patience: int, best: int) -> None:
    """After so many epochs without a smaller loss; an equal one is not smaller, and one that is no number is no best."""
    one = with_losses(tmp_path, losses, patience=patience)
    done = [step.finished for step in one.steps() if step.finished]

    assert len(done) == len(losses)
    assert one.best_epoch == best
    assert list(a_training(tmp_path, one.recipe).steps()) == []  # stopped is stopped


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_the_average_is_that_of_the_best_epoch_and_those_before_it(tmp_path: Path, count: int) -> None:
    """Later ones do not count; what will not be needed is deleted."""
    one = with_losses(tmp_path, [5, 4, 3, 2, 2.5, 2.6], patience=2, average=count)
    seen = [weights(one) for step in one.steps() if step.finished]
    expected = seen[max(0, 4 - count) : 4]

    for name, value in one.averaged().items():
        mean = sum(each[name].double() for each in expected) / len(expected)
        torch.testing.assert_close(value.double(), mean, atol=1e-6, rtol=0)
    assert sorted(path.name for path in tmp_path.glob("epoch-*")) == [
        f"epoch-{epoch:03}.safetensors" for epoch in range(max(1, 5 - count), 7)
    ]


def test_an_epoch_that_is_gone_or_damaged_is_told(tmp_path: Path) -> None:
    """Somebody cleaned up between training and averaging."""
    one = with_losses(tmp_path, [5, 4, 4], patience=1)
    for _ in one.steps():
        pass
    one.epoch_file(2).write_bytes(b"half")
    with pytest.raises(BadWeights) as caught:
        one.averaged()
    assert "epoch-002" in Words.load("zh").error(caught.value)
    one.epoch_file(2).unlink()
    with pytest.raises(BadWeights):
        one.averaged()


def test_an_average_is_a_mean_by_name(tmp_path: Path) -> None:
    """Of numbers that one can check in one's head."""
    for number in (1, 2):
        save_file({"a": torch.tensor([1.0 * number, 4.0]), "b": torch.tensor(number * 10.0)}, tmp_path / f"{number}")

    found = average([tmp_path / "1", tmp_path / "2"])
    assert (found["a"].tolist(), found["b"].item()) == ([1.5, 4.0], 15.0)


def test_a_step_tells_what_it_did(tmp_path: Path) -> None:
    """Numbers from 1, shares that climb, seconds that add up; the last of an epoch bears its history."""
    told = list(a_training(tmp_path, RECIPE.changed(epochs=2)).steps())
    steps = [step for step in told if step.finished is None]

    assert [step.step for step in steps] == list(range(1, len(steps) + 1))
    assert [step.share for step in told] == sorted(step.share for step in told)
    assert (told[0].share, told[-1].share) == (0.0, 1.0)
    assert [step.seconds for step in told] == sorted(step.seconds for step in told)
    assert all(step.tokens_per_s > 0 for step in steps)
    assert [step.finished.epoch for step in told if step.finished] == [1, 2]
    json.dumps([attrs.asdict(step) for step in told], allow_nan=False)
