"""Trials: one pass made many times with something else changed each time, several of them in one batch.

A trial is a tuple of Changes. In a batch, row b of every tensor belongs to trial b, and a hook at each changed tap changes this
row alone. The numbers are those of single passes with the same Changes.

Trials that change nothing in the encoder share its output; only the others encode the source again. The layers in front of the
first change of a batch do not run either (`layers_in_front`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor

from explorer.engine.changed_tensors import changed
from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.runs import EVERYWHERE, Places
from explorer.engine.speed.threads import batch_threads
from explorer.model.hooks import hooked
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap, first_of
from explorer.trace.changes import Change
from explorer.trace.found.effects import measured_words
from explorer.trace.model_card import ModelCard

Trial = tuple[Change, ...]
OfLogits = Callable[[Tensor], float]
"""A metric of the logits [position, vocab] of one pass."""
NUMBERS_AT_ONCE = 2**22  # the size of the largest tensor of a batch, about: 16 MB stay in the CPU's cache
LONG_WORK = 5e10  # multiplications of all passes; about a second on two cores
_USUAL_WIDTH = 4  # d_ff / d_model, where the width of the feed-forward network is not known


class Trials:
    """Makes trials of one pass. Use it inside inference mode and inside the changes of the pass.

    `word_ids` are the words that are measured (`trace.effects.measured_words`): word i is predicted at position i. `log_p`
    [word] has their log-probabilities (nats) in the pass as it is. `asked` are the positions and ids of other words that are
    measured in their place.
    """

    def __init__(self, bench: Bench, asked: Sequence[tuple[int, int]] = ()) -> None:
        self._bench = bench
        self.word_ids, self.measured = measured_words(bench.tokens.source, bench.tokens.target, bench.expected)
        self.measured = self.measured if bench.card.classes is None else "class"
        self._places: slice | list[int] = slice(len(self.word_ids))
        if asked:
            self._places, self.word_ids = [place for place, _word in asked], tuple(word for _place, word in asked)
        self._runs = bench.runs
        self._ids = torch.tensor(self.word_ids, device=bench.device)
        self._in_front = LayersInFront(bench.model)
        with self._in_front.noting():
            self._memory = self._runs.memory()
            self.log_p = self._log_p(1, self._memory)[0]  # [word], in the pass as it is

    def effects(self, trials: Sequence[Trial]) -> Tensor:
        """[trial, word] what each trial adds to the log-probability of each word, in nats.

        NaN where a trial cannot be made, because it leaves a query without any key. Raises Superseded.
        """
        return self._each(trials, self._places, len(self.word_ids), lambda made: self._of_words(made) - self.log_p).float()

    def metrics(self, trials: Sequence[Trial], metric: OfLogits) -> Tensor:
        """[trial] a metric of the logits after each trial; NaN where it cannot be made. Raises Superseded."""
        return self._each(trials, EVERYWHERE, 1, partial(of_each, metric))[:, 0]

    def logits(self) -> Tensor:
        """[position, vocab] those of the pass as it is."""
        return self._runs.logits(1, self._memory)[0]

    def _each(self, trials: Sequence[Trial], places: Places, n: int, measure: Callable[[Tensor], Tensor]) -> Tensor:
        """[trial, n] what is measured of the logits [batch, place, vocab] of each trial."""
        at_once = self._at_once()
        found = torch.full((len(trials), n), torch.nan, dtype=torch.float64)
        for encoding in (True, False):
            taps = {n: [each.tap for each in trial] for n, trial in enumerate(trials) if _changes_encoder(trial) is encoding}
            for some, n_layers in self._in_front.batches(taps, at_once):
                stop_if(self._bench.stop)
                torch.set_num_threads(batch_threads(self._bench.card, at_once * self._longest()))
                memory = None if encoding else self._memory
                with self._in_front.left_out(n_layers, len(some)):
                    with _each_its_own(self._bench, [trials[n] for n in some]) as failed:
                        made = measure(self._runs.logits(len(some), memory, places))
                    found[some] = torch.where(fetched(failed)[:, None], torch.nan, fetched(made).double())
        return found

    def _log_p(self, n: int, memory: Any) -> Tensor:
        """[batch, word] log-probabilities of the words in `n` passes; those with `memory` share the encoder's output."""
        return self._of_words(self._runs.logits(n, memory, self._places))

    def _of_words(self, logits: Tensor) -> Tensor:
        """[batch, word] log-probabilities of the words, of logits [batch, word, vocab]."""
        # log p[w] = logits[w] − log Σ_v exp(logits[v])
        asked = logits.gather(-1, self._ids.expand(len(logits), -1)[..., None])[..., 0]  # [batch, word]
        log_p: Tensor = asked - logits.logsumexp(dim=-1)
        return log_p

    def _longest(self) -> int:
        """How many tokens the longer side has."""
        return max(len(self._bench.tokens.source), len(self._bench.tokens.target))

    def _at_once(self) -> int:
        """How many trials are one batch."""
        return batch_size(self._bench.card, self._longest())


def of_each(metric: OfLogits, logits: Tensor) -> Tensor:
    """[batch, 1] a metric of each row of logits [batch, position, vocab]."""
    return torch.tensor([[metric(row)] for row in logits], dtype=torch.float64)


def batch_size(card: ModelCard, longest: int) -> int:
    """How many passes over `longest` tokens are one batch."""
    widest = max(max(side.d_ff or _USUAL_WIDTH * card.d_model, side.n_heads * longest) for side in card.sides)
    # The largest tensors are logits, hidden features and attention maps.
    return max(1, NUMBERS_AT_ONCE // (longest * max(card.vocab_size, widest)))


def is_long(work: float) -> bool:
    """Whether this many multiplications take longer than a user would wait."""
    return work > LONG_WORK


def _changes_encoder(trial: Trial) -> bool:
    return any(change.tap.startswith("encoder.") for change in trial)


@contextmanager
def _each_its_own(bench: Bench, trials: Sequence[Trial]) -> Iterator[Tensor]:
    """Inside the block, row b of a batch is changed as trial b says.

    Yields [batch], True where a trial has left a query without any key that the pass itself left it.
    """
    failed = torch.zeros(len(trials), dtype=torch.bool, device=bench.device)
    by_tap: dict[str, list[tuple[int, Change]]] = {}
    for number, trial in enumerate(trials):
        for change in trial:
            by_tap.setdefault(change.tap, []).append((number, change))

    def hook(tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> Tensor:
        made = tensor.clone()
        for number, change in by_tap[tap.name]:
            if change.kind == "close":
                _close(made[number], change)
            else:
                made[number] = changed(made[number : number + 1], change, tap, first_of(args) or 0)[0]
        if tap.closes:
            none_before = closed_cells(tensor).all(dim=-1, keepdim=True)  # [batch, head, query, key 1]
            made = torch.where(none_before, tensor, made)  # A row in which the mask leaves no key stays as it is.
            failed.logical_or_((closed_cells(made).all(dim=-1) & ~none_before[..., 0]).flatten(1).any(dim=-1))
        return made

    with hooked(bench.model, hook, at=by_tap):
        yield failed


def _close(maps: Tensor, change: Change) -> None:
    """Write -inf into the cells of a Change "close" in maps [head, query, key]; several can be made without waiting for one.

    `changed` asks after each of them whether a row is empty now. Here that is asked once for all trials.
    """
    part = maps if change.head is None else maps[change.head : change.head + 1]
    columns = torch.tensor(change.columns, device=maps.device)
    if change.rows is None:
        part[..., columns] = -torch.inf
    else:
        part[:, torch.tensor(change.rows, device=maps.device)[:, None], columns] = -torch.inf
