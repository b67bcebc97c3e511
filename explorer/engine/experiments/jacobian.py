"""The Jacobian lens: the stream of a layer, carried to where the last layer leaves it, and only then read.

J_l is the mean, over many sentences and places, of how the last stream (before the final norm) answers to the stream of layer
l. The lens reads unembed(J_l·h) instead of unembed(h). Gurnee, Sofroniew, Lindsey et al. 2026, "Verbalizable Representations
Form a Global Workspace in Language Models", describe it; as there, the answers of a place and of all later ones are summed,
and the sums are averaged over places. Behind the last addition J is the identity, so there the lens is the output itself.
"""

import hashlib
from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

import attrs
import torch
from torch import Tensor, nn

from explorer.engine.experiments.bench import fetched, stop_if
from explorer.engine.experiments.gradients import seen_at, wanting_gradients
from explorer.engine.experiments.output_weights import lens_of, stream_taps
from explorer.model.transformer import Transformer
from explorer.stops import Stop
from explorer.trace.found.findings import Lens
from explorer.trace.found.jacobian import Agreement
from explorer.trace.trace import Trace

_AT_ONCE = 2**22  # Of a direction for each feature, so many numbers go back through the model at once.
_Seen = tuple[tuple[int, int], ...]
_hashed: "WeakKeyDictionary[nn.Module, tuple[_Seen, str]]" = WeakKeyDictionary()
"""What weights hash to, by model: of nine million of them it takes 30 ms, and a page asks at every keystroke."""


def jacobian_sums(model: Transformer, source: Tensor | None, given: Tensor, stop: Stop) -> dict[str, Tensor]:
    """By tap of the decoder's stream [out feature, in feature]: Σ_p Σ_p' ∂h_last[p'] / ∂h[p] over the places of one sentence.

    `source` and `given` are ids [batch 1, position], and the numbers have the weights' precision. The last tap, whose J is
    the identity, is left out. Raises Superseded.
    """
    assert model.decoder is not None  # A model without a decoder writes no words.
    *taps, last = stream_taps(model.decoder)
    with torch.inference_mode(False), torch.enable_grad(), wanting_gradients(model):
        memory = None if source is None else model.encode(source).detach()
        with seen_at(model, (*taps, last), keep=True) as seen:
            model.decode(given, memory)
        h = seen[last]  # [batch 1, position, feature]
        streams = [seen[tap] for tap in taps]
        parts = []
        for directions in _directions(h):
            stop_if(stop)
            # Row i of J: the gradient of Σ_p' h_last[p', i]
            found = torch.autograd.grad(h, streams, directions, retain_graph=True, is_grads_batched=True)
            parts.append([each.sum(dim=(1, 2)) for each in found])  # [direction, in feature]
    return {tap: fetched(torch.cat(rows)) for tap, rows in zip(taps, zip(*parts, strict=True), strict=True)}


def _directions(h: Tensor) -> Iterator[Tensor]:
    """[direction, batch 1, position, feature] a one at one feature of every place, for some features at a time."""
    n_features = h.shape[-1]
    ones = torch.eye(n_features, dtype=h.dtype, device=h.device)
    for rows in torch.split(ones, max(1, _AT_ONCE // (h.numel() or 1))):
        yield rows[:, None, None, :].expand(-1, *h.shape)


def carried(stream: Tensor, matrices: Mapping[str, Tensor], tap: str) -> Tensor:
    """[…, feature] J·h: the stream of a tap in the place of the last one's; behind the last addition it is there already."""
    # h' = J·h
    return stream @ matrices[tap].T if tap in matrices else stream


def jacobian_lens(
    model: Transformer, trace: Trace, matrices: Mapping[str, Tensor], agreement: Agreement | None, stop: Stop
) -> Lens:
    """What each layer would say, carried by the matrices first. Raises Superseded."""
    found = lens_of(model, trace, stop, lambda tap, stream: carried(stream, matrices, tap))
    return attrs.evolve(found, agreement=agreement)


def weights_hash(model: Transformer) -> str:
    """The SHA-256 of all weights with their names and shapes. A model whose weights are the same is not read again."""
    named = dict(sorted(model.named_parameters()))
    seen = tuple((each.data_ptr(), each._version) for each in named.values())
    known = _hashed.get(model)
    if known is not None and known[0] == seen:
        return known[1]
    made = hashlib.sha256()
    for name, parameter in named.items():
        made.update(f"{name} {list(parameter.shape)} ".encode())
        made.update(fetched(parameter).contiguous().numpy().data)
    _hashed[model] = seen, made.hexdigest()
    return made.hexdigest()
