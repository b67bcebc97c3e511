"""What the matrices of a Jacobian lens are made of: how the last stream answers to the stream of each layer."""

from collections.abc import Iterator

import torch
from torch import Tensor

from explorer.engine.experiments.bench import fetched, stop_if
from explorer.engine.experiments.output_weights import stream_taps
from explorer.engine.experiments.taking_gradients import seen_at, wanting_gradients
from explorer.model.transformer import Transformer
from explorer.stops import Stop

AT_ONCE = 2**22  # numbers that go back through the model at once, of a direction for each feature


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
    for rows in torch.split(ones, max(1, AT_ONCE // (h.numel() or 1))):
        yield rows[:, None, None, :].expand(-1, *h.shape)
