"""A logit in parts: they sum to it in every architecture, and each part is what torch's own gradient says of it."""

import itertools

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.experiments.output_weights import output_weights
from explorer.engine.recording.recorder import record
from explorer.errors import NoSuchStep, NoSuchSymbol, NotLookedInto, NoWrittenWords
from explorer.model.hooks import hooked
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.tokens.token import Token
from explorer.trace.found.part import BIASES, Part
from explorer.trace.found.reading import EXACT, by_key, by_unit, products
from explorer.trace.found.weights import OutputWeights
from explorer.trace.found.why import Parts, likeliest_rivals, parts_of, symbol_id, written_ids
from explorer.trace.recorded_pass import Tokens
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file
from tests.trace.runs import SOURCE, TARGET, small

POSITION, WORD, RIVAL = 2, 11, 30
KNOBS = [
    {"architecture": architecture, "norm_placement": placement, "norm_kind": kind, "position": position}
    for architecture, placement, kind, position in itertools.product(
        ("encoder-decoder", "decoder-only"), ("pre", "post"), ("torch", "std-eps"), ("sinusoidal", "learned", "rotary", "alibi")
    )
]
MORE: list[dict[str, object]] = [
    {"residual": False},
    {"residual": False, "norm_placement": "post"},
    {"bias": False},
    {"tied_embeddings": True, "embedding_scale": 2.0},
    {"temperature": 0.3, "score_scaling": False},
    {"position": "none", "activation": "gelu", "causal_mask": False},
    {"dropout_active": True, "dropout": 0.3},
    {"dropout_active": True, "dropout": 0.5, "norm_placement": "post", "architecture": "decoder-only"},
]


def named(knobs: dict[str, object]) -> str:
    return "-".join(map(str, knobs.values()))


@kept_for_the_file
def _made(items: tuple[tuple[str, object], ...]) -> tuple[Transformer, Trace]:
    config = small(**dict(items))
    model = build(config)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():  # Norms begin with ones and zeros, which would hide mistakes.
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model, trace_of(model, config)


def made(**knobs: object) -> tuple[Transformer, Trace]:
    """A small model with uneven norms and biases, and a Trace of it that has the weights to the output."""
    return _made(tuple(knobs.items()))


def trace_of(model: Transformer, config: Config) -> Trace:
    source = None if model.encoder is None else ids_tensor(SOURCE)
    with torch.inference_mode(), record(model) as recording:
        torch.manual_seed(config.dropout_seed)
        model(source, ids_tensor(TARGET))
    rows = [tuple(Token(str(each), each, 0, 1, True) for each in row) for row in (SOURCE, TARGET)]
    return Trace(
        arrays=recording.arrays,
        axis_names=recording.axes,
        config=config,
        tokens=Tokens(rows[0] if source is not None else (), rows[1]),
        places=np.zeros((5, config.d_model), np.float32),
        experiments={"why": output_weights(model, config)},
    )


# The independent way: torch's gradient of the logits in float64, with the σ of every norm cut off from it


def by_gradient(model: Transformer, trace: Trace, position: int, ids: tuple[int, int]) -> dict[Part, float]:
    """Each part as gradient · contribution, where the contributions are leaves of a graph of their own."""
    leaves: dict[Part, Tensor] = {}
    side = trace.card.side("decoder")
    model = model.double()

    def leaf(part: Part, tensor: Tensor) -> Tensor:
        leaves[part] = tensor.detach().double().clone().requires_grad_(True)
        return leaves[part]

    def row(tap: str, head: int | None = None) -> Tensor:
        array = trace[tap][position] if head is None else trace[tap][head, position]
        return torch.from_numpy(np.array(array)).double()

    def normed(norm: nn.Module, x: Tensor, part: Part) -> Tensor:
        with torch.no_grad():
            centred = x - x.mean()
            free = norm(x) - norm.bias
            sigma = (centred * norm.weight / free)[free.abs().argmax()]  # whatever it is that this norm divides by
        return (x - x.mean()) / sigma * norm.weight.detach() + leaf(part, norm.bias)

    names = {"self_attn": "self", "cross_attn": "cross", "feed_forward": "feed"}
    x = leaf(Part("token", "decoder.embedding.scaled"), row("decoder.embedding.scaled"))
    x = x + leaf(Part("position", "decoder.embedding.positions"), row("decoder.embedding.positions"))
    for number, layer in enumerate(model.decoder.layers):
        for place, name in enumerate((*side.attentions, "feed_forward"), 1):
            module, block = getattr(layer, name), f"decoder.layers.{number}.{name}"
            if name == "feed_forward":
                y = row(f"{block}.output") - module.contract.bias.detach()
                y = leaf(Part("feed_forward", f"{block}.output", number), y)
                y = y + leaf(Part("feed_forward_bias", f"{block}.output", number), module.contract.bias)
            else:
                out = module.project_output
                slices = out.weight.detach().view(out.weight.shape[0], side.n_heads, -1)
                heads = [
                    leaf(Part("head", f"{block}.mixed", number, name, head), row(f"{block}.mixed", head))
                    for head in range(side.n_heads)
                ]
                y = sum(slices[:, head] @ mixed for head, mixed in enumerate(heads))
                if out.bias is not None:
                    y = y + leaf(Part("attention_bias", f"{block}.output", number, name), out.bias)
            x = (x if trace.card.residual else 0) + y
            if trace.card.norm_placement == "post":
                norm = getattr(layer, f"around_{names[name]}").normalize
                x = normed(norm, x, Part("norm_bias", f"decoder.layers.{number}.norm{place}", number))
    if trace.card.norm_placement == "pre":
        x = normed(model.decoder.normalize, x, Part("norm_bias", "decoder.norm"))
    bias = leaf(Part("output_bias", "generator.logits"), model.generator.project.bias)
    logits = model.generator.project.weight.detach() @ x + bias
    (logits[ids[0]] - logits[ids[1]]).backward()
    model.float()
    return {part: 0.0 if each.grad is None else float((each.grad * each.detach()).sum()) for part, each in leaves.items()}


def check(parts: Parts, expected: dict[Part, float]) -> None:
    for part, value in zip(parts.parts, parts.values, strict=True):
        assert value == pytest.approx(expected[part], abs=1e-4), part
    missing = {part: value for part, value in expected.items() if part not in parts.parts}
    assert all(value == pytest.approx(0, abs=1e-9) for value in missing.values()), missing


@pytest.mark.parametrize("knobs", [*KNOBS, *MORE], ids=named)
def test_the_parts_sum_to_both_logits_and_to_their_difference(knobs: dict[str, object]) -> None:
    """Pre- and post-norm, every norm and kind of positions, with and without residual connections, biases and dropout."""
    _, trace = made(**knobs)
    for position in range(len(TARGET)):
        parts = parts_of(trace, position, RIVAL, WORD)
        logits = trace["generator.logits"][position].astype(np.float64)
        assert parts.shares.sum(axis=1) == pytest.approx(logits[[WORD, RIVAL]], abs=1e-4)
        assert parts.difference == pytest.approx(logits[WORD] - logits[RIVAL])
        assert abs(parts.remainder) < EXACT and parts.exact


@pytest.mark.parametrize("knobs", [*KNOBS, *(each for each in MORE if "dropout" not in each)], ids=named)
def test_each_part_is_gradient_times_contribution(knobs: dict[str, object]) -> None:
    """torch's autograd over a forward pass of its own, in float64, with σ held."""
    model, trace = made(**knobs)
    parts = parts_of(trace, POSITION, RIVAL, WORD)
    check(parts, by_gradient(model, trace, POSITION, (WORD, RIVAL)))


def test_the_gradient_finds_a_part_that_is_wrong() -> None:
    """A thousandth more in one head is seen, and so is a part that is missing."""
    model, trace = made(norm_placement="post")
    parts, expected = parts_of(trace, POSITION, RIVAL, WORD), by_gradient(model, trace, POSITION, (WORD, RIVAL))
    shares = parts.shares.copy()
    shares[0, 3] += 1e-3
    with pytest.raises(AssertionError):
        check(attrs.evolve(parts, shares=shares), expected)
    with pytest.raises(AssertionError):
        check(attrs.evolve(parts, parts=parts.parts[1:], shares=parts.shares[:, 1:]), expected)


def test_parts_stand_in_the_order_of_computation() -> None:
    """Embedding, positions, and in each layer the heads of both attentions, their biases and the network; the output last."""
    _, trace = made(norm_placement="pre")
    parts = parts_of(trace, 0).parts
    kinds = [kind for kind, _group in itertools.groupby(part.kind for part in parts)]
    layer = ["head", "attention_bias", "head", "attention_bias", "feed_forward", "feed_forward_bias"]
    assert kinds == ["token", "position", *layer, *layer, "norm_bias", "output_bias"]
    assert [part.head for part in parts if part.kind == "head"] == [*range(4)] * 4
    assert {part.layer for part in parts if part.kind in BIASES} == {0, 1, -1}


def test_without_residual_connections_one_path_is_left() -> None:
    """Only the last network reaches the output directly."""
    _, trace = made(residual=False)
    assert [part.kind for part in parts_of(trace, 1).parts] == ["feed_forward", "feed_forward_bias", "norm_bias", "output_bias"]


@pytest.mark.parametrize("tap", ["decoder.layers.1.residual2", "decoder.layers.0.self_attn.output", "decoder.norm"])
def test_a_change_that_no_part_knows_of_leaves_a_remainder(tap: str) -> None:
    """Then the parts are no account, and say so."""
    model, _ = made(norm_placement="pre")
    config = model.config
    with hooked(model, lambda _tap, _args, tensor: tensor * 1.5, at=[tap]):
        trace = trace_of(model, config)
    parts = parts_of(trace, POSITION, RIVAL, WORD)
    assert abs(parts.remainder) > 1e-3 and not parts.exact


def test_a_head_is_the_sum_of_its_keys_and_a_key_of_its_features() -> None:
    """A[q,k]·(V[k]·direction), and V[k]·direction feature by feature; with dropout on the weights as well."""
    for knobs in ({}, {"norm_placement": "post"}, {"dropout_active": True, "dropout": 0.3}):
        model, trace = made(**knobs)
        parts = parts_of(trace, POSITION, RIVAL, WORD)
        for place, part in enumerate(parts.parts):
            if part.kind != "head":
                continue
            found = by_key(trace, parts, part)
            assert found.values.sum() == pytest.approx(parts.values[place], abs=1e-5)
            n_keys = len(SOURCE) if part.attention == "cross_attn" else len(TARGET)
            assert found.values.shape == (n_keys,)
            for key in range(n_keys):
                assert found.features(key).sum() == pytest.approx(found.along[key], abs=1e-9)
        # The direction, taken another way: through the module itself, whose output moves by it.
        if not knobs:
            part = parts.parts[parts.index("decoder.cross_attn", 1, 2)]
            attention = model.decoder.layers[1].cross_attn
            direction = parts.directions["decoder.layers.1.cross_attn"]
            joined = torch.zeros(model.config.d_model)
            joined[2 * 6 : 3 * 6] = torch.from_numpy(trace["decoder.layers.1.cross_attn.value"][2, 3].copy())
            moved = attention.project_output(joined) - attention.project_output(torch.zeros_like(joined))
            along = float(moved.detach().double().numpy() @ (direction[0] - direction[1]))
            assert by_key(trace, parts, part).along[3] == pytest.approx(along, abs=1e-5)


def test_a_network_is_the_sum_of_its_units() -> None:
    """f(hidden)[j]·(W₂[:, j]·direction); under dropout the record does not say which of them counted."""
    _, trace = made(norm_placement="post")
    parts = parts_of(trace, POSITION, RIVAL, WORD)
    for place, part in enumerate(parts.parts):
        if part.kind == "feed_forward":
            found = by_unit(trace, parts, part)
            assert found is not None and found.values.shape == (40,)
            assert found.values.sum() == pytest.approx(parts.values[place], abs=1e-5)
    _, dropped = made(dropout_active=True, dropout=0.3)
    parts = parts_of(dropped, POSITION, RIVAL, WORD)
    assert by_unit(dropped, parts, next(part for part in parts.parts if part.kind == "feed_forward")) is None


def test_the_products_sum_to_the_score() -> None:
    """Q[q]·K[k], which divided by √d_head is the scaled score."""
    _, trace = made(position="rotary", norm_placement="pre")
    for attention, key in (("decoder.self_attn", 1), ("decoder.cross_attn", 4)):
        cell = Cell(attention, 1, 3, POSITION, key)
        found = products(trace, cell)
        assert found.shape == (6,)
        assert found.sum() == pytest.approx(trace[cell.tap("scores")][3, POSITION, key], abs=1e-5)
        assert found.sum() / np.sqrt(6) == pytest.approx(trace[cell.tap("scaled")][3, POSITION, key], abs=1e-5)


def test_word_and_rival_are_the_written_one_and_the_likeliest_other_one() -> None:
    """Where no next word is expected, the likeliest one counts as written."""
    _, trace = made(norm_placement="pre")
    parts = parts_of(trace, 1)
    order = np.argsort(-trace["generator.logits"][1])
    assert (parts.word, parts.rival) == (order[0], order[1]) and parts.difference > 0
    assert written_ids(trace)[1] == order[0]
    assert likeliest_rivals(trace, 1, int(order[2]), 3) == (order[0], order[1], order[3])
    assert parts_of(trace, 1, word=int(order[1])).rival == order[0]


def test_a_typed_rival_is_the_symbol_that_it_begins_with() -> None:
    """With the mark of a word's beginning before the bare letters; the longest beginning where the word is no symbol."""
    _, trace = made(norm_placement="pre")
    trace = attrs.evolve(trace, symbols=("<unk>", "the", "␣the", "␣there", "n", "。"))
    assert [symbol_id(trace, text) for text in ("the", " there ", "then", "␣the", "n", "。", "nobody")] == [2, 3, 2, 2, 4, 5, 4]
    with pytest.raises(NoSuchSymbol):
        symbol_id(trace, "zebra")


def test_what_cannot_be_taken_apart_says_why() -> None:
    """A position or a symbol that there is not, a Trace without the weights, a model that writes no words."""
    _, trace = made(norm_placement="pre")
    for step in (3, -1, 0.5, 1.0, None, [0]):
        with pytest.raises(NoSuchStep):
            parts_of(trace, step)  # type: ignore[arg-type]  # A caller may give anything.
    for symbol in (50, -1, 2.5):
        with pytest.raises(NoSuchSymbol):
            parts_of(trace, 0, rival=symbol)  # type: ignore[arg-type]  # A caller may give anything.
    assert parts_of(trace, np.int64(0), rival=np.int64(4)).rival == 4  # type: ignore[arg-type]  # NumPy's own are whole, too.
    with pytest.raises(NotLookedInto):
        attrs.evolve(trace, experiments={}).why(0)
    only = attrs.evolve(
        trace,
        arrays={name: array for name, array in trace.arrays.items() if not name.startswith("decoder")},
        axis_names={name: axes for name, axes in trace.axis_names.items() if not name.startswith("decoder")},
        tokens=Tokens(trace.tokens.source),
    )
    for ask in (only.why, only.lens):
        with pytest.raises(NoWrittenWords):
            ask()


def test_the_account_prints_in_few_lines() -> None:
    """The sum first, then the largest parts, then what remains."""
    _, trace = made(norm_placement="pre")
    parts = trace.why(1)
    lines = repr(parts).splitlines()
    assert len(lines) == 8 and f"{parts.difference:+.4f}" in lines[0] and "remainder" in lines[-1]
    assert isinstance(trace.experiments["why"], OutputWeights)


def test_a_pass_of_no_numbers_has_no_account() -> None:
    """With the mask inverted the last query sees no key, and all that follows is NaN."""
    _, trace = made(masking="inverted")
    parts = parts_of(trace, POSITION, RIVAL, WORD)
    assert np.isnan(parts.remainder) and not parts.exact
