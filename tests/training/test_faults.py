"""A full disk, a device that is too small, a checkpoint of something else: told in a sentence, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
import torch
from safetensors.torch import load_file, save_file

from explorer.errors import BadCheckpoint, DiskFull, NotEnoughDeviceMemory
from explorer.lang import LANGUAGES, Words
from explorer.model import weights_file as trained
from explorer.model.weights import build
from explorer.training import checkpoint, training
from explorer.training.training import Training
from tests.model.test_weights_file import full_disk
from tests.training.runs import CONFIG, RECIPE, TRAIN, VALID, a_training, assert_equal, finished, steps_of, weights

pytestmark = pytest.mark.slow  # models are trained


def test_a_full_disk_leaves_the_checkpoint_before(
    tmp_path: Path, undisturbed: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user is told; with room again the training ends with the same weights."""
    one = a_training(tmp_path)
    steps = one.steps()
    for _ in range(5):
        next(steps)
    kept = (tmp_path / checkpoint.FILE).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(trained, "save_file", full_disk)
        with pytest.raises(DiskFull) as caught:
            for _ in steps:
                pass
    assert str(tmp_path / checkpoint.FILE) in Words.load("en").error(caught.value)
    assert (tmp_path / checkpoint.FILE).read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir()] == [checkpoint.FILE]

    assert_equal(weights(finished(tmp_path)), weights(undisturbed))


@pytest.mark.parametrize("name", ["epoch-001", "checkpoint"])
def test_a_disk_that_is_full_at_the_end_of_an_epoch_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The same object goes on as soon as there is room, and no epoch is missing from the average."""
    write = trained.save_file
    recipe = RECIPE.changed(average=3)
    (tmp_path / "b").mkdir()
    undisturbed = finished(tmp_path / "b", recipe)
    one = a_training(tmp_path, recipe)

    def full_at_the_end(tensors: object, path: Path, about: dict[str, str]) -> None:
        (
            full_disk
            if f".{name}" in path.name and (tmp_path / "epoch-001.safetensors").exists() == (name == "checkpoint")
            else write
        )(tensors, path, about)

    with monkeypatch.context() as patch:
        patch.setattr(trained, "save_file", full_at_the_end)
        with pytest.raises(DiskFull):
            for _ in one.steps():
                pass
    for _ in one.steps():
        pass

    assert_equal(weights(one), weights(undisturbed))
    assert_equal(one.averaged(), undisturbed.averaged())


@pytest.fixture
def too_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A device whose memory is full, as torch tells it."""

    def full(*_given: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")

    with monkeypatch.context() as patch:
        patch.setattr(training, "log_probabilities", full)
        yield


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_device_that_is_too_small_is_told_in_a_sentence(tmp_path: Path, too_small: None, language: str) -> None:
    """With its name and the size of the batches, in a step and in validation."""
    one = a_training(tmp_path)
    for work in (lambda: next(one.steps()), one.validate):
        with pytest.raises(NotEnoughDeviceMemory) as caught:
            work()
        sentence = Words.load(language).error(caught.value)
        assert "cpu" in sentence
        assert "18" in sentence
        assert "--batch-tokens" in sentence


def test_after_a_device_was_too_small_smaller_batches_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the sentence advises: the epoch begins again with the weights of the last checkpoint, nothing else is lost."""
    about = {"recipe": attrs.asdict(RECIPE), "data": "x"}
    steps_of(a_training(tmp_path, about=about), 6)
    smaller = RECIPE.changed(batch_tokens=16)
    kept = checkpoint.load(tmp_path / checkpoint.FILE)[1].weights
    one = a_training(tmp_path, smaller, about=about | {"recipe": attrs.asdict(smaller)})

    assert_equal(weights(one), kept)
    first = next(one.steps())
    assert (first.step, first.epoch, first.share) == (6, 0, 0.0)
    for _ in one.steps():
        pass
    assert len(one.history) == 3
    assert checkpoint.load(tmp_path / checkpoint.FILE)[0].about["recipe"]["batch_tokens"] == 16


def test_gradients_of_a_step_that_failed_do_not_reach_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a backward pass leaves some behind."""
    one = a_training(tmp_path, RECIPE.changed(agreement=0, batch_tokens=2000), CONFIG.changed(dropout=0))
    for parameter in one.model.parameters():
        parameter.grad = torch.full_like(parameter, 1e6)
    next(one.steps())
    (tmp_path / "b").mkdir()
    clean = a_training(tmp_path / "b", one.recipe, CONFIG.changed(dropout=0))
    next(clean.steps())

    assert_equal(weights(one), weights(clean))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"data": "x"}, {"data": "y"}, "data"),
        ({"a": 1, "b": 1}, {"a": 2, "b": 2}, "a, b"),
        ({"a": 1}, {}, "a"),
        ({"recipe": {"epochs": 3}}, {"recipe": {"epochs": 4}}, "--epochs 3 ≠ 4"),
        ({"recipe": "x"}, {"recipe": {"epochs": 4}}, "recipe"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(
    tmp_path: Path, before: dict[str, object], after: dict[str, object], told: str
) -> None:
    """The sentence says in what they differ."""
    steps_of(a_training(tmp_path, about=before), 5)
    with pytest.raises(BadCheckpoint) as caught:
        a_training(tmp_path, about=after)

    assert Words.load("en").error(caught.value).endswith(f": {told}.")


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    """Even one that tells nothing about itself: a tensor is missing, or of another shape that could be stretched."""
    steps_of(a_training(tmp_path), 5)
    for knobs in ({"n_layers": 2}, {"d_ff": 64}, {"position": "learned"}):
        with pytest.raises(BadCheckpoint):
            Training(build(CONFIG.changed(**knobs)), TRAIN, VALID, RECIPE, tmp_path)

    path = tmp_path / checkpoint.FILE
    state = trained.read_about(path)
    tensors = load_file(path)
    for name, change in (
        ("model.generator.project.bias", lambda x: x[:1]),
        ("random.cpu", lambda x: x[:9]),
        ("random.cpu", lambda x: x.float()),
        ("second_moment.generator.project.bias", lambda x: x[:7]),
    ):
        save_file({**tensors, name: change(tensors[name]).contiguous()}, path, state)
        with pytest.raises(BadCheckpoint):
            a_training(tmp_path)
