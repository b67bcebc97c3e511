"""A step of guesses as one graph of torch's, which runs without Python. This file is about speed.

A step with rounded weights has so little to compute that Python takes half of its time. torch's tracer writes its operations
down once; the next steps make them in one call, in which the window's thread may work: 0.7 ms instead of 1.2 for four rows of
the translator. See `model.layer_graph`, which does the same for recorded passes. Here the weights are inside: a guess is looked
over by a recorded pass anyway.
"""

import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

from explorer.engine.decoding.quick import QuickSteps, can_be_quick, graph_config
from explorer.engine.decoding.quick_weights import quick_weights
from explorer.model import masks
from explorer.model.transformer import Transformer

_SIZES = ((4, 3), (5, 0))  # How many new rows, and how many before them: torch arranges a graph in its first runs.
_RUNS = 3
_CLOSE = 1e-4


def make_step_graph(model: Transformer) -> None:
    """Make the graph of a step of guesses, if the rounded weights are there and it was not made with these knobs.

    Where torch cannot make one, or it gives other numbers, steps are made as before.
    """
    if not can_be_quick(model):
        return
    weights, inside = quick_weights(model), graph_config(model.config)
    if weights.guesses is None or weights.graph_config == inside or model.config.position in ("rotary", "alibi"):
        return
    weights.graph, weights.graph_config = None, inside
    with torch.inference_mode():
        weights.graph = traced(QuickSteps(model, torch.zeros(1, 3, model.config.d_model), rounded=True))


def traced(steps: QuickSteps) -> Callable[..., Tensor] | None:
    """The graph of `QuickSteps.logits`; None where torch cannot make one, or it gives other numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch tells that the tracer will go.
        try:
            first, second = (_example(steps, *size) for size in _SIZES)
            graph: Callable[..., Tensor] = torch.jit.trace(_Step(steps), first, check_trace=False)  # type: ignore[no-untyped-call]
            right = all(torch.allclose(graph(*each), _step(steps, each), _CLOSE, _CLOSE) for each in (*[first] * _RUNS, second))
        except (AttributeError, RuntimeError, NotImplementedError, TypeError, OSError):  # OSError: no source is at hand.
            return None
    return graph if right else None


def _step(steps: QuickSteps, given: tuple[Tensor, ...]) -> Tensor:
    x, new, kept, across, seen, _scale = given
    return steps.logits(x, new, kept, across, seen, steps.scale)


class _Step(nn.Module):
    """A step as a module: torch's tracer looks for the rounded weights among the attributes of one."""

    def __init__(self, steps: QuickSteps) -> None:
        super().__init__()
        self._steps = steps
        for number, product in enumerate(steps.products):
            setattr(self, f"weights_{number}", getattr(product, "packed", None))

    def forward(self, x: Tensor, new: Tensor, kept: Tensor, across: Tensor, seen: Tensor, scale: Tensor) -> Tensor:
        """See `QuickSteps.logits`."""
        return self._steps.logits(x, new, kept, across, seen, scale)


def _example(steps: QuickSteps, n_new: int, n_before: int) -> tuple[Tensor, ...]:
    """Some rows behind some others, as `QuickSteps.logits` is given them."""
    chance = torch.Generator().manual_seed(n_new)
    config, end = steps.config, n_before + n_new
    sizes = config.n_layers, 2, 1, config.n_heads
    x = torch.randn(n_new, config.d_model, generator=chance)
    kept = torch.randn(*sizes, end + 2, config.d_head, generator=chance)
    across = torch.randn(*sizes, 3 + n_new, config.d_head, generator=chance)
    seen, scale = masks.causal(n_new, end, n_before), torch.tensor(steps.scale)
    return x, kept[..., n_before:end, :], kept[..., :end, :], across, seen, scale
