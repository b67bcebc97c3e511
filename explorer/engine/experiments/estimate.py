"""The gradient's estimate of what switching a head off does. Michel et al. 2019 rank heads by its magnitude; Nanda 2023 calls
it attribution patching.

It needs one pass forward and one back for each word, however many heads there are. It is a straight line through the present
pass: where later layers answer to the change, the effect is another one. So it is only shown as an estimate.
"""

import torch
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.experiments.gradients import seen_at, wanting_gradients


def estimated_heads(bench: Bench, word_ids: tuple[int, ...]) -> dict[str, Tensor]:
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
