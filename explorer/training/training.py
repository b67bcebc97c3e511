"""The training loop as a generator of steps: its caller takes each step, shows it, and can stop.

All randomness comes from the recipe's seed, so a training that was killed and resumed ends with the same weights.
"""

import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.errors import BadCheckpoint, NotEnoughDeviceMemory
from explorer.model.transformer import Transformer
from explorer.model.weights_file import read_tensors, write_tensors
from explorer.tokens.vocabulary import PAD
from explorer.training import checkpoint
from explorer.training.batches import Batch, Example, batch_of, batch_plan
from explorer.training.checkpoint import Checkpoint, Memory, TrainingHistory
from explorer.training.dropout import with_byte_dropout
from explorer.training.loss import log_probabilities, training_loss
from explorer.training.optimizers import make_optimizer, moments, rate, restore_moments
from explorer.training.recipe import Precision, Recipe

_STEPS_BETWEEN_CHECKPOINTS = 500
_SECONDS_BETWEEN_CHECKPOINTS = 60.0


@attrs.frozen
class TrainingStep:
    """A finished step: the `share` of all steps that are done, losses in nats per target token, and seconds so far.

    `rate` is the learning rate, `norm` that of the gradient before it was clipped; both are 0 at the end of an epoch.
    """

    step: int
    epoch: int
    share: float
    loss: float
    tokens_per_s: float
    seconds: float
    rate: float = 0.0
    norm: float = 0.0
    finished: TrainingHistory | None = None


@attrs.frozen
class Validation:
    """The mean loss (nats per token) without smoothing, the share of tokens that are predicted right, and of whole rows."""

    loss: float
    accuracy: float
    exact: float


class Training:
    """One training in one folder. `steps()` resumes from the folder's checkpoint if there is one."""

    def __init__(
        self,
        model: Transformer,
        train: Sequence[Example],
        valid: Sequence[Example],
        recipe: Recipe,
        folder: Path,
        *,
        device: str = "cpu",
        precision: Precision = "float32",
        about: dict[str, object] | None = None,
        changing: bool = False,
    ) -> None:
        """`changing` lets it resume from a checkpoint of another recipe; `changed` then says what is another one now."""
        self.model, self.recipe = model, recipe
        self._train, self._valid, self._folder = train[: recipe.examples or None], valid, folder
        self._device, self._precision = torch.device(device), precision
        with self._enough_memory():
            model.to(self._device).requires_grad_(True).train()
        if self._device.type == "cpu":
            with_byte_dropout(model)
        self._parameters = dict(model.named_parameters())
        self.optimizer = make_optimizer(self._parameters, recipe)
        self._state = Checkpoint(
            step=0, epoch=0, batch=0, loss_sum=0.0, token_sum=0, seconds=0.0, history=(), about=about or {}
        )
        self._path, self._saved = folder / checkpoint.FILE, time.monotonic()
        torch.manual_seed(recipe.training_seed)
        self.changed: dict[str, tuple[Any, Any]] = {}
        if self._path.exists():
            self._resume(about or {}, changing=changing)

    @property
    def step(self) -> int:
        """The number of steps that are done."""
        return self._state.step

    @property
    def n_steps(self) -> int:
        """About how many steps the whole training has: those of the first epoch, for each epoch."""
        lengths = [example.lengths for example in self._train]
        plan = batch_plan(lengths, self.recipe.batch_tokens, random.Random(f"{self.recipe.training_seed} 0"))
        return len(plan) * self.recipe.epochs

    @property
    def history(self) -> tuple[TrainingHistory, ...]:
        """The results of the finished epochs."""
        return self._state.history

    def steps(self) -> Iterator[TrainingStep]:
        """Train step by step. Raises NotEnoughDeviceMemory, DiskFull, CannotWrite; the last complete checkpoint stays."""
        lengths = [example.lengths for example in self._train]
        while self._state.epoch < self.recipe.epochs and not self._is_stuck():
            rng = random.Random(f"{self.recipe.training_seed} {self._state.epoch}")
            plan = batch_plan(lengths, self.recipe.batch_tokens, rng)
            for number, rows in enumerate(plan):
                # Batches that are done already are drawn too, so that the next ones get the same random numbers.
                batch = self._batch(rows, rng)
                if number >= self._state.batch:
                    yield self._step(batch, len(plan))
            yield self._end_of_epoch()

    def _is_stuck(self) -> bool:
        return bool(self.history) and len(self.history) - self.best_epoch >= self.recipe.patience

    def _batch(self, rows: list[int], rng: random.Random) -> Batch:
        examples = [self._train[row] for row in rows]
        drawing = self.recipe.split_words, self.recipe.drop_stop, rng
        drawn = [example.row(*drawing) for example in examples]
        if self.recipe.agreement:
            drawn += [example.again(row, *drawing) for example, row in zip(examples, drawn, strict=True)]
        return batch_of(drawn)

    def _step(self, batch: Batch, n_batches: int) -> TrainingStep:
        start = time.perf_counter()
        share = (self._state.epoch + self._state.batch / n_batches) / self.recipe.epochs
        now = self.recipe.learning_rate * rate(self._state.step, share, self.recipe.warmup_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = now
        with self._enough_memory():
            batch = batch.to(self._device)
            expected = batch.expected[batch.expected != PAD]
            loss, norm = self._learn(batch, expected)
        told, seconds = loss.item(), time.perf_counter() - start
        self._state = attrs.evolve(
            self._state,
            step=self._state.step + 1,
            batch=self._state.batch + 1,
            loss_sum=self._state.loss_sum + told * len(expected),
            token_sum=self._state.token_sum + len(expected),
            seconds=self._state.seconds + seconds,
        )
        waited = time.monotonic() - self._saved
        if self._state.step % _STEPS_BETWEEN_CHECKPOINTS == 0 or waited > _SECONDS_BETWEEN_CHECKPOINTS:
            self.save()
        return TrainingStep(
            self._state.step,
            self._state.epoch,
            share,
            told,
            len(expected) / seconds,
            self._state.seconds,
            rate=now,
            norm=norm.item(),
        )

    def _learn(self, batch: Batch, expected: Tensor) -> tuple[Tensor, Tensor]:
        """Make one step; returns the loss and the norm of its gradient."""
        self.optimizer.zero_grad(set_to_none=True)
        with self._autocast():
            log_p = log_probabilities(self.model, batch)
        loss = training_loss(log_p, expected, self.recipe)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip_norm)
        self.optimizer.step()
        return loss.detach(), norm

    def _end_of_epoch(self) -> TrainingStep:
        start = time.perf_counter()
        found = self.validate()
        seconds = self._state.seconds + time.perf_counter() - start
        finished = TrainingHistory(
            epoch=self._state.epoch + 1,
            training_loss=self._state.loss_sum / max(1, self._state.token_sum),
            validation_loss=found.loss,
            accuracy=found.accuracy,
            exact=found.exact,
            seconds=seconds,
        )
        # The epoch counts as done only when its weights are on disk, because the average needs them later.
        self._keep_epoch(finished.epoch)
        self._state = attrs.evolve(
            self._state,
            epoch=finished.epoch,
            batch=0,
            loss_sum=0.0,
            token_sum=0,
            seconds=seconds,
            history=(*self.history, finished),
        )
        self.save()
        self._drop_epochs()
        share = self._state.epoch / self.recipe.epochs
        return TrainingStep(self._state.step, self._state.epoch, share, finished.training_loss, 0.0, seconds, finished=finished)

    def validate(self) -> Validation:
        """Measure on the validation rows. Raises NotEnoughDeviceMemory."""
        lengths = [example.lengths for example in self._valid]
        total = right = count = exact = 0.0
        rng = random.Random(0)
        with self._enough_memory(), torch.inference_mode(), self._autocast(), _resting(self.model):
            for rows in batch_plan(lengths, 4 * self.recipe.batch_tokens, rng):
                batch = batch_of([self._valid[row].row(0.0, 0.0, rng) for row in rows]).to(self._device)
                asked = batch.expected != PAD
                log_p, expected = log_probabilities(self.model, batch), batch.expected[asked]
                hits = log_p.argmax(dim=-1) == expected
                total -= log_p.gather(1, expected[:, None]).sum().item()
                right += hits.sum().item()
                count += len(expected)
                misses = torch.zeros_like(asked)
                misses[asked] = ~hits
                exact += (~misses.any(dim=1)).sum().item()
        return Validation(total / max(1.0, count), right / max(1.0, count), exact / max(1, len(lengths)))

    def _autocast(self) -> AbstractContextManager[object]:
        if self._precision == "bfloat16":
            return torch.autocast(self._device.type, dtype=torch.bfloat16)
        return nullcontext()

    @contextmanager
    def _enough_memory(self) -> Iterator[None]:
        """Inside the block, a full device raises NotEnoughDeviceMemory. Training can go on with smaller batches."""
        try:
            yield
        except torch.OutOfMemoryError as error:
            raise NotEnoughDeviceMemory(device=str(self._device), batch_tokens=self.recipe.batch_tokens) from error

    def _keep_epoch(self, epoch: int) -> None:
        """Write the weights after an epoch, for the average."""
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in self._parameters.items()}
        write_tensors(self.epoch_file(epoch), weights, {})

    def _drop_epochs(self) -> None:
        """Remove the files of weights that the average does not need any more."""
        for epoch in range(1, self.best_epoch - self.recipe.average + 1):
            self.epoch_file(epoch).unlink(missing_ok=True)

    @property
    def best_epoch(self) -> int:
        """The epoch with the smallest validation loss, the first of equal ones; NaN is never the smallest."""
        return min(self.history, key=lambda each: (math.isnan(each.validation_loss), each.validation_loss)).epoch

    def epoch_file(self, epoch: int) -> Path:
        """The file of the weights after an epoch; only those around the best epoch are kept."""
        return self._folder / f"epoch-{epoch:03}.safetensors"

    def averaged(self) -> dict[str, Tensor]:
        """The mean of the weights after the best epoch and those just before it. Raises BadWeights."""
        last = self.best_epoch
        files = [self.epoch_file(epoch) for epoch in range(max(1, last - self.recipe.average + 1), last + 1)]
        return average(files)

    def save(self) -> None:
        """Write the checkpoint. Raises CannotWrite, DiskFull."""
        first, second = moments(self.optimizer, self._parameters)
        memory = Memory(dict(self._parameters), first, second, checkpoint.random_states(self._device))
        checkpoint.save(self._path, self._state, memory)
        self._saved = time.monotonic()

    def _resume(self, about: dict[str, object], *, changing: bool) -> None:
        """Go on where the checkpoint was written. Raises BadCheckpoint if it belongs to another training."""
        state, memory = checkpoint.load(self._path)
        self.changed = checkpoint.differing(state.about, about)
        if self.changed and not changing:
            raise BadCheckpoint(path=str(self._path), reason=checkpoint.told(self.changed))
        if state.about != about:
            # The batches are others now, so the finished batches of this epoch do not count, and it begins again.
            state = attrs.evolve(state, about=about, batch=0, loss_sum=0.0, token_sum=0)
        try:
            with torch.no_grad(), self._enough_memory():
                self._restore(memory, state.step)
            checkpoint.restore_random(memory.random, self._device)
        except (KeyError, RuntimeError, TypeError) as error:  # A tensor is missing, or has another shape or type.
            raise BadCheckpoint(path=str(self._path), reason=str(error)) from error
        self._state = state

    def _restore(self, memory: Memory, n_steps: int) -> None:
        for name, parameter in self._parameters.items():
            if memory.weights[name].shape != parameter.shape:
                raise KeyError(name)  # Copying would broadcast it to the wanted shape.
            parameter.copy_(memory.weights[name])
            if name in memory.first:
                restore_moments(self.optimizer, parameter, memory.first[name], memory.second.get(name), n_steps)


@contextmanager
def _resting(model: nn.Module) -> Iterator[None]:
    """Disable the model's dropout inside the block, and enable it again afterwards, also after an error."""
    model.eval()
    try:
        yield
    finally:
        model.train()


def average(files: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of several weight files, by name. Raises BadWeights."""
    loaded = [read_tensors(path) for path in files]
    return {name: torch.stack([each[name] for each in loaded]).mean(dim=0) for name in loaded[0]}
