"""A Run: a whole training from a data file to a preset with weights."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import torch

from explorer.engine.devices import chosen_device
from explorer.engine.freed_memory import keep_freed_memory
from explorer.files import make_folder
from explorer.model.weights import Weights, build
from explorer.model.weights_file import FILE, VOCABULARY, load_weights
from explorer.tokens.bilingual import SOURCE_FILE, Bilingual
from explorer.training import checkpoint
from explorer.training.bundle import write_bundle, write_knobs
from explorer.training.own_data import prepare_pairs, prepare_text
from explorer.training.prepare import PreparedData, prepare, prepare_texts
from explorer.training.recipe import Precision
from explorer.training.record import Record
from explorer.training.setup import TrainingSetup
from explorer.training.task_examples import prepare_task
from explorer.training.tasks import OF_FILES, task_named
from explorer.training.training import Training, TrainingStep

_KEPT_BYTES = 2**30
_MB = 2**20
_EXAMPLES = 8000  # of a task, where the recipe does not say how many


class Run:
    """A training. The constructor prepares it, `steps()` trains, `finish()` writes the preset.

    What others see of it while it runs stands in its folder: see `explorer.runs`.
    """

    def __init__(self, wish: TrainingSetup, progress: Callable[[float], None] = lambda share: None) -> None:
        self.wish = wish
        self.device = chosen_device(wish.device)
        keep_freed_memory(_KEPT_BYTES)
        make_folder(wish.out)
        self.precision: Precision = self._precision()
        if wish.start is not None and not (wish.out / SOURCE_FILE).exists():
            (Bilingual.read if wish.translates else Bilingual.read_shared)(wish.start).write(wish.out)
        self.prepared = _prepared(wish, progress)
        bilingual = self.prepared.bilingual
        n_target = len(bilingual.target) if wish.translates else 0
        self.config = wish.config.changed(vocab_size=len(bilingual.source), target_vocab_size=n_target)
        self.training = Training(
            build(self.config, self._weights()),
            self.prepared.train,
            self.prepared.valid,
            wish.recipe,
            wish.out,
            device=self.device,
            precision=self.precision,
            about=self._about(),
            changing=wish.changing,
        )
        write_knobs(wish.out, self.config, wish.text)
        told = {VOCABULARY: json.dumps(bilingual.sha256)}
        self.record = Record(self.training, wish.out, round(wish.snapshot_mb * _MB), told, wish.told)

    def _weights(self) -> Weights | None:
        """The initial weights, None for new ones; a checkpoint has its own. Raises BadWeights."""
        if self.wish.start is None or (self.wish.out / checkpoint.FILE).exists():
            return None
        return load_weights(self.wish.start / FILE, self.config)

    def _precision(self) -> Precision:
        """The precision of the TrainingSetup; for "auto" that of the checkpoint, or float32 without one."""
        path = self.wish.out / checkpoint.FILE
        if self.wish.precision == "auto" and path.exists():
            kept = checkpoint.load(path)[0].about.get("precision")
            return "bfloat16" if kept == "bfloat16" else "float32"
        return "bfloat16" if self.wish.precision == "bfloat16" else "float32"

    def _about(self) -> dict[str, object]:
        """What a checkpoint must agree with for this training to resume from it."""
        return {
            "config": self.config.values(),
            "recipe": attrs.asdict(self.wish.recipe),
            "data_sha256": self.prepared.sha256,
            "precision": self.precision,
            VOCABULARY: self.prepared.bilingual.sha256,
        }

    def perplexities(self, loss: float) -> tuple[float, float]:
        """The perplexity per token and per character of a language model's validation loss (nats per token)."""
        return math.exp(loss), math.exp(loss / self.prepared.characters_per_token)

    def steps(self) -> Iterator[TrainingStep]:
        """Train step by step; see Training.steps. Whoever stops before the end calls `stop`."""
        with _few_threads(self.wish):
            for step in self.training.steps():
                self.record.add(step)
                yield step
            self.record.close()

    def stop(self) -> None:
        """Write a checkpoint, from which the same training goes on. Raises CannotWrite, DiskFull."""
        self.training.save()
        self.record.close()

    def finish(self) -> Path:
        """Average the last epochs and write the preset. Raises CannotWrite, DiskFull."""
        history = [attrs.asdict(each) for each in self.training.history]
        write_bundle(
            self.wish.out,
            self.training.averaged(),
            self.config,
            self.prepared.bilingual,
            self.wish.text or self.prepared.first,
            {**self._about(), "history": history},
        )
        return self.wish.out


def _prepared(wish: TrainingSetup, progress: Callable[[float], None]) -> PreparedData:
    if wish.task in OF_FILES and wish.data is not None:
        return (prepare_text if wish.task == "text" else prepare_pairs)(wish.data, wish.out, wish.config)
    if wish.data is None:
        recipe = wish.recipe
        return prepare_task(task_named(wish.task), recipe.examples or _EXAMPLES, recipe.training_seed, wish.config, wish.out)
    if wish.translates:
        return prepare(wish.data, wish.out, wish.config, progress)
    return prepare_texts(wish.data, wish.sentences, wish.out, wish.config, progress)


@contextmanager
def _few_threads(wish: TrainingSetup) -> Iterator[None]:
    """One thread for a task: its products are too small to be shared, and the same seed then gives the same bits anywhere."""
    before = torch.get_num_threads()
    if wish.task:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
