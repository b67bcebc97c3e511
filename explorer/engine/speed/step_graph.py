"""Steps of decoding as graphs of torch's, which run without Python. This file is about speed.

A step has so little to compute that Python takes up to half of its time. torch's tracer writes its operations down once; the
next steps make them in one call, in which the window's thread may work. With rounded weights four rows of the translator take
0.7 ms instead of 1.2, with exact ones a row takes 1.0 instead of 1.35, of which the products alone are 0.9. The
weights are inside: a guess is looked over by a recorded pass anyway, and exact
steps are looked up by the state of all weights.

An exact graph gives the same numbers as the step, bit for bit, so that it makes no difference when it was made.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from explorer.engine.speed.quick import QuickSteps, can_be_quick, graph_config
from explorer.engine.speed.quick_weights import Graph, n_called, quick_weights
from explorer.model import masks
from explorer.model.transformer import Transformer
from explorer.stops import Stop

_SIZES = ((4, 3), (5, 0))  # How many new rows, and how many before them: torch arranges a graph in its first runs.
_EXACT_SIZES = ((1, 3), (1, 0), (1, 9)), ((3, 3), (5, 0), (2, 9))  # How many sentences, and how many rows before a step.
_GIVEN = ("x", "new", "kept", "across", "seen", "scale")  # what a step is given, by name
_RUNS = 3
_CLOSE = 1e-4
_WORTH = 200  # exact steps of a kind, after which a graph is worth the 60 ms that it takes to make


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


def make_exact_graphs(model: Transformer, worth: int = _WORTH, stop: Stop = lambda: False) -> None:
    """Make the graphs of exact steps of one token, each once `worth` of its kind were made without it, until `stop` says so.

    Where torch cannot make one, or it gives other numbers, steps are made as before.
    """
    if n_called(model) < worth or not can_be_quick(model) or model.config.position in ("rotary", "alibi"):
        return
    weights, inside = quick_weights(model), graph_config(model.config)
    for kind, sizes in enumerate(_EXACT_SIZES):
        if weights.n_called[kind] < worth or weights.exact_configs[kind] == inside or stop():
            continue
        weights.exact_graphs[kind], weights.exact_configs[kind], weights.n_called[kind] = None, inside, 0
        with torch.inference_mode():
            weights.exact_graphs[kind] = exact_traced(QuickSteps(model, torch.zeros(1, 3, model.config.d_model)), sizes)


def exact_traced(steps: QuickSteps, sizes: Sequence[tuple[int, int]]) -> Graph | None:
    """The graph of `QuickSteps.logits` for one token of each sentence; `sizes` are numbers of sentences and of rows before.

    None where torch cannot make one, or where it differs in a single bit for any of the sizes.
    """
    packed = steps.weights.packed()

    def call(x: Tensor, new: Tensor, kept: Tensor, across: Tensor, scale: Tensor, *_packed: Tensor) -> Tensor:
        return steps.logits(x, new, kept, across, None, scale)

    with _quietly():
        try:
            examples = [_example(steps, 1, n_before, n) for n, n_before in sizes]
            given = [(x, new, kept, across, scale, *packed) for x, new, kept, across, _seen, scale in examples]
            with _traceable(steps):
                graph = _graph_of(call, given[0])
            right = all(torch.equal(graph(*each), _exact(steps, each)) for each in (*[given[0]] * _RUNS, *given))
        except (AttributeError, RuntimeError, NotImplementedError, TypeError, OSError):  # OSError: no source is at hand.
            return None
    return graph if right else None


def traced(steps: QuickSteps) -> Graph | None:
    """The graph of `QuickSteps.logits`; None where torch cannot make one, or it gives other numbers."""
    with _quietly():
        try:
            first, second = (_example(steps, *size) for size in _SIZES)
            graph = _graph_of_module(_Step(steps), first)
            right = all(torch.allclose(graph(*each), _step(steps, each), _CLOSE, _CLOSE) for each in (*[first] * _RUNS, second))
        except (AttributeError, RuntimeError, NotImplementedError, TypeError, OSError):  # OSError: no source is at hand.
            return None
    return graph if right else None


def _graph_of(call: Callable[..., Tensor], given: tuple[Tensor, ...]) -> Graph:
    """The operations that `call` makes of some tensors, written down.

    `torch.jit.trace` keeps each graph of a function, with the weights inside, for as long as the process lives: 30 MB for each
    translator that was loaded. These two functions, of which it is made, keep no reference to the graph.
    """
    operations, *_rest = torch._C._create_graph_by_tracing(call, given, lambda _value: "", True, False)
    graph: Graph = torch._C._create_function_from_graph("step", operations)
    return graph


def _graph_of_module(module: nn.Module, given: tuple[Tensor, ...]) -> Graph:
    """As `_graph_of`, of a module with rounded weights, which torch's tracer looks for among the attributes of one."""
    owner: Any = torch._C.ScriptModule("step", torch._C.CompilationUnit(), True)  # type: ignore[call-arg]  # torch's stub lacks them
    for name, value in vars(module).items():
        if isinstance(value, torch.ScriptObject):
            owner._register_attribute(name, torch._C._jit_try_infer_type(value).type(), value)
    owner._create_method_from_trace("forward", module, given, lambda _value: "", True, False, list(_GIVEN), False)
    graph: Graph = owner._get_method("forward")
    return graph


@contextmanager
def _quietly() -> Iterator[None]:
    """Inside the block, torch does not tell that the tracer will go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _traceable(steps: QuickSteps) -> Iterator[None]:
    """Inside the block, exact products are made in a way that the tracer can write down."""
    for layer in steps.weights.exact:
        layer.forward = layer.traceable  # type: ignore[method-assign]
    try:
        yield
    finally:
        for layer in steps.weights.exact:
            del layer.forward


def _exact(steps: QuickSteps, given: tuple[Tensor, ...]) -> Tensor:
    x, new, kept, across, _scale, *_packed = given
    return steps.logits(x, new, kept, across, None, steps.scale)


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


def _example(steps: QuickSteps, n_new: int, n_before: int, n: int = 1) -> tuple[Tensor, ...]:
    """Some rows behind some others, of `n` sentences, as `QuickSteps.logits` is given them."""
    chance = torch.Generator().manual_seed(n_new)
    config, end = steps.config, n_before + n_new
    sizes = config.n_layers, 2, n, config.n_heads
    x = torch.randn(n * n_new, config.d_model, generator=chance)
    kept = torch.randn(*sizes, end + 2, config.d_head, generator=chance)
    across = torch.randn(*sizes, 3 + n_new, config.d_head, generator=chance)
    seen, scale = masks.causal(n_new, end, n_before), torch.tensor(steps.scale)
    return x, kept[..., n_before:end, :], kept[..., :end, :], across, seen, scale
