"""Passes over one sentence with numbers of another sentence's pass put into them.

Each trial is a pass of its own; many of them are one batch, in which row b is patched as trial b says. The numbers are those
of single passes with `Change(tap, "patch", rows=…, text=…)`. B's pass is made without the changes of the Wish, as the lender
makes it; A's pass and its patched passes are made with them, and the patch comes after them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import fetched, stop_if, stopping_between_layers
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.runs import EVERYWHERE, AnyModel, Places, runs_of
from explorer.engine.experiments.trials import OfLogits, batch_size, of_each
from explorer.engine.speed.threads import batch_threads
from explorer.mathematics import Numbers
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, first_of
from explorer.stops import Stop
from explorer.trace.arrays import Array
from explorer.trace.found.patching import Pairs, PatchedStep
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens

_BATCH = 16  # passes of a batch, about, for the choice of threads


@attrs.frozen(eq=False)
class PatchText:
    """One of the two sentences: its text and tokens, the words that the model writes, the symbols of ids, and the target.

    `words` has for each position the id of the word that is written there; without them it is the most probable one.
    """

    text: str
    tokens: Tokens
    words: tuple[int, ...] = ()
    symbols: tuple[str, ...] = ()
    target: str = ""

    def symbol(self, index: int) -> str:
        """The symbol of an id; "#17" for a row of the output matrix that no symbol uses."""
        return self.symbols[index] if index < len(self.symbols) else f"#{index}"


@attrs.frozen
class Patch:
    """Rows of one tap, of one head or of all, that take the other sentence's numbers at the other rows."""

    tap: str
    rows: tuple[int, ...]
    other_rows: tuple[int, ...]
    head: int | None = None


Trial = tuple[Patch, ...]


@attrs.frozen(eq=False)
class Bed:
    """What the passes are made with: the model, both texts, the changes of A's pass, when to stop, and its card."""

    model: AnyModel
    first: PatchText
    second: PatchText
    changing: Changing
    stop: Stop
    card: ModelCard


class PatchedPasses:
    """Makes trials of A's pass with B's numbers. Use it inside inference mode.

    `taps` are those whose rows may be lent, and `steps` the steps at which both passes write a word. `logits` [position, vocab]
    are those of A's pass and of B's.
    """

    def __init__(self, bed: Bed, taps: Iterable[str], pairs: Mapping[str, Pairs]) -> None:
        self._bed, self._model = bed, bed.model
        self._runs = runs_of(bed.model, bed.first.tokens)
        self._lent, other = _recorded(bed, frozenset(taps), bed.second.tokens)  # [batch 1, (head,) position, feature]
        of_text = bed.card.classes is not None and bed.card.classes.of == "text"  # Its output has one row.
        self._pairs = ((0, 0),) if of_text else pairs[bed.card.sides[-1].name]
        self._in_front = LayersInFront(bed.model)
        with bed.changing.inside(self._model), self._in_front.noting():
            self._memory = self._runs.memory()
            plain = self._runs.logits(1, self._memory)[0]  # [position, vocab]
        self.logits = plain, other
        self._words = self._written(plain, other)
        self._symbols = sorted({word for both in self._words for word in both})  # The pass computes no logits of others.
        self._columns = [(self._symbols.index(w), self._symbols.index(v)) for w, v in self._words]
        self._gap_rows = [a for a, _b in self._pairs]
        rows = (plain, self._gap_rows), (other, [b for _a, b in self._pairs])
        gaps, other_gaps = (self._gaps(logits[None, places][..., self._symbols])[0] for logits, places in rows)
        self.steps = tuple(
            PatchedStep(a, b, (w, bed.first.symbol(w)), (v, bed.second.symbol(v)), float(gap), float(other_gap))
            for (a, b), (w, v), gap, other_gap in zip(self._pairs, self._words, gaps, other_gaps, strict=True)
        )

    def gaps(self, trials: Sequence[Trial]) -> Array:
        """[trial, step] Δ = log p(w_B) − log p(w_A) after each trial, in nats. Raises Superseded."""
        return self._each(trials, len(self.steps), self._gap_rows, self._symbols, self._gaps).astype(np.float32)

    def metrics(self, trials: Sequence[Trial], metric: OfLogits) -> Numbers:
        """[trial] a metric of the logits after each trial. Raises Superseded."""
        found = self._each(trials, 1, EVERYWHERE, None, lambda logits: of_each(metric, logits).numpy())
        return found[:, 0]

    def _each(
        self, trials: Sequence[Trial], n: int, places: Places, symbols: list[int] | None, measure: Callable[[Tensor], Numbers]
    ) -> Numbers:
        """[trial, n] what is measured of the logits [batch, place, symbol] of each trial."""
        found = np.empty((len(trials), n), np.float64)
        card, longest = self._bed.card, max(len(self._bed.first.tokens.source), len(self._bed.first.tokens.target))
        for encoding in (True, False):
            taps = {n: [each.tap for each in trial] for n, trial in enumerate(trials) if _in_encoder(trial) is encoding}
            for some, n_layers in self._in_front.batches(taps, batch_size(card, longest)):
                stop_if(self._bed.stop)
                torch.set_num_threads(batch_threads(card, _BATCH * longest))
                memory, own = None if encoding else self._memory, [trials[n] for n in some]
                with ExitStack() as stack:
                    stack.enter_context(self._in_front.left_out(n_layers, len(some)))
                    stack.enter_context(stopping_between_layers(self._model, self._bed.stop))
                    stack.enter_context(self._bed.changing.inside(self._model))
                    stack.enter_context(_each_its_own(self._model, own, self._lent))
                    found[some] = measure(self._runs.logits(len(some), memory, places, symbols))
        return found

    def _gaps(self, logits: Tensor) -> Numbers:
        """[batch, step] Δ in nats, of logits [batch, step, symbol]."""
        words = torch.tensor(self._columns, device=logits.device).expand(len(logits), -1, -1)  # [batch, step, 2]
        first, second = logits.gather(-1, words).unbind(dim=-1)
        # log p = logit − log Σ exp(logits), and the sum is that of both words.
        gaps: Numbers = fetched(second - first).double().numpy()
        return gaps

    def _written(self, plain: Tensor, other: Tensor) -> list[tuple[int, int]]:
        """The words that A's and B's passes write at each step."""
        first, second = self._bed.first.words, self._bed.second.words
        own, others = (fetched(logits.argmax(dim=-1)).tolist() for logits in (plain, other))
        return [((first or own)[a], (second or others)[b]) for a, b in self._pairs]


def _in_encoder(trial: Trial) -> bool:
    return any(patch.tap.startswith("encoder.") for patch in trial)


def _recorded(bed: Bed, names: frozenset[str], tokens: Tokens) -> tuple[dict[str, Tensor], Tensor]:
    """B's tensors by tap [batch 1, (head,) position, feature], and its logits [position, vocab]. Raises Superseded."""
    parts: dict[str, list[Tensor]] = {}

    def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        stop_if(bed.stop)
        if tap.name in names:
            parts.setdefault(tap.name, []).append(tensor.clone())

    with hooked(bed.model, hook):
        logits = runs_of(bed.model, tokens).logits(1)[0]
    return {name: torch.cat(blocks, dim=-2) for name, blocks in parts.items()}, logits


@contextmanager
def _each_its_own(model: AnyModel, trials: Sequence[Trial], lent: Mapping[str, Tensor]) -> Iterator[None]:
    """Inside the block, row b of a batch is patched as trial b says."""
    by_tap: dict[str, list[tuple[int, Patch]]] = {}
    for number, trial in enumerate(trials):
        for patch in trial:
            by_tap.setdefault(patch.tap, []).append((number, patch))

    def hook(tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> Tensor:
        made, begin = tensor.clone(), first_of(args) or 0
        for number, patch in by_tap[tap.name]:
            there = [n for n, row in enumerate(patch.rows) if begin <= row < begin + tensor.shape[-2]]
            here, other = made[number], lent[tap.name][0]  # [(head,) position, feature]
            if patch.head is not None:
                here, other = here[patch.head], other[patch.head]
            rows, other_rows = [patch.rows[n] - begin for n in there], [patch.other_rows[n] for n in there]
            here[..., rows, :] = other[..., other_rows, :].to(here)
        return made

    with hooked(model, hook, at=by_tap):
        yield
