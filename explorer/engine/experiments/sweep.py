"""The sweep: every head, attention, feed-forward and token ablated in turn, each in a pass of its own.

Where that takes long for heads, the gradient's estimate stands in for it. Michel et al. 2019 rank heads by its magnitude; Nanda
2023 calls it attribution patching. It needs one pass forward and one back for each word, however many heads there are. It is
a straight line through the present pass: where later layers answer to the change, the effect is another one. So it is only
shown as an estimate.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.ablations import Ablated, card_place, feed_forwards_of, heads_of, hidden_tokens, layers_of
from explorer.engine.experiments.bench import Bench, fetched, frozen, stop_if
from explorer.engine.experiments.taking_gradients import seen_at, wanting_gradients
from explorer.engine.experiments.trials import Trials, is_long
from explorer.engine.speed.threads import pass_work
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.effects import Effects
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens

WORDS_FOR_A_HEAD = 4  # The gradient of one word takes about as long as this many passes of a batch.


def takes_long(card: ModelCard, tokens: Tokens) -> bool:
    """Whether the sweep over all heads takes longer than a user would wait, and much longer than its estimate."""
    n_tokens, n_heads = max(len(tokens.source), len(tokens.target)), len(heads_of(card))
    work = n_heads * pass_work(card, n_tokens)
    return is_long(work) and n_heads > WORDS_FOR_A_HEAD * n_tokens and not card.why_absent("self_attn.mixed")


def swept(bench: Bench, *, exact: bool) -> Effects:
    """Ablate every part of the model alone; heads are estimated unless they shall be `exact`. Raises Superseded."""
    card, tokens = bench.card, bench.tokens
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
        words=tuple(map(bench.symbol, trials.word_ids)),
        word_ids=trials.word_ids,
        measured=trials.measured,
        tokens=tuple(token.text for token in tokens.source or tokens.target),
        hidden_in=hidden_in,
        log_p=frozen(trials.log_p),
        heads=every if exact else estimates(bench, trials.word_ids),
        layers=_filled((n_attentions, n_layers, n_words), layers, of_layers),
        feed_forwards=_filled((len(card.sides), n_layers, n_words), feeds, of_feeds),
        hidden=frozen_array(hidden),
        exact=exact,
    )


def estimates(bench: Bench, word_ids: tuple[int, ...]) -> Array:
    """[attention, layer, head, word] the estimates for all heads. Raises Superseded."""
    card = bench.card
    found = _estimated_heads(bench, word_ids)
    sizes = (len(card.attentions), max(side.n_layers for side in card.sides), max(side.n_heads for side in card.sides))
    heads = heads_of(card)
    values = torch.stack([found[card_place(card.attentions[one.first], one.layer)][one.head] for one in heads])
    return _filled((*sizes, len(word_ids)), heads, values)


def _filled(shape: tuple[int, ...], parts: Sequence[Ablated], values: Tensor) -> Array:
    """The values [part, word] at the places of their parts; NaN where the model has none, as in a shorter side."""
    made = np.full(shape, np.nan, np.float32)
    if parts:
        made[places_of(parts)] = values.numpy()
    return frozen_array(made)


def places_of(parts: Sequence[Ablated]) -> tuple[list[int], ...]:
    """The places of parts in an array, as an index."""
    return tuple(list(axis) for axis in zip(*(one.place for one in parts), strict=True))


def _estimated_heads(bench: Bench, word_ids: tuple[int, ...]) -> dict[str, Tensor]:
    """By attention and layer, "decoder.layers.0.self_attn", [head, word] the estimate for every head. Raises Superseded."""
    with torch.inference_mode(False), torch.enable_grad(), wanting_gradients(bench.model):
        with seen_at(bench.model, (".mixed",), keep=True) as mixed:
            logits = bench.runs.logits(1)[0, : len(word_ids)]  # [word, vocab]
        ids = torch.tensor(word_ids, device=logits.device)
        log_p = logits.log_softmax(dim=-1).gather(-1, ids[:, None])[:, 0]  # [word]
        taps = list(mixed.values())  # [batch 1, head, query, feature] of each attention in each layer
        columns: list[list[Tensor]] = []
        for word in log_p:
            stop_if(bench.stop)
            gradients = torch.autograd.grad(word, taps, retain_graph=True, allow_unused=True)
            # Δ log p ≈ Σ_q,f (0 − O[q,f]) · ∂log p / ∂O[q,f]
            columns.append(
                [
                    torch.zeros(tap.shape[1], device=tap.device) if gradient is None else -(tap * gradient).sum((0, 2, 3))
                    for tap, gradient in zip(taps, gradients, strict=True)
                ]
            )  # [attention and layer][head]
        rows = zip(mixed, zip(*columns, strict=True), strict=True)
        return {name.rpartition(".")[0]: fetched(torch.stack(row, dim=-1)) for name, row in rows}
