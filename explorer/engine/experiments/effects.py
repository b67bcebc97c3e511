"""The sweep: every head, attention, feed-forward and token switched off in turn, each in a pass of its own."""

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.bench import Bench, frozen
from explorer.engine.experiments.estimate import estimated_heads
from explorer.engine.experiments.lacking import check_has
from explorer.engine.experiments.trials import Trial, Trials
from explorer.engine.speed.threads import pass_work
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import Change
from explorer.trace.found.effects import Effects
from explorer.trace.model_card import ModelCard

_LONG_WORK = 5e10  # multiplications of all heads' passes; about a second on two cores
_WORDS_FOR_A_HEAD = 4  # The gradient of a word takes about as long as so many passes of a batch.


def effects(bench: Bench) -> Effects:
    """Switch off each part of the model alone; where that takes long, heads are estimated. Raises Superseded, LacksTap."""
    tokens = bench.tokens
    return _effects(bench, exact=not takes_long(bench.card, len(tokens.source), len(tokens.target)))


def effects_exact(bench: Bench) -> Effects:
    """Switch off each part of the model alone, however long that takes. Raises Superseded, LacksTap.

    Where it takes long, the estimates that stood in for the effects of heads are given too.
    """
    found = _effects(bench, exact=True)
    if not takes_long(bench.card, len(bench.tokens.source), len(bench.tokens.target)):
        return found
    return attrs.evolve(found, estimates=_estimates(bench, found.word_ids))


def exact_heads(bench: Bench, found: Effects, upto: int) -> Effects:
    """Estimated effects with exact ones in the first `upto` rows [attention and layer]; in the last step, all are exact.

    Raises Superseded.
    """
    n_layers, n_rows = found.heads.shape[1], found.heads.shape[0] * found.heads.shape[1]
    upto = min(upto, n_rows)
    some = [one for one in heads_of(bench.card) if found.exact_rows <= one.first * n_layers + one.layer < upto]
    with torch.inference_mode():
        exact = Trials(bench).effects([one.trial for one in some])  # [head, word]
    heads = found.heads.copy()
    heads[_places(some)] = exact.numpy()
    return attrs.evolve(
        found,
        heads=frozen_array(heads),
        estimates=found.heads if found.estimates is None else found.estimates,
        exact_rows=upto,
        exact=upto == n_rows,
    )


def takes_long(card: ModelCard, n_source: int, n_target: int) -> bool:
    """Whether the sweep over all heads takes longer than one waits for it, and much longer than its estimate."""
    n_tokens, n_heads = max(n_source, n_target), len(heads_of(card))
    work = n_heads * pass_work(card, n_tokens)
    return is_long(work) and n_heads > _WORDS_FOR_A_HEAD * n_tokens and not card.why_absent("self_attn.mixed")


def is_long(work: float) -> bool:
    """Whether so many multiplications take longer than one waits for them."""
    return work > _LONG_WORK


def _effects(bench: Bench, *, exact: bool) -> Effects:
    card, tokens = bench.card, bench.tokens
    check_has(card, "effects", "generator.logits", "self_attn.weights")
    hides, hidden_in = hidden_tokens(card, len(tokens.source), len(tokens.target))
    heads, layers, feeds = heads_of(card) if exact else (), layers_of(card), feed_forwards_of(card)
    with torch.inference_mode():
        trials = Trials(bench)
        asked = [*(one.trial for one in (*heads, *layers, *feeds)), *(trial for trial in hides if trial)]
        found = trials.effects(asked)
    n_layers, n_heads = max(side.n_layers for side in card.sides), max(side.n_heads for side in card.sides)
    of_heads, of_layers, of_feeds, of_hides = torch.split(found, [len(heads), len(layers), len(feeds), sum(map(bool, hides))])
    n_attentions, n_words = len(card.attentions), len(trials.word_ids)
    every = _filled((n_attentions, n_layers, n_heads, n_words), heads, of_heads)
    hidden = np.full((len(hides), n_words), np.nan, np.float32)
    hidden[[bool(trial) for trial in hides]] = of_hides.numpy()
    return Effects(
        attentions=card.attentions,
        sides=tuple(side.name for side in card.sides),
        words=tuple(bench.symbols[each] if each < len(bench.symbols) else f"#{each}" for each in trials.word_ids),
        word_ids=trials.word_ids,
        measured=trials.measured,
        tokens=tuple(token.text for token in tokens.source or tokens.target),
        hidden_in=hidden_in,
        log_p=frozen(trials.log_p),
        heads=every if exact else _estimates(bench, trials.word_ids),
        layers=_filled((n_attentions, n_layers, n_words), layers, of_layers),
        feed_forwards=_filled((len(card.sides), n_layers, n_words), feeds, of_feeds),
        hidden=frozen_array(hidden),
        exact=exact,
    )


def _estimates(bench: Bench, word_ids: tuple[int, ...]) -> Array:
    """[attention, layer, head, word] the estimates for all heads. Raises Superseded."""
    card = bench.card
    found = estimated_heads(bench, word_ids)
    sizes = (len(card.attentions), max(side.n_layers for side in card.sides), max(side.n_heads for side in card.sides))
    heads = heads_of(card)
    values = torch.stack([found[card_place(card.attentions[one.first], one.layer)][one.head] for one in heads])
    return _filled((*sizes, len(word_ids)), heads, values)


def _filled(shape: tuple[int, ...], parts: Sequence["Part"], values: Tensor) -> Array:
    """The values [part, word] at the places of their parts; NaN where the model has none, as in a shorter side."""
    made = np.full(shape, np.nan, np.float32)
    if parts:
        made[_places(parts)] = values.numpy()
    return frozen_array(made)


def _places(parts: Sequence["Part"]) -> tuple[list[int], ...]:
    """The places of parts in an array, as an index."""
    return tuple(list(axis) for axis in zip(*(one.place for one in parts), strict=True))


@attrs.frozen
class Part:
    """A part of the model with the trial that switches it off. `first` is its attention, or its side; head -1 means all."""

    first: int
    layer: int
    head: int
    trial: Trial

    @property
    def place(self) -> tuple[int, ...]:
        """Its place in the array of its kind."""
        return (self.first, self.layer) if self.head < 0 else (self.first, self.layer, self.head)


def heads_of(card: ModelCard) -> tuple[Part, ...]:
    """Each head of each attention gives out zeros: of a model whose mixing is not seen, by weights that are zeros."""
    return tuple(
        Part(first, layer, head, (Change(tap, "scale", head=head, value=0.0),))
        for first, layer, tap in _mixing(card)
        for head in range(card.side(tap).n_heads)
    )


def head_trials(card: ModelCard) -> list[Trial]:
    """The trials that switch off each head [attention, layer, head]."""
    return [one.trial for one in heads_of(card)]


def layers_of(card: ModelCard) -> tuple[Part, ...]:
    """All heads of each attention give out zeros."""
    return tuple(Part(first, layer, -1, (Change(tap, "scale", value=0.0),)) for first, layer, tap in _mixing(card))


def feed_forwards_of(card: ModelCard) -> tuple[Part, ...]:
    """Each feed-forward adds zeros; none of a model whose feed-forwards are not seen."""
    if card.why_absent("feed_forward.output"):
        return ()
    return tuple(
        Part(first, layer, -1, (Change(f"{side.name}.layers.{layer}.feed_forward.output", "scale", value=0.0),))
        for first, side in enumerate(card.sides)
        for layer in range(side.n_layers)
    )


def card_place(attention: str, layer: int) -> str:
    """An attention in a layer: "decoder.cross_attn" in layer 2 is "decoder.layers.2.cross_attn"."""
    side, _, kind = attention.partition(".")
    return f"{side}.layers.{layer}.{kind}"


def _mixing(card: ModelCard) -> Iterator[tuple[int, int, str]]:
    """Every attention in every layer, with the tap where its heads are switched off."""
    stage = "weights" if card.why_absent("self_attn.mixed") else "mixed"
    for first, attention in enumerate(card.attentions):
        for layer in card.attention_layers(attention):
            yield first, layer, f"{card_place(attention, layer)}.{stage}"


def hidden_tokens(card: ModelCard, n_source: int, n_target: int) -> tuple[list[Trial], str]:
    """Each token hidden from the others, and the attention in which it is hidden.

    That is cross-attention where there is one: no query of the target sees the token of the source. Elsewhere it is
    self-attention, in which every token still sees itself. The only token of a text has no others, and an empty trial.
    """
    attention = next((each for each in card.attentions if each.endswith(".cross_attn")), card.attentions[-1])
    side, _, kind = attention.partition(".")
    taps = [f"{side}.layers.{layer}.{kind}.masked" for layer in card.attention_layers(attention)]
    if kind == "cross_attn":
        return [tuple(Change(tap, "close", columns=[n]) for tap in taps) for n in range(n_source)], attention
    n_tokens = n_source or n_target
    if n_tokens == 1:
        return [()], attention
    rows = [[row for row in range(n_tokens) if row != n] for n in range(n_tokens)]
    return [tuple(Change(tap, "close", columns=[n], rows=rows[n]) for tap in taps) for n in range(n_tokens)], attention
