"""The sweep: every head, attention, feed-forward and token switched off in turn, each in a pass of its own."""

from collections.abc import Iterator

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.bench import Bench, frozen
from explorer.engine.experiments.estimate import estimated_heads
from explorer.engine.experiments.trials import Trial, Trials
from explorer.engine.threads import pass_work
from explorer.trace.changes import Change
from explorer.trace.effects import Effects
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of

_LONG_WORK = 5e10  # multiplications of all heads' passes; about a second on two cores
_WORDS_FOR_A_HEAD = 4  # The gradient of a word takes about as long as so many passes of a batch.


def effects(bench: Bench) -> Effects:
    """Switch off each part of the model alone; where that takes long, heads are estimated. Raises Superseded."""
    card, tokens = card_of(bench.config), bench.tokens
    return _effects(bench, exact=not takes_long(card, len(tokens.source), len(tokens.target)))


def effects_exact(bench: Bench) -> Effects:
    """Switch off each part of the model alone, however long that takes. Raises Superseded.

    Where it takes long, the estimates that stood in for the effects of heads are given too.
    """
    found = _effects(bench, exact=True)
    if not takes_long(card_of(bench.config), len(bench.tokens.source), len(bench.tokens.target)):
        return found
    with bench.changing.inside(bench.model):
        estimates = estimated_heads(bench, found.word_ids)
    return attrs.evolve(found, estimates=frozen(_by_attention(estimates, card_of(bench.config)).view(found.heads.shape)))


def exact_heads(bench: Bench, found: Effects, upto: int) -> Effects:
    """Estimated effects with exact ones in the first `upto` rows [attention and layer]; in the last step, all are exact.

    Raises Superseded.
    """
    card = card_of(bench.config)
    n_heads = card.sides[0].n_heads
    n_rows = found.heads.shape[0] * found.heads.shape[1]
    upto = min(upto, n_rows)
    trials = head_trials(card)[found.exact_rows * n_heads : upto * n_heads]
    with bench.changing.inside(bench.model), torch.inference_mode():
        exact = Trials(bench).effects(trials)  # [row and head, word]
    rows = found.heads.reshape(n_rows, n_heads, -1).copy()  # [row, head, word]
    rows[found.exact_rows : upto] = exact.view(-1, n_heads, rows.shape[-1]).numpy()
    return attrs.evolve(
        found,
        heads=frozen(torch.from_numpy(rows.reshape(found.heads.shape))),
        estimates=found.heads if found.estimates is None else found.estimates,
        exact_rows=upto,
        exact=upto == n_rows,
    )


def takes_long(card: ModelCard, n_source: int, n_target: int) -> bool:
    """Whether the sweep over all heads takes longer than one waits for it, and much longer than its estimate."""
    n_tokens, n_heads = max(n_source, n_target), sum(1 for _place in _places(card)) * card.sides[0].n_heads
    work = n_heads * pass_work(card, n_tokens)
    return is_long(work) and n_heads > _WORDS_FOR_A_HEAD * n_tokens


def is_long(work: float) -> bool:
    """Whether so many multiplications take longer than one waits for them."""
    return work > _LONG_WORK


def _effects(bench: Bench, *, exact: bool) -> Effects:
    card, tokens = card_of(bench.config), bench.tokens
    hides, hidden_in = hidden_tokens(card, len(tokens.source), len(tokens.target))
    heads, layers, feeds = head_trials(card) if exact else [], layer_trials(card), feed_forward_trials(card)
    with bench.changing.inside(bench.model):
        with torch.inference_mode():
            trials = Trials(bench)
            found = trials.effects([*heads, *layers, *feeds, *(trial for trial in hides if trial)])
        estimates = None if exact else _by_attention(estimated_heads(bench, trials.word_ids), card)
    n_layers, n_heads, n_words = card.sides[0].n_layers, card.sides[0].n_heads, len(trials.word_ids)
    of_heads, of_layers, of_feeds, of_hides = torch.split(found, [len(heads), len(layers), len(feeds), sum(map(bool, hides))])
    hidden = np.full((len(hides), n_words), np.nan, np.float32)
    hidden[[bool(trial) for trial in hides]] = of_hides.numpy()
    side = tokens.source or tokens.target
    return Effects(
        attentions=card.attentions,
        sides=tuple(side.name for side in card.sides),
        words=tuple(bench.symbols[each] if each < len(bench.symbols) else f"#{each}" for each in trials.word_ids),
        word_ids=trials.word_ids,
        measured=trials.measured,
        tokens=tuple(token.text for token in side),
        hidden_in=hidden_in,
        log_p=frozen(trials.log_p),
        heads=frozen((of_heads if estimates is None else estimates).reshape(-1, n_layers, n_heads, n_words)),
        layers=frozen(of_layers.view(-1, n_layers, n_words)),
        feed_forwards=frozen(of_feeds.view(-1, n_layers, n_words)),
        hidden=frozen(torch.from_numpy(hidden)),
        exact=exact,
    )


def _by_attention(rows: Tensor, card: ModelCard) -> Tensor:
    """[attention and layer, head, word] from the order in which a pass comes to the taps to that of the card's attentions."""
    passed = [
        f"{side.name}.layers.{layer}.{kind}"
        for side in card.sides
        for layer in range(side.n_layers)
        for kind in side.attentions
    ]
    return rows[[passed.index(place) for place in _places(card)]]


def head_trials(card: ModelCard) -> list[Trial]:
    """Each head of each attention [attention, layer, head] gives out zeros."""
    return [(Change(f"{place}.mixed", "scale", head=head, value=0.0),) for place in _places(card) for head in _heads(card)]


def layer_trials(card: ModelCard) -> list[Trial]:
    """All heads of each attention [attention, layer] give out zeros."""
    return [(Change(f"{place}.mixed", "scale", value=0.0),) for place in _places(card)]


def feed_forward_trials(card: ModelCard) -> list[Trial]:
    """Each feed-forward [side, layer] adds zeros."""
    return [
        (Change(f"{side.name}.layers.{layer}.feed_forward.output", "scale", value=0.0),)
        for side in card.sides
        for layer in range(side.n_layers)
    ]


def hidden_tokens(card: ModelCard, n_source: int, n_target: int) -> tuple[list[Trial], str]:
    """Each token hidden from the others, and the attention in which it is hidden.

    That is cross-attention where there is one: no query of the target sees the token of the source. Elsewhere it is
    self-attention, in which every token still sees itself. The only token of a text has no others, and an empty trial.
    """
    attention = next((each for each in card.attentions if each.endswith(".cross_attn")), card.attentions[-1])
    side, _, kind = attention.partition(".")
    taps = [f"{side}.layers.{layer}.{kind}.masked" for layer in range(card.side(attention).n_layers)]
    if kind == "cross_attn":
        return [tuple(Change(tap, "close", columns=[n]) for tap in taps) for n in range(n_source)], attention
    n_tokens = n_source or n_target
    if n_tokens == 1:
        return [()], attention
    rows = [[row for row in range(n_tokens) if row != n] for n in range(n_tokens)]
    return [tuple(Change(tap, "close", columns=[n], rows=rows[n]) for tap in taps) for n in range(n_tokens)], attention


def _places(card: ModelCard) -> Iterator[str]:
    """Every attention in every layer, such as "decoder.layers.2.cross_attn"."""
    for attention in card.attentions:
        side, _, kind = attention.partition(".")
        yield from (f"{side}.layers.{layer}.{kind}" for layer in range(card.side(attention).n_layers))


def _heads(card: ModelCard) -> range:
    return range(card.sides[0].n_heads)
