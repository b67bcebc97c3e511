"""Tiny trainings: made-up examples in ids, and a data file of made-up sentences."""

import random
from pathlib import Path

import torch
from torch import Tensor

from explorer.config import Config
from explorer.model.weights import build
from explorer.training import training
from explorer.training.batches import PairExample
from explorer.training.recipe import Recipe
from explorer.training.setup import TrainingSetup
from explorer.training.training import Training, TrainingStep

CONFIG = Config(n_layers=1, n_heads=2, d_model=16, d_ff=32, max_len=40, vocab_size=30, target_vocab_size=25, dropout=0.2)
RECIPE = Recipe(epochs=3, batch_tokens=18, warmup_steps=4, learning_rate=0.01, average=2, split_words=0.3, drop_stop=0.3)


def examples(count: int, seed: int = 0) -> tuple[PairExample, ...]:
    """Sentences of one to five words, some of several characters; the target follows from the source."""
    rng = random.Random(seed)
    made: list[PairExample] = []
    for _ in range(count):
        words = [rng.randrange(4, 14) for _ in range(rng.randrange(1, 6))]
        source = tuple(((word + 10,), (word, word + 1)) if word % 3 == 0 else ((word,),) for word in words)
        made.append(PairExample(source, tuple(word + 5 for word in words), has_stop=len(words) > 2))
    return tuple(made)


TRAIN, VALID = examples(40), examples(10, seed=1)


def a_training(
    folder: Path, recipe: Recipe = RECIPE, config: Config = CONFIG, about: dict[str, object] | None = None
) -> Training:
    """Fresh weights, or those of the checkpoint in the folder; torch's own random numbers stand somewhere else first."""
    torch.manual_seed(random.randrange(2**31))
    return Training(build(config), TRAIN, VALID, recipe, folder, about=about)


def finished(folder: Path, recipe: Recipe = RECIPE, config: Config = CONFIG) -> Training:
    """A training that was not disturbed."""
    done = a_training(folder, recipe, config)
    for _ in done.steps():
        pass
    return done


def steps_of(one: Training, count: int) -> list[TrainingStep]:
    """So many steps, and then no more: as if killed."""
    steps = one.steps()
    return [next(steps) for _ in range(count)]


def weights(one: Training) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in one.model.named_parameters()}


def assert_equal(one: dict[str, Tensor], two: dict[str, Tensor]) -> None:
    """To the last bit, and under the same names."""
    assert one.keys() == two.keys()
    assert [name for name in one if not torch.equal(one[name], two[name])] == []


SUBJECTS = {"我": "I", "你": "you", "他": "he", "我们": "we"}
VERBS = {"爱": "love", "看": "see", "找": "look for"}
OBJECTS = {"北京": "Beijing", "书": "books", "猫": "cats", "图书馆": "the library"}
PAIRS = tuple(
    (f"{subject}{verb}{what}。", f"{SUBJECTS[subject]} {VERBS[verb]} {OBJECTS[what]}.")
    for subject in SUBJECTS
    for verb in VERBS
    for what in OBJECTS
)


def data_file(path: Path, *more: str) -> Path:
    """Forty training rows and eight of validation, then the rows that a test adds."""
    rows = [f"{'valid' if number % 6 == 0 else 'train'}\t{zh}\t{en}" for number, (zh, en) in enumerate(PAIRS)]
    path.write_text("\n".join(("split\tzh\ten", *rows, *more)) + "\n", encoding="utf-8")
    return path


def wish(folder: Path, data: Path, config: Config | None = None, **recipe: object) -> TrainingSetup:
    """A whole training that takes seconds."""
    tiny = Config(n_layers=1, n_heads=2, d_model=16, d_ff=32, max_len=40, vocab_size=100, target_vocab_size=290, dropout=0.1)
    return TrainingSetup(
        data=data,
        out=folder,
        config=config or tiny,
        recipe=RECIPE.changed(**{"epochs": 1, "batch_tokens": 100} | recipe),
        device="cpu",
        precision="float32",
        text="我爱北京",
    )


CHECKPOINTS = f"{training.__name__}._STEPS_BETWEEN_CHECKPOINTS"
