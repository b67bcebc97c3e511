"""Experiments: passes without positions, without residual connections, with another token, or in a batch.

Each takes the model that made the Trace and returns an Experiment for `trace.experiments`. It leaves the model as it was.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import attrs
import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, cross_entropy

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import Bench, fetched, first_stack, frozen, ids_of, number_of, stop_if
from explorer.engine.experiments.costs import costs
from explorer.engine.experiments.edges import edges, exact_rows
from explorer.engine.experiments.effects import effects, effects_exact, exact_heads
from explorer.engine.experiments.gradients import seen_at, wanting_gradients
from explorer.engine.experiments.looking_back import lens_of_pass, output_weights_of, reading_weights_of
from explorer.engine.experiments.runs import AnyModel
from explorer.foreign.model import Foreign
from explorer.model import masks, positions
from explorer.model.embedding import Embedding
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.model.weights import untrained, with_knobs
from explorer.state.focus import Focus
from explorer.tokens.vocabulary import PAD
from explorer.trace.arrays import Array
from explorer.trace.found.edges import Edges
from explorer.trace.found.effects import Effects
from explorer.trace.found.finding_kinds import WITHOUT_CHANGES, WITHOUT_PASSES
from explorer.trace.found.findings import (
    DECODER_LEARNED,
    Copies,
    Depth,
    Experiment,
    Leak,
    Lens,
    OutputWeights,
    PaddedBatch,
    ReadingWeights,
    Swap,
    Variants,
)

_PLACES = 128  # The tables of positions have so many rows in `variants`.
_AT_ONCE = 32  # A pass takes at most so many sentences.
_CELLS_AT_ONCE = 2**24  # The maps of one attention in a pass have at most so many cells.
_MOST_REPLACED = 256  # Only so many tokens of a longer text are replaced.


def focused(name: str, bench: Bench, focus: Focus, before: Experiment | None) -> Experiment | None:
    """Make an experiment about the place in focus, going on from what was found `before`; None where there is no such place.

    Raises Superseded.
    """
    with running(name, bench) as bench, _stopping(bench):
        if name == "costs":
            return before or costs(bench, focus)
        if name == "effects_exact":
            found = before or effects(bench)
            assert isinstance(found, Effects)  # `findings` keeps what it was given under each name.
            return found if found.exact else exact_heads(bench, found, focus.head_rows)
        cells = before or edges(bench, focus)
        long = isinstance(cells, Edges) and cells.exact_rows < min(focus.edge_rows, len(cells.values))
        return exact_rows(bench, cells, focus.edge_rows) if long and isinstance(cells, Edges) else cells


def experiment(name: str, bench: Bench) -> Experiment:
    """Make one experiment by its name. Raises Superseded."""
    made: dict[str, Callable[[Bench], Experiment]] = {
        "variants": variants,
        "swap": swap,
        "leak": leak,
        "depth": depth,
        "batch": batch,
        "copies": copies,
        "why": why,
        "readers": readers,
        "lens": lens,
        "effects": effects,
        "effects_exact": effects_exact,
    }
    with running(name, bench) as bench, _stopping(bench):
        return made[name](bench)


def variants(bench: Bench) -> Variants:
    """Every kind of positions side by side, with the model's d_model and base."""
    config = bench.config
    n, d, base = min(_PLACES, config.max_len), config.d_model, config.position_base
    tables = {kind: positions.sinusoidal(n, d, base, kind=kind) for kind in positions.EXPONENTS}
    sides = [side for side in ("encoder", "decoder") if getattr(bench.own, side) is not None]
    tables["learned"] = _learned(bench.own, sides[0])[:n]
    if len(sides) > 1:
        tables[DECODER_LEARNED] = _learned(bench.own, "decoder")[:n]
    # Rows are compared with the row of position 1: with sines alone, the row of position 0 is zero and has no angle.
    against = {kind: cosine_similarity(table[1:2], table[1:], dim=-1) for kind, table in tables.items()}
    turned = positions.rotate(torch.ones(n, config.d_head), base)  # [position, feature]
    against["rotary"] = cosine_similarity(turned[1:2], turned[1:], dim=-1)
    against["alibi"] = positions.alibi(config.n_heads, n, n)[0, 0, :-1]
    return Variants(
        {kind: frozen(table) for kind, table in tables.items()}, {kind: frozen(curve) for kind, curve in against.items()}
    )


def swap(bench: Bench) -> Swap:
    """The first and the third token exchanged (狗是人, 人是狗), with the model's positions and with none."""
    tokens = bench.side
    first, second = 0, min(2, len(tokens) - 1)
    order = list(range(len(tokens)))
    order[first], order[second] = order[second], order[first]
    swapped = tuple(tokens[place] for place in order)

    def outputs(config: Config) -> tuple[Array, Array]:
        with changed(bench.own, config, bench.changing) as model:
            plain, other = (first_stack(model, bench.ids(row))[0] for row in (tokens, swapped))
        return frozen(plain), frozen(other[order])  # The same exchange once more puts the rows back.

    with torch.inference_mode():
        usual = outputs(bench.config)
        without = outputs(bench.config.changed(position="none"))
    return Swap(first, second, swapped, *usual, *without)


def leak(bench: Bench) -> Leak:
    """Replace each token in turn by another: those of the target if the model has a decoder, else those of the source."""
    of_target = bool(bench.tokens.target)
    ids = torch.tensor(ids_of(bench.tokens.target if of_target else bench.tokens.source), device=bench.device)[:_MOST_REPLACED]
    limit = bench.config.n_target_symbols if of_target else bench.config.vocab_size
    rows = ids.repeat(len(ids), 1)  # [changed token, position]
    rows.diagonal().copy_((ids + 1) % limit)
    source = bench.source() if of_target and bench.tokens.source else None

    def outputs(batch: Tensor) -> Tensor:
        stop_if(bench.stop)
        if source is None:
            return first_stack(bench.own, batch)
        return bench.own.decode(batch, bench.own.encode(source).expand(len(batch), -1, -1))

    with torch.inference_mode():
        usual = outputs(ids[None])
        cells = bench.config.n_heads * len(ids) ** 2  # The maps of one sentence have so many cells.
        parts = torch.split(rows, max(1, min(_AT_ONCE, _CELLS_AT_ONCE // cells)))
        moved = torch.cat([(outputs(part) - usual).norm(dim=-1) for part in parts])
    length = number_of(usual.norm(dim=-1).mean())
    return Leak("target" if of_target else "source", frozen(moved.T), length)  # [output, changed token]


def depth(bench: Bench) -> Depth:
    """One pass and its gradient with residual connections, and one without."""
    measured = [_lengths(bench, bench.config.changed(residual=on)) for on in (True, False)]
    taps = tuple(measured[0][0])
    return Depth(taps, *(frozen(torch.tensor([one[part][tap] for tap in taps])) for part in (0, 1) for one in measured))


def batch(bench: Bench) -> PaddedBatch:
    """The sentence and the others, padded to the longest; each must come out as if it were alone."""
    sentences = (bench.side, *bench.others)
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    n = int(lengths.max())
    ids = torch.full((len(sentences), n), PAD)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(ids_of(sentence))
    ids, real = ids.to(bench.device), masks.padding(lengths.to(bench.device), n)  # real: [batch, head 1, query 1, key]
    with torch.inference_mode():
        with seen_at(bench.model, ("self_attn.masked", "self_attn.weights")) as seen:
            # A batch without padding needs no mask.
            together = first_stack(bench.own, ids, real if int(lengths.min()) < n else None)
        open_to_padding = first_stack(bench.own, ids)
        alone = [first_stack(bench.own, bench.ids(sentence))[0] for sentence in sentences]
    stacked = {
        part: torch.stack([array for name, array in seen.items() if name.endswith(part)], dim=1)
        for part in (".masked", ".weights")
    }  # [batch, layer, head, query, key]
    return PaddedBatch(
        sentences,
        fetched(real[:, 0, 0]).numpy(),
        frozen(stacked[".masked"]),
        frozen(stacked[".weights"]),
        *(
            max(number_of((row[: len(one)] - one).abs().max()) for row, one in zip(rows, alone, strict=True))
            for rows in (together, open_to_padding)
        ),
    )


def copies(bench: Bench) -> Copies:
    """How much the layers of the first stack differ from one another."""
    stack = bench.own.encoder or bench.own.decoder
    assert stack is not None  # A model has an encoder, a decoder or both.
    first = dict(stack.layers[0].named_parameters())

    def apart(layer: nn.Module) -> float:
        stop_if(bench.stop)
        return max(number_of((weight - first[name]).abs().max()) for name, weight in layer.named_parameters())

    return Copies(frozen(torch.tensor([apart(layer) for layer in stack.layers])))


def why(bench: Bench) -> OutputWeights:
    """The weights with which a logit of this pass can be taken apart."""
    return output_weights_of(bench)


def readers(bench: Bench) -> ReadingWeights:
    """The weights with which the numbers of Q, K and V of this pass are taken apart."""
    return reading_weights_of(bench)


def lens(bench: Bench) -> Lens:
    """What each layer would say at each place of this pass. Raises Superseded, LacksTap."""
    return lens_of_pass(bench)


@contextmanager
def running(name: str, bench: Bench) -> Iterator[Bench]:
    """Inside the block, a Bench whose model runs as the passes of this experiment do.

    The changes of the pass are made, unless `trace.finding_kinds` names the experiment, and nothing is dropped. So no
    experiment puts in the changes itself, and each card can say which pass it is of.
    """
    changing = Changing() if name in WITHOUT_CHANGES else bench.changing
    with ExitStack() as stack:
        model = bench.model if name in WITHOUT_PASSES else stack.enter_context(without_dropout(bench.model))
        stack.enter_context(changing.inside(model))
        yield attrs.evolve(bench, model=model, changing=changing)


@contextmanager
def without_dropout(model: AnyModel) -> Iterator[AnyModel]:
    """Inside the block, the model without dropout; somebody's has none in a pass."""
    if isinstance(model, Foreign):
        yield model
        return
    with changed(model, model.config.changed(dropout_active=False)) as quiet:
        yield quiet


@contextmanager
def changed(model: Transformer, config: Config, changing: Changing | None = None) -> Iterator[Transformer]:
    """Inside the block, a model with the same weights and other knobs that apply to the pass.

    `changing` are the changes that the model is inside of; a new model is put inside them too.
    """
    before = model.config
    try:
        made = with_knobs(model, config)
        with (changing or Changing()).inside(made) if made is not model else nullcontext():
            yield made
    finally:
        with_knobs(model, before)


def _learned(model: Transformer, side: str) -> Tensor:
    """[position, feature] the learned table of a side; if it has none, the untrained table that it would have."""
    own: Tensor | None = model.state_dict().get(f"{side}.embedding.learned.weight")
    if own is not None:
        return own
    with torch.device("meta"):
        place = Embedding(model.config.changed(position="learned"), 1)
    # The table's weights are drawn by its name, so it is put at the path that it has in a model.
    module = nn.ModuleDict({side: nn.ModuleDict({"embedding": place})})
    return untrained(module, model.config)[f"{side}.embedding.learned.weight"]


def _lengths(bench: Bench, config: Config) -> tuple[dict[str, float], dict[str, float]]:
    """By tap the mean length of the vectors, and the mean length of the loss's gradient with respect to them."""
    with changed(bench.own, config, bench.changing) as model, torch.enable_grad(), wanting_gradients(model):
        with seen_at(model, ("embedding.output", "residual1", "residual2", "residual3"), keep=True) as seen:
            logits = model(bench.source(), bench.target())[0]  # [position, vocab]
        stop_if(bench.stop)
        gradients = torch.autograd.grad(_loss(bench, logits), list(seen.values()), allow_unused=True)
    return (
        {name: number_of(x.norm(dim=-1).mean()) for name, x in seen.items()},
        {name: 0.0 if g is None else number_of(g.norm(dim=-1).mean()) for name, g in zip(seen, gradients, strict=True)},
    )


def _loss(bench: Bench, logits: Tensor) -> Tensor:
    ids = torch.tensor(ids_of(bench.tokens.target or bench.tokens.source), device=logits.device)
    if bench.expected:
        return cross_entropy(logits, torch.tensor(bench.expected, device=logits.device))
    if not bench.tokens.target or len(ids) == 1:  # Without a next token, the model is asked for the token itself.
        return cross_entropy(logits, ids)
    return cross_entropy(logits[:-1], ids[1:])


@contextmanager
def _stopping(bench: Bench) -> Iterator[None]:
    """Inside the block, ask at each tap whether to stop, as recording does."""

    def hook(_tap: Tap, _args: tuple[Any, ...], _tensor: Tensor) -> None:
        stop_if(bench.stop)

    with hooked(bench.model, hook):
        yield
