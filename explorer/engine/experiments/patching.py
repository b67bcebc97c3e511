"""Patching: numbers of another sentence's pass put into the pass on screen, one place after the other.

Each trial is a pass of its own; many of them are one batch, in which row b is patched as trial b says. The numbers are those
of single passes with `Change(tap, "patch", rows=…, text=…)`. B's pass is made without the changes of the Wish, as the lender
makes it; A's pass and its patched passes are made with them, and the patch comes after them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import stop_if, stopping_between_layers
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.runs import AnyModel, runs_of
from explorer.engine.experiments.trials import batch_size
from explorer.engine.speed.threads import batch_threads
from explorer.errors import ExplorerError, NoOtherText
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, first_of
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.found.patching import NotPatched, Pairs, PatchedMap, PatchedStep, Patching, aligned, recovered
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens

_MOST_HEAD_TRIALS = 4000  # Thousands of heads at each place would take minutes, so a large model's heads are left out.
_BATCH = 16  # Batches are at least about so many passes for the choice of threads.


@attrs.frozen(eq=False)
class Reading:
    """What one of the two sentences is for a model: text, tokens, the words that it writes, and the symbols of its ids,
    and the target as a text.

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


def _own_card(bed: "Bed") -> ModelCard:
    assert isinstance(bed.model, Transformer)  # Of somebody's model, the card is given.
    return card_of(bed.model.config)


@attrs.frozen(eq=False)
class Bed:
    """What the passes are made with: the model, both readings, the changes of A's pass, when to stop, and its card."""

    model: AnyModel
    first: Reading
    second: Reading
    changing: Changing
    stop: Stop
    card: ModelCard = attrs.field(default=attrs.Factory(_own_card, takes_self=True))


def patching(bed: Bed) -> Patching | NotPatched:
    """Patch each place of each layer alone. Raises Superseded."""
    card, first, second = bed.card, bed.first, bed.second
    if not second.text.strip():
        return NotPatched(NoOtherText())
    try:
        pairs = paired(card, first.tokens, second.tokens)
    except ExplorerError as error:
        return NotPatched(error)
    with torch.inference_mode():
        passes = Passes(bed, card, pairs)
        plans = tuple(_plans(card, first.tokens, pairs))
        gaps = passes.gaps([trial for plan in plans for trial in plan.trials])
    sizes = [len(plan.trials) for plan in plans]
    parts = np.split(gaps, np.cumsum(sizes)[:-1])
    return Patching(
        maps=tuple(plan.map(part, passes.steps) for plan, part in zip(plans, parts, strict=True)),
        steps=passes.steps,
        tokens={side: tokens_of(first.tokens, side) for side in pairs},
        other_tokens={side: tokens_of(second.tokens, side) for side in pairs},
        pairs=pairs,
        other_text=second.text,
        target=first.target,
        other_target=second.target,
    )


def tokens_of(tokens: Tokens, side: str) -> tuple[Token, ...]:
    """The tokens that a side of the model reads."""
    return tokens.source if side == "encoder" else tokens.target


def paired(card: ModelCard, first: Tokens, second: Tokens) -> dict[str, Pairs]:
    """By side the positions of A with those of B. Raises CannotAlign.

    What a model has read is aligned by its tokens. A translation is aligned by place: both are compared at the same step.
    """
    made: dict[str, Pairs] = {}
    for side in (each.name for each in card.sides):
        one, two = tokens_of(first, side), tokens_of(second, side)
        if side == "decoder" and "encoder" in made:
            made[side] = tuple((place, place) for place in range(min(len(one), len(two))))
        else:
            made[side] = aligned([token.text for token in one], [token.text for token in two])
    return made


@attrs.frozen(eq=False)
class _Plan:
    """The trials of one map, in the order of their places in it: [tap, place], or [tap, head, place]."""

    side: str
    kind: str
    taps: tuple[str, ...]
    n_heads: int  # 0 for maps without heads
    n_places: int
    pairs: Pairs

    @property
    def trials(self) -> list[Trial]:
        heads = range(self.n_heads) if self.n_heads else (None,)
        return [(Patch(tap, (a,), (b,), head),) for tap in self.taps for head in heads for a, b in self.pairs]

    def map(self, gaps: Array, steps: Sequence[PatchedStep]) -> PatchedMap:
        """The map of the trials' gaps [trial, step]."""
        shares = recovered(gaps, steps).reshape(len(self.taps), max(1, self.n_heads), len(self.pairs), len(steps))
        values = np.full((*shares.shape[:2], self.n_places, len(steps)), np.nan, np.float32)  # [tap, head, position, step]
        values[:, :, [a for a, _b in self.pairs]] = shares
        values = values if self.n_heads else values[:, 0]
        values.setflags(write=False)
        return PatchedMap(self.side, self.kind, self.taps, values)


def _plans(card: ModelCard, tokens: Tokens, pairs: Mapping[str, Pairs]) -> Iterator[_Plan]:
    for side in card.sides:
        taps = streams(card, side.name)
        n, own = len(tokens_of(tokens, side.name)), pairs[side.name]
        kinds = [each.partition(".")[2] for each in card.attentions if each.startswith(f"{side.name}.")]
        layers = [f"{side.name}.layers.{layer}" for layer in range(side.n_layers)]
        seen = [f"{side.name}.layers.{layer}" for layer in card.attention_layers(side.name)]
        heads = tuple(f"{layer}.{kind}.mixed" for kind in kinds for layer in seen)
        yield _Plan(side.name, "stream", taps, 0, n, own)
        if len(heads) * side.n_heads * len(own) <= _MOST_HEAD_TRIALS:
            yield _Plan(side.name, "head", heads, side.n_heads, n, own)
        yield _Plan(side.name, "feed_forward", tuple(f"{layer}.feed_forward.output" for layer in layers), 0, n, own)


def streams(card: ModelCard, side: str) -> tuple[str, ...]:
    """The stream of a side: as it enters the first layer, and as it leaves each layer.

    The last addition of a layer is read by the next norm and by the next addition, so a patch there reaches both.
    """
    last = 3 if any(each == f"{side}.cross_attn" for each in card.attentions) else 2
    layers = range(card.side(side).n_layers)
    return (f"{side}.embedding.output", *(f"{side}.layers.{layer}.residual{last}" for layer in layers))


class Passes:
    """Makes trials of A's pass with B's numbers. Use it inside inference mode.

    `steps` are the steps at which both passes write a word.
    """

    def __init__(self, bed: Bed, card: ModelCard, pairs: Mapping[str, Pairs]) -> None:
        self._bed, self._model = bed, bed.model
        taps = {tap for plan in _plans(card, bed.first.tokens, pairs) for tap in plan.taps}
        self._runs = runs_of(bed.model, bed.first.tokens)
        self._lent, other = _recorded(bed, taps, bed.second.tokens)  # [batch 1, (head,) position, feature]
        self._pairs = pairs[card.sides[-1].name]
        self._in_front = LayersInFront(bed.model)
        with bed.changing.inside(self._model), self._in_front.noting():
            self._memory = self._runs.memory()
            plain = self._runs.logits(1, self._memory)[0]  # [position, vocab]
        self._words = self._written(plain, other)
        self._symbols = sorted({word for both in self._words for word in both})  # All others are not asked for.
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
        found = np.empty((len(trials), len(self.steps)), np.float32)
        card, longest = self._bed.card, max(len(self._bed.first.tokens.source), len(self._bed.first.tokens.target))
        for encoding in (True, False):
            taps = {n: [each.tap for each in trial] for n, trial in enumerate(trials) if _in_encoder(trial) is encoding}
            for some, n_layers in self._in_front.batches(taps, batch_size(card, longest)):
                stop_if(self._bed.stop)
                torch.set_num_threads(batch_threads(card, _BATCH * longest))
                with self._in_front.left_out(n_layers, len(some)), stopping_between_layers(self._model, self._bed.stop):
                    found[some] = self._batch([trials[n] for n in some], encoding)
        return found

    def _batch(self, trials: list[Trial], encoding: bool) -> Array:
        with self._bed.changing.inside(self._model), _each_its_own(self._model, trials, self._lent):
            logits = self._runs.logits(len(trials), None if encoding else self._memory, self._gap_rows, self._symbols)
            return self._gaps(logits)

    def _gaps(self, logits: Tensor) -> Array:
        """[batch, step] Δ in nats, of logits [batch, step, symbol]."""
        words = torch.tensor(self._columns, device=logits.device).expand(len(logits), -1, -1)  # [batch, step, 2]
        first, second = logits.gather(-1, words).unbind(dim=-1)
        # log p = logit − log Σ exp(logits), and the sum is that of both words.
        gaps: Array = _fetched(second - first).numpy()
        return gaps

    def _written(self, plain: Tensor, other: Tensor) -> list[tuple[int, int]]:
        """The words that A's and B's passes write at each step."""
        first, second = self._bed.first.words, self._bed.second.words
        own, others = (_fetched(logits.argmax(dim=-1)).tolist() for logits in (plain, other))
        return [((first or own)[a], (second or others)[b]) for a, b in self._pairs]


def _fetched(tensor: Tensor) -> Tensor:
    """The tensor on the processor, where arrays and numbers are made."""
    return tensor.detach().cpu()


def _in_encoder(trial: Trial) -> bool:
    return any(patch.tap.startswith("encoder.") for patch in trial)


def _recorded(bed: Bed, names: set[str], tokens: Tokens) -> tuple[dict[str, Tensor], Tensor]:
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
