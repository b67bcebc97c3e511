"""Saliency: gradients of each word's log-probability with respect to what the embeddings give out.

Integrated gradients (Sundararajan, Taly, Yan 2017) are an integral of slopes along a path, in as many steps as it needs: where
the value bends most, steps become shorter. What a part of the path adds to the value is known at both its ends, so each part
tells by how much its slopes miss that. The trapezoidal rule looks at both ends alone: halving a part takes one new step, and
nothing that was computed is lost.

Decision: each word's gradient comes through the output's whole product. Rejected: its own row of the output (1.16 s in place of
1.3), because each model's output would need a second way through it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.experiments.runs import AnyModel
from explorer.engine.experiments.taking_gradients import said
from explorer.engine.speed.threads import batch_threads, pass_work
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.stops import Stop
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.saliency import Saliency
from explorer.trace.model_card import ModelCard

Numbers = NDArray[np.float64]
Walk = Callable[[Sequence[float], Sequence[int]], tuple[Numbers, Numbers]]
"""At some places of the path (0 to 1) and for some words by number: values [place, word], slopes [place, word, token]."""

FIRST_STEPS = 17
_HALVED = 16  # parts of the path that are halved before the sum is looked at again
_SMALL = 0.05  # nat
# A norm without biases turns at once where the path begins: its bend may lie at a millionth of the path, 16 halvings away.
_NEARER = 16
_MOST_STEPS = 1024
_MOST_WORK = 1e12  # multiplications of all steps forward and back; about twenty seconds on a core
_SAME_DIRECTION = 0.999  # the least cosine of vectors that differ by a factor alone


def saliency(bench: Bench) -> Saliency:
    """Both estimates for each word; without expected words, the likeliest are asked.

    The integral takes as many steps as it needs, some of them in a batch; in a large model it takes fewer. Raises Superseded.
    """
    rows = {"encoder": bench.tokens.source, "decoder": bench.tokens.target}
    tokens = {side.name: rows[side.name] for side in bench.card.sides}
    longest = max(map(len, tokens.values()))
    torch.set_num_threads(batch_threads(bench.card, FIRST_STEPS * longest))
    ids = (bench.source(), bench.target())
    with torch.no_grad():
        inputs, bases, logits = _embedded(bench.model, ids)
        words = list(bench.expected) if bench.expected else logits.argmax(dim=-1)[0].tolist()
    path = _Path(bench.model, ids, inputs, bases, words, bench.stop)
    whole = integral(path.walk, len(words), _most_steps(bench.card, longest, len(words)))
    sides, sizes = [name.partition(".")[0] for name in inputs], [x.shape[1] for x in inputs.values()]
    parts = np.split(whole.parts, np.cumsum(sizes)[:-1], axis=1)
    return Saliency(
        words=tuple(map(bench.symbol, words)),
        tokens=tokens,
        gradient=dict(zip(sides, map(_frozen, path.slopes_of_the_input), strict=True)),
        integrated=dict(zip(sides, map(_frozen, parts), strict=True)),
        log_p=_frozen(whole.ends[1]),
        baseline_log_p=_frozen(whole.ends[0]),
        errors=_frozen(whole.errors),
        n_steps=whole.n_steps,
    )


def _most_steps(card: ModelCard, n_tokens: int, n_words: int) -> int:
    """How many steps the path may have: each of them is a pass forward, and one back for each word."""
    return int(min(_MOST_STEPS, max(FIRST_STEPS, _MOST_WORK / (n_words * pass_work(card, n_tokens)))))


@attrs.frozen(eq=False)
class Integral:
    """What each token brings to each word along the path: `parts` [word, token] in nats, made of `n_steps` at most.

    `errors` [word] are by how much the parts miss what they should sum to; `ends` [end, word] are the values at 0 and 1.
    """

    parts: Numbers
    errors: Numbers
    ends: Numbers
    n_steps: int


def integral(walk: Walk, n_words: int, most_steps: int) -> Integral:
    """Halve the parts that miss most until each word's parts miss their sum by no more than 0.05 nat. Raises like `walk`.

    It gives up before there are more than `most_steps`, and where a value is no number.
    """
    places = np.linspace(0.0, 1.0, FIRST_STEPS)
    left = np.arange(n_words)  # the words whose parts still miss too much
    values, slopes = walk(places.tolist(), left.tolist())
    parts, errors, ends = np.zeros((n_words, slopes.shape[-1])), np.zeros(n_words), values[[0, -1]]
    while True:
        # ∫ s dα ≈ Σ_k (α[k+1] − α[k]) · (s[k] + s[k+1]) / 2
        terms = np.diff(places)[:, None, None] * (slopes[1:] + slopes[:-1]) / 2  # [part of the path, word, token]
        misses = terms.sum(axis=-1) - np.diff(values, axis=0)  # [part of the path, word]
        parts[left], errors[left] = terms.sum(axis=0), misses.sum(axis=0)
        on = np.abs(errors[left]) > _SMALL  # False where the error is no number
        if not on.any() or len(places) + _HALVED > most_steps:
            return Integral(parts, errors, ends, len(places))
        left, values, slopes, misses = left[on], values[:, on], slopes[:, on], misses[:, on]
        worst = np.argsort(-np.abs(misses).max(axis=1), kind="stable")[:_HALVED]
        new = np.where(worst == 0, places[1] / _NEARER, (places[worst] + places[worst + 1]) / 2)
        new_values, new_slopes = walk(new.tolist(), left.tolist())
        order = np.argsort(np.concatenate([places, new]), kind="stable")
        places = np.concatenate([places, new])[order]
        values, slopes = (np.concatenate(both)[order] for both in ((values, new_values), (slopes, new_slopes)))


class _Path:
    """The way of the embeddings' outputs from the positions alone (share 0) to the sentence (share 1).

    `slopes_of_the_input` has by side x · ∂ log p / ∂x [word, token] at the sentence itself, once the path has reached it.
    """

    def __init__(
        self,
        model: AnyModel,
        ids: tuple[Tensor | None, Tensor | None],
        inputs: dict[str, Tensor],
        bases: dict[str, Tensor],
        words: list[int],
        stop: Stop,
    ) -> None:
        self._model, self._ids, self._stop = model, ids, stop
        self._inputs, self._bases, self._words = inputs, bases, words
        self.slopes_of_the_input: list[Numbers] = []

    def walk(self, shares: Sequence[float], some: Sequence[int]) -> tuple[Numbers, Numbers]:
        """At these shares of the way, one batch: log p [share, word] of some words, and slopes [share, word, token].

        A slope is what the token's vector adds to log p per share of the way. Raises Superseded.
        """
        words = [(place, self._words[place]) for place in some]
        steps = torch.tensor(shares)[:, None, None]  # [batch, position 1, feature 1]
        with torch.enable_grad():
            # x(α) = b + α (x − b)
            paths = {
                name: (self._bases[name] + steps.to(x) * (x - self._bases[name])).detach().requires_grad_()
                for name, x in self._inputs.items()
            }
            with _reading(self._model, paths):
                batch = [None if row is None else row.expand(len(shares), -1) for row in self._ids]
                log_p = said(self._model, *batch).log_softmax(dim=-1)  # [batch, position, vocab]
            found = []  # [word] by side the gradients [batch, position, feature]
            for place, word in words:
                stop_if(self._stop)
                found.append(torch.autograd.grad(log_p[:, place, word].sum(), list(paths.values()), retain_graph=True))
        if shares[-1] == 1:
            # s_i = x_i · g_i
            self.slopes_of_the_input = [
                np.stack([_double((x[0] * gradients[side][-1]).sum(dim=-1)) for gradients in found])
                for side, x in enumerate(self._inputs.values())
            ]
        slopes = [torch.cat(list(self._along(gradients)), dim=-1) for gradients in found]
        asked = log_p.detach()[:, [place for place, _ in words], [word for _, word in words]]  # [batch, word]
        return _double(asked), _double(torch.stack(slopes, dim=1))

    def _along(self, gradients: Sequence[Tensor]) -> Iterator[Tensor]:
        """By side [batch, token] the slopes along the way."""
        for (name, x), gradient in zip(self._inputs.items(), gradients, strict=True):
            # s_i(α) = (x_i − b_i) · g_i(α)
            yield ((x - self._bases[name]) * gradient).sum(dim=-1)


def _embedded(model: AnyModel, ids: tuple[Tensor | None, Tensor | None]) -> tuple[dict[str, Tensor], dict[str, Tensor], Tensor]:
    """The embeddings' outputs and what positions alone add to them, by tap [batch 1, position, feature]; and the logits."""
    seen: dict[str, Tensor] = {}

    def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        if ".embedding." in tap.name:
            seen[tap.name] = tensor.detach().clone()

    with hooked(model, hook):
        logits = said(model, *ids)
    outputs = {name: tensor for name, tensor in seen.items() if name.endswith(".output")}
    return outputs, {name: _base(name.removesuffix(".output"), seen) for name in outputs}, logits


def _base(embedding: str, seen: Mapping[str, Tensor]) -> Tensor:
    """[batch 1, position, feature] what positions alone add; zeros where there is none, or a norm behind the sum."""
    output, tokens, positions = (seen.get(f"{embedding}.{part}") for part in ("output", "tokens", "positions"))
    assert output is not None  # The table of experiments asks for this tap.
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

    def hook(tap: Tap, _args: tuple[Any, ...], _tensor: Tensor) -> Tensor:
        return paths[tap.name]

    with hooked(model, hook, at=paths):
        yield


def _double(tensor: Tensor) -> Numbers:
    array: Numbers = fetched(tensor).double().numpy()
    return array


def _frozen(numbers: Numbers) -> Array:
    return frozen_array(numbers.astype(np.float32))


MAKE = saliency
