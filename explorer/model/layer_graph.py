"""A few layers as one graph of torch's, which runs without Python. This file is about speed.

A layer is some forty small operations. Between two of them Python takes about as long as one of them takes over a short
sentence, and it waits for Python's lock whenever the window's thread works. So torch's tracer writes down once which operations
layers make, and a pass then makes them in one call, without the lock: 4.4 ms instead of 5.7 for the translator with 16 tokens
on each side, all tensors of it recorded.

    with in_graphs(model):
        model(source, target)

Inside the block, layers of which there is a graph are run by it, and every watcher of a tap is shown the same tensors in the
same order. All other layers are called as usual: while anything is hooked, while dropout is on, where one row or a long text
goes through, and until a graph was made. Graphs are made where nobody waits: `make_wanted`.

A graph belongs to a number of layers of a kind and to the knobs that a layer reads. Weights and the temperature are given to it
in each call, so that models of one kind share it. Before it is used, all that it gives is compared with what the layers
themselves give, bit for bit, for two numbers of tokens.

Decision: torch's tracer, which every torch has. Rejected: torch.compile, which needs a C++ compiler on the user's machine.
torch says that it will give the tracer up one day: then layers are called as before, and a pass takes a third longer.
"""

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from weakref import ReferenceType, ref

import attrs
import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.knobs import Value
from explorer.model.hooks import has_hooks, watched
from explorer.model.layer_segment import Context, Segment, packed
from explorer.model.layers import DecoderLayer
from explorer.model.tap import Tap
from explorer.model.transformer import Stack, Transformer

_AT_ONCE = 4  # So many layers are a graph at most: a pass can be stopped between two of them.
_MOST_GRAPHS, _MOST_WANTED = 16, 4
_OFTEN = 2  # So many passes must want a graph: while a slider changes the shape of a model, none is made.
_RUNS = 3  # torch arranges a graph in its first runs.
_FURTHER = 3  # tokens of the second comparison beyond the first
_ELSEWHERE = frozenset(
    (
        "n_layers",
        "max_len",
        "vocab_size",
        "target_vocab_size",
        "vocabulary",
        "tied_embeddings",
        "initialization",
        "norm_shift",
        "seed",
        "embedding_scale",
        "tokenizer",
        "jieba_hmm",
        "dropout",
        "dropout_active",
        "dropout_seed",
        "memory_budget",
        "device",
        "causal_mask",
        "causal_mask_encoder",
        "causal_mask_cross",
        "masking",
        "temperature",
        "score_scaling",
    )
)
"""The knobs that no layer reads but for the number by which scores are divided, which is given. A graph has the values of all
others inside."""

Key = tuple[object, ...]


@attrs.frozen(eq=False)
class Graph:
    """The operations of a Segment: from x, its context and its weights to the stream and the tensors of all taps.

    `paths` are those of the taps in the order in which a call comes through them.
    """

    run: Callable[..., tuple[Tensor, ...]]
    paths: tuple[str, ...]


_graphs: "OrderedDict[Key, Graph | None]" = OrderedDict()
"""The graphs by what they belong to; None where torch cannot make one, or where it would give other numbers."""
_wanted: "OrderedDict[Key, _Wanted]" = OrderedDict()
"""The graphs that the last passes would have used."""


@attrs.define(eq=False)
class _Wanted:
    """A graph that should be made: of what, with which sizes and masks for an example, and how many passes wanted it.

    The segment is not held: the weights of a model must go with it.
    """

    segment: "ReferenceType[Segment]"
    n: int = 0
    n_keys: int = 0
    masks: tuple[bool, ...] = ()
    passes: int = 0


@contextmanager
def in_graphs(model: nn.Module) -> Iterator[None]:
    """Inside the block, `model` runs its layers by graphs wherever that gives the same as calling them."""
    stacks: list[Stack] = []
    if isinstance(model, Transformer) and _is_plain(model):
        stacks = [each for each in (model.encoder, model.decoder) if each is not None]
    try:
        for stack in stacks:
            stack.__dict__["through"] = partial(_through, _knobs(model.config), _segments(stack))
        yield
    finally:
        for stack in stacks:
            stack.__dict__.pop("through", None)


def make_wanted(stop: Callable[[], bool] = lambda: False) -> None:
    """Make the graphs that several passes would have used, until `stop` asks to stop. Each takes some thirty milliseconds."""
    for key in [key for key, wanted in _wanted.items() if wanted.passes >= _OFTEN]:
        segment = _wanted[key].segment()
        made = None if segment is None else _made(segment, _wanted[key], stop)
        if stop():  # It may not be compared to the end.
            return
        if segment is not None:
            _graphs[key] = made
        del _wanted[key], segment
        while len(_graphs) > _MOST_GRAPHS:
            _graphs.popitem(last=False)


def forget_graphs() -> None:
    """Forget all graphs, and those that are wanted."""
    _graphs.clear()
    _wanted.clear()


def _is_plain(model: Transformer) -> bool:
    """Whether nothing comes in between a layer's operations, and none of them depends on chance or on the place of a token."""
    config = model.config
    if config.device != "cpu" or config.position in ("rotary", "alibi"):
        return False
    return torch.is_inference_mode_enabled() and not model.training and not has_hooks(model)


@lru_cache(maxsize=32)
def _knobs(config: Config) -> tuple[tuple[str, Value], ...]:
    """The knobs that a layer reads, with their values."""
    return tuple((name, value) for name, value in config.values().items() if name not in _ELSEWHERE)


def _through(knobs: object, segments: list[Segment], x: Tensor, *context: Tensor | None) -> Tensor:
    """The stream through all layers of a stack, by graphs where they are."""
    for segment in segments:
        weights = segment.weights(x, context)
        x = segment.called(x, context) if weights is None else _run(knobs, segment, weights, x, context)
    return x


def _run(knobs: object, segment: Segment, weights: list[Tensor], x: Tensor, context: Context) -> Tensor:
    key = segment.kind, len(segment.layers), knobs, packed(weights), tuple([each is None for each in context])
    graph = _graphs.get(key)
    if graph is None:
        if key not in _graphs:
            _want(key, segment, x, context)
        return segment.called(x, context)
    out, *shown = graph.run(*_given(segment, x, context, weights))
    for watcher in segment.watchers:
        group, together = segment.group(graph.paths), getattr(watcher, "together", None)
        if together is not None:
            together(group, shown)
        else:
            for tap, tensor in zip(group.taps, shown, strict=True):
                watcher(tap, tensor, None)
    return out


def _segments(stack: Stack) -> list[Segment]:
    """The layers of a stack in groups; put together once."""
    found: list[Segment] | None = stack.__dict__.get("segments")
    if found is None:
        layers = list(stack.layers)
        found = stack.__dict__["segments"] = [
            Segment(layers[n : n + _AT_ONCE], stack.config) for n in range(0, len(layers), _AT_ONCE)
        ]
    return found


def _want(key: Key, segment: Segment, x: Tensor, context: Context) -> None:
    """Note that there should be a graph of a segment, and the sizes of what came through it."""
    wanted = _wanted.setdefault(key, _Wanted(ref(segment)))
    wanted.segment, wanted.n, wanted.n_keys = ref(segment), x.shape[1], segment.n_keys(x.shape[1], context)
    wanted.masks = tuple(each is not None for each in context[segment.kind is DecoderLayer :])
    wanted.passes += 1
    _wanted.move_to_end(key)
    while len(_wanted) > _MOST_WANTED:
        _wanted.popitem(last=False)


def _made(segment: Segment, wanted: _Wanted, stop: Callable[[], bool]) -> Graph | None:
    """The graph of a segment, or None where torch cannot make one, it gives other numbers, or `stop` asks to stop."""
    with torch.inference_mode(), warnings.catch_warnings():
        # torch tells that the tracer will go, and that comparisons of sizes are not written down.
        warnings.simplefilter("ignore")
        try:
            first, second = (_example(segment, wanted, more) for more in (0, _FURTHER))
            graph = _traced(segment, *first)
            right = all(not stop() and _gives_the_same(graph, segment, *each) for each in (*[first] * _RUNS, second))
        except (AttributeError, RuntimeError, NotImplementedError, TypeError, OSError):  # OSError: no source is at hand.
            return None
    return graph if right else None


def _example(segment: Segment, wanted: _Wanted, more: int) -> tuple[Tensor, Context]:
    """Some x with a context, of the wanted sizes or with so many tokens more."""
    chance, size = torch.Generator().manual_seed(more), segment.size
    n, n_keys = wanted.n + more, wanted.n_keys + more
    x, memory = torch.randn(1, n, size, generator=chance), torch.randn(1, n_keys, size, generator=chance)
    sizes = (n, n), (n, n_keys)  # of the mask of self-attention, and of that of cross-attention
    seen = [
        torch.ones(size, dtype=torch.bool).tril() if there else None for size, there in zip(sizes, wanted.masks, strict=False)
    ]
    return x, (memory, *seen) if segment.kind is DecoderLayer else tuple(seen)


def _traced(segment: Segment, x: Tensor, context: Context) -> Graph:
    """The graph of what a call makes of an example."""
    paths: list[str] = []
    held = [(segment, x, context)]

    def call(*_given: Tensor) -> tuple[Tensor, ...]:
        paths.clear()
        return tuple(_shown(*held[0], paths))

    given = _given(segment, x, context, _settled(segment, x, context))
    with _traceable(segment, given[0]):
        # The tracer knows tensors by their memory: what layers find in themselves and are given here becomes an argument.
        run = torch.jit.trace(call, given, check_trace=False)  # type: ignore[no-untyped-call]
    held.clear()  # torch keeps the function beside the graph, and graphs outlive models.
    return Graph(run, tuple(paths))


def _given(segment: Segment, x: Tensor, context: Context, weights: list[Tensor]) -> tuple[Tensor, ...]:
    """What a graph is given: the number by which scores are divided, x, its context, and weights."""
    divisor = torch.tensor(segment.attentions[0].config.score_divisor, dtype=torch.float64)
    return divisor, x, *[each for each in context if each is not None], *weights


def _settled(segment: Segment, x: Tensor, context: Context) -> list[Tensor]:
    """The weights. Raises RuntimeError where the layers must be called."""
    weights = segment.weights(x, context)
    if weights is None:
        raise RuntimeError
    return weights


def _shown(segment: Segment, x: Tensor, context: Context, paths: list[str]) -> list[Tensor]:
    """What calls of all layers give, and behind it the tensors of all taps, whose paths are added to `paths`."""
    shown: list[Tensor] = []

    def watcher(tap: Tap, tensor: Tensor, _first: int | None) -> None:
        paths.append(tap.name)  # In a segment that is watched by itself this is its path inside the segment.
        shown.append(tensor)

    with watched(segment.layers, watcher):
        return [segment.called(x, context), *shown]


@contextmanager
def _traceable(segment: Segment, divisor: Tensor) -> Iterator[None]:
    """Inside the block, products are made in a way that the tracer can write down, and scores are divided by what is given."""
    for linear, _ in segment.linears:
        linear.__dict__["forward"] = linear.traceable
    for attention in segment.attentions:
        attention.__dict__["divisor"] = lambda: divisor
    try:
        yield
    finally:
        for linear, _ in segment.linears:
            del linear.__dict__["forward"]
        for attention in segment.attentions:
            del attention.__dict__["divisor"]


def _gives_the_same(graph: Graph, segment: Segment, x: Tensor, context: Context) -> bool:
    """Whether a graph gives what the layers give, bit for bit."""
    wanted = _shown(segment, x, context, [])
    made = graph.run(*_given(segment, x, context, _settled(segment, x, context)))
    return len(made) == len(wanted) and all(map(torch.equal, made, wanted))
