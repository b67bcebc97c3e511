"""Saliency: gradients of each word's log-probability with respect to what the embeddings give out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from explorer.engine.experiments.bench import stop_if, stopping_between_layers
from explorer.engine.experiments.runs import AnyModel
from explorer.engine.threads import batch_threads
from explorer.model.hooks import hooked, watched
from explorer.model.tap import Tap
from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.model_card import ModelCard
from explorer.trace.saliency import N_STEPS, Saliency

_SAME_DIRECTION = 0.999  # the least cosine of vectors that differ by a factor alone


def saliency(
    model: AnyModel,
    tokens: dict[str, tuple[Token, ...]],
    ids: tuple[Tensor | None, Tensor | None],
    expected: tuple[int, ...],
    symbols: tuple[str, ...],
    stop: Stop,
    card: ModelCard | None = None,
) -> Saliency:
    """Both estimates for each word. `ids` are those of source and target; without `expected` words, the likeliest are asked.

    One batch holds the steps from the positions alone (row 0) to the sentence itself (the last row). With the `card` of the
    model it has as many threads as it is worth. Raises Superseded.
    """
    if card is not None:
        torch.set_num_threads(batch_threads(card, (N_STEPS + 2) * max(map(len, tokens.values()))))
    with torch.no_grad():
        inputs, bases, logits = _embedded(model, ids)
        words = list(expected) if expected else logits.argmax(dim=-1)[0].tolist()
    # α = 0, then the middles of N_STEPS equal parts of [0, 1], then 1
    middles = (torch.arange(N_STEPS) + 0.5) / N_STEPS
    shares = torch.cat([torch.zeros(1), middles, torch.ones(1)])[:, None, None]  # [batch, position 1, feature 1]
    with torch.enable_grad():
        # x(α) = b + α (x − b)
        paths = {name: (bases[name] + shares.to(x) * (x - bases[name])).detach().requires_grad_() for name, x in inputs.items()}
        with _reading(model, paths), stopping_between_layers(model, stop):
            batch = [None if row is None else row.expand(len(shares), -1) for row in ids]
            log_p = model(*batch).log_softmax(dim=-1)  # [batch, position, vocab]
        rows: list[dict[str, tuple[Tensor, Tensor]]] = []
        for place, word in enumerate(words):
            stop_if(stop)
            gradients = torch.autograd.grad(log_p[:, place, word].sum(), list(paths.values()), retain_graph=True)
            rows.append({name: _scores(inputs[name], bases[name], g) for name, g in zip(paths, gradients, strict=True)})
    asked = log_p.detach()[:, range(len(words)), words]  # [batch, word]
    sides = [name.partition(".")[0] for name in paths]
    plain = {side: torch.stack([row[name][0] for row in rows]) for side, name in zip(sides, paths, strict=True)}
    whole = {side: torch.stack([row[name][1] for row in rows]) for side, name in zip(sides, paths, strict=True)}
    # error[w] = Σ_i s[w, i] − (log p(w | x) − log p(w | b))
    errors = torch.stack([values.sum(dim=-1) for values in whole.values()]).sum(dim=0) - (asked[-1] - asked[0])
    return Saliency(
        words=tuple(symbols[word] if word < len(symbols) else f"#{word}" for word in words),
        tokens=tokens,
        gradient={side: _frozen(values) for side, values in plain.items()},
        integrated={side: _frozen(values) for side, values in whole.items()},
        log_p=_frozen(asked[-1]),
        baseline_log_p=_frozen(asked[0]),
        errors=_frozen(errors),
    )


def _scores(x: Tensor, base: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """[token] gradient × input, and integrated gradients, of the gradients [batch, position, feature] along the path."""
    # s_i = x_i · g_i
    plain = (x[0] * gradient[-1]).sum(dim=-1)
    # s_i = (x_i − b_i) · mean_α g_i(α)
    return plain, ((x - base)[0] * gradient[1:-1].mean(dim=0)).sum(dim=-1)


def _embedded(model: AnyModel, ids: tuple[Tensor | None, Tensor | None]) -> tuple[dict[str, Tensor], dict[str, Tensor], Tensor]:
    """The embeddings' outputs and what positions alone add to them, by tap [batch 1, position, feature]; and the logits."""
    seen: dict[str, Tensor] = {}

    def watcher(tap: Tap, tensor: Tensor, _first: int | None) -> None:
        if ".embedding." in tap.name:
            seen[tap.name] = tensor.detach().clone()

    with watched(model, watcher):
        logits = model(*ids)
    outputs = {name: tensor for name, tensor in seen.items() if name.endswith(".output")}
    return outputs, {name: _base(name.removesuffix(".output"), seen) for name in outputs}, logits


def _base(embedding: str, seen: Mapping[str, Tensor]) -> Tensor:
    """[batch 1, position, feature] what positions alone add; zeros where there is none, or a norm behind the sum."""
    output, tokens, positions = (seen.get(f"{embedding}.{part}") for part in ("output", "tokens", "positions"))
    assert output is not None  # A side that has no such tap is refused before.
    if positions is None or positions.shape[-1] != output.shape[-1]:  # A projection to another width stands behind the sum.
        return torch.zeros_like(output)
    if f"{embedding}.scaled" in seen:
        return seen[f"{embedding}.positions"]
    # Of models of others, tokens may be scaled without a tap: then what is left of the sum has their direction.
    rest = output - positions
    alike = tokens is not None and torch.cosine_similarity(rest, tokens, dim=-1).min() > _SAME_DIRECTION
    return positions.expand_as(output) if alike else torch.zeros_like(output)


@contextmanager
def _reading(model: AnyModel, paths: dict[str, Tensor]) -> Iterator[None]:
    """Inside the block, the layers read these tensors in place of the embeddings' outputs."""

    def hook(tap: Tap, _tensor: Tensor, _first: int | None) -> Tensor:
        return paths[tap.name]

    with hooked(model, hook, at=paths):
        yield


def _frozen(tensor: Tensor) -> Array:
    return frozen_array(tensor.detach().cpu().numpy())
