"""Training: a step of a toy task against a plain PyTorch loop of the same model, and a key while a training runs."""

import itertools
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from PySide6.QtCore import QObject
from torch import nn

from explorer.app.training.process import TrainingProcess
from explorer.model.masks import padding
from explorer.model.weights import build
from explorer.runs.log import read_log
from explorer.tokens.vocabulary import PAD
from explorer.training.batches import batch_of, batch_plan
from explorer.training.run import Run
from explorer.training.setup import usual_setup
from tests.bench.bench import Bench, Task
from tests.bench.probe import SIXTEEN, Driven
from tests.bench.row import Row, compared
from tests.bench.timing import Pair, Sample, paired
from tests.bench.window_rows import typed

_STEP = "10 steps of training, task sort / a plain PyTorch loop of the same model"
_KEY = "a key while a training runs / without it"
_STEPS, _KEYS, _ROUNDS = 10, 40, 3


def tasks() -> list[Task]:
    """The second one with a window of its own."""
    return [Task("training", (_STEP,), _steps), Task("training", (_KEY,), _keys)]


def _steps(_bench: Bench) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(usual_setup(Path(folder), "sort", None, None, {"epochs": 1000, "examples": 60_000}))
        ours, plain = run.steps(), _plain(run)
        pair = paired(lambda: _take(ours), lambda: _take(plain), budget_s=20.0)
    return [compared(_STEP, pair, 1.05, note="with its log, without snapshots; one thread each")]


def _take(steps: Iterator[object]) -> None:
    for _step in itertools.islice(steps, _STEPS):
        pass


def _plain(run: Run) -> Iterator[None]:
    """The same model, examples, optimizer and batches, as somebody writes a loop who wants no more."""
    model = build(run.config).requires_grad_(True).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    loss_of = nn.CrossEntropyLoss(ignore_index=PAD)
    examples, rng = run.prepared.train, random.Random(0)
    plan = batch_plan([each.lengths for each in examples], run.wish.recipe.batch_tokens, rng)
    for rows in itertools.cycle(plan):
        batch = batch_of([examples[row].row(0.0, 0.0, rng) for row in rows])
        optimizer.zero_grad(set_to_none=True)
        real = padding(batch.lengths, batch.source.shape[1])
        logits = model.generator.logits_of(model.decode(batch.given, model.encode(batch.source, real), real))
        loss = loss_of(logits.flatten(0, 1), batch.expected.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()
        yield


def _keys(_bench: Bench) -> list[Row]:
    with Driven(SIXTEEN, "translator") as driven:
        _typed_ms(driven)  # warm
        rounds = []
        for _round in range(_ROUNDS):
            with _training(driven):
                beside = _typed_ms(driven)
            rounds.append((beside, _typed_ms(driven)))
    ours, theirs = (Sample(tuple(side)) for side in zip(*rounds, strict=True))
    return [compared(_KEY, Pair(ours, theirs), 1.5, note=f"medians of {_KEYS} keys, {_ROUNDS} times by turns")]


def _typed_ms(driven: Driven) -> float:
    found = []
    for _key in range(_KEYS):
        found.append(typed(driven).ms)
        driven.take_back()
        driven.wait(driven.settled)
    return Sample(tuple(found)).median


@contextmanager
def _training(driven: Driven) -> Iterator[None]:
    """A training as the window starts it, under way."""
    with tempfile.TemporaryDirectory() as folder:
        owner = QObject()
        process = TrainingProcess(owner)
        process.start(Path(folder), ["--task", "sort", "--epochs", "1000", "--snapshots", "64"])
        driven.wait(lambda: read_log(Path(folder)).last_step > 10)
        yield
        process.stop()
        driven.wait(lambda: not process.is_running)
