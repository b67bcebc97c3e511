"""A number of Q, K or V in parts: they sum to it in every architecture, and each is what torch's gradient says of it."""

import itertools

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.experiments.output_weights import output_weights, reading_weights
from explorer.engine.recording.recorder import record
from explorer.errors import NoSuchPart, NotLookedInto
from explorer.mathematics import Numbers
from explorer.model import positions
from explorer.model.hooks import hooked
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.tokens.token import Token
from explorer.trace.found.part import Part, WayStep, steps_of, way_of
from explorer.trace.found.reading import EXACT, ByKey, ByUnit, Reading, reading
from explorer.trace.found.weights import WHICH, Which
from explorer.trace.found.why import parts_of, walked
from explorer.trace.recorded_pass import Tokens
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file
from tests.trace.runs import SOURCE, TARGET, small

KNOBS: list[dict[str, object]] = [
    {"architecture": architecture, "norm_placement": placement, "position": position}
    for architecture, placement, position in itertools.product(
        ("encoder-decoder", "decoder-only", "encoder-only"), ("pre", "post"), ("sinusoidal", "rotary")
    )
]
MORE: list[dict[str, object]] = [
    {"norm_kind": "std-eps", "position": "learned"},
    {"bias": False, "position": "alibi"},
    {"residual": False},
    {"residual": False, "norm_placement": "post"},
    {"tied_embeddings": True, "embedding_scale": 2.0, "activation": "gelu"},
]
DROPPED: list[dict[str, object]] = [{"dropout_active": True, "dropout": 0.3}]


def named(knobs: dict[str, object]) -> str:
    return "-".join(map(str, knobs.values()))


@kept_for_the_file
def _made(items: tuple[tuple[str, object], ...]) -> tuple[Transformer, Trace]:
    model = build(small(**dict(items)))
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():  # Norms begin with ones and zeros, which would hide mistakes.
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model, trace_of(model, model.config)


def made(**knobs: object) -> tuple[Transformer, Trace]:
    """A small model with uneven norms and biases, and a Trace of it with the weights of both stacks."""
    return _made(tuple(knobs.items()))


def trace_of(model: Transformer, config: Config) -> Trace:
    source = None if model.encoder is None else ids_tensor(SOURCE)
    target = None if model.decoder is None else ids_tensor(TARGET)
    with torch.inference_mode(), record(model) as recording:
        torch.manual_seed(config.dropout_seed)
        model(source, target)
    rows = [tuple(Token(str(each), each, 0, 1, True) for each in row) for row in (SOURCE, TARGET)]
    found = {"readers": reading_weights(model, config)}
    return Trace(
        arrays=recording.arrays,
        axis_names=recording.axes,
        config=config,
        tokens=Tokens(rows[0] if source is not None else (), rows[1] if target is not None else ()),
        places=np.zeros((5, config.d_model), np.float32),
        experiments=found if model.decoder is None else {**found, "why": output_weights(model, config)},
    )


# The independent way: torch's gradient of the number in float64, with the σ of every norm cut off from it


def by_gradient(model: Transformer, trace: Trace, cell: Cell, which: Which, u: Numbers) -> dict[Part, float]:
    """Each part as gradient · contribution, where the contributions are leaves of a graph of their own."""
    leaves: dict[Part, Tensor] = {}
    model = model.double()
    row = cell.query if which == "query" else cell.key
    across = cell.attention.endswith("cross_attn") and which != "query"
    side = "encoder" if across else cell.attention.partition(".")[0]
    stack = getattr(model, side)
    kinds = (*trace.card.side(side).attentions, "feed_forward")
    names = {"self_attn": "self", "cross_attn": "cross", "feed_forward": "feed"}
    pre = trace.card.norm_placement == "pre"

    def leaf(part: Part, tensor: Tensor) -> Tensor:
        leaves[part] = tensor.detach().double().clone().requires_grad_(True)
        return leaves[part]

    def recorded(tap: str, head: int | None = None) -> Tensor:
        return torch.from_numpy(np.array(trace[tap][row] if head is None else trace[tap][head, row])).double()

    def normed(norm: nn.Module, x: Tensor, part: Part) -> Tensor:
        with torch.no_grad():
            free = norm(x) - norm.bias
            sigma = ((x - x.mean()) * norm.weight / free)[free.abs().argmax()]  # whatever it is that this norm divides by
        return (x - x.mean()) / sigma * norm.weight.detach() + leaf(part, norm.bias)

    own = cell.tap("").removesuffix(".")
    x = leaf(Part("token", f"{side}.embedding.scaled"), recorded(f"{side}.embedding.scaled"))
    x = x + leaf(Part("position", f"{side}.embedding.positions"), recorded(f"{side}.embedding.positions"))
    read = None
    for number, layer in enumerate(stack.layers):
        for place, name in enumerate(kinds, 1):
            module, block = getattr(layer, name), f"{side}.layers.{number}.{name}"
            norm, tap = getattr(layer, f"around_{names[name]}").normalize, f"{side}.layers.{number}.norm{place}"
            if block == own and not across:
                read = normed(norm, x, Part("norm_bias", tap, number)) if pre else x
                break
            if name == "feed_forward":
                y = leaf(
                    Part("feed_forward", f"{block}.output", number), recorded(f"{block}.output") - module.contract.bias.detach()
                )
                y = y + leaf(Part("feed_forward_bias", f"{block}.output", number), module.contract.bias)
            else:
                out = module.project_output
                slices = out.weight.detach().view(out.weight.shape[0], trace.card.side(side).n_heads, -1)
                heads = [
                    leaf(Part("head", f"{block}.mixed", number, name, head), recorded(f"{block}.mixed", head))
                    for head in range(slices.shape[1])
                ]
                y = sum(slices[:, head] @ mixed for head, mixed in enumerate(heads))
                if out.bias is not None:
                    y = y + leaf(Part("attention_bias", f"{block}.output", number, name), out.bias)
            x = (x if trace.card.residual else 0) + y
            if not pre:
                x = normed(norm, x, Part("norm_bias", tap, number))
        if read is not None:
            break
    if read is None:
        read = normed(stack.normalize, x, Part("norm_bias", f"{side}.norm")) if pre else x
    attention = getattr(getattr(model, cell.attention.partition(".")[0]).layers[cell.layer], own.rpartition(".")[2])
    linear, d = getattr(attention, f"project_{which}"), trace.card.d_head
    made = linear.weight.detach()[cell.head * d : (cell.head + 1) * d] @ read
    if linear.bias is not None:
        bias = leaf(Part(f"{which}_bias", cell.tap(which), cell.layer, own.rpartition(".")[2]), linear.bias)  # type: ignore[arg-type]
        made = made + bias[cell.head * d : (cell.head + 1) * d]
    if attention.position == "rotary" and which != "value":
        made = positions.rotate(made[None], model.config.position_base, row)[0]
    (made @ torch.from_numpy(u)).backward()
    model.float()
    return {part: 0.0 if each.grad is None else float((each.grad * each.detach()).sum()) for part, each in leaves.items()}


def check(found: Reading, expected: dict[Part, float]) -> None:
    for part, value in zip(found.parts, found.values, strict=True):
        assert value == pytest.approx(expected[part], abs=1e-4), part
    missing = {part: value for part, value in expected.items() if part not in found.parts}
    assert all(value == pytest.approx(0, abs=1e-9) for value in missing.values()), missing


def cells(trace: Trace) -> list[Cell]:
    return [Cell(attention, layer, 3, 2, 1) for attention in trace.card.attentions for layer in range(2)]


@pytest.mark.parametrize("knobs", [*KNOBS, *MORE, *DROPPED], ids=named)
def test_every_number_of_q_k_and_v_is_the_sum_of_its_parts(knobs: dict[str, object]) -> None:
    """Three architectures, pre- and post-norm, and every kind of positions; the remainder is rounding."""
    _, trace = made(**knobs)
    for cell, which in itertools.product(cells(trace), WHICH):
        row = cell.query if which == "query" else cell.key
        recorded = trace[cell.tap(which)][cell.head, row]
        for feature in range(6):
            found = reading(trace, cell, which, feature)
            assert found.recorded == pytest.approx(recorded[feature])
            assert abs(found.remainder) < EXACT and found.exact, (cell, which, feature)
            assert found.total == pytest.approx(found.values.sum())


@pytest.mark.parametrize("knobs", [*KNOBS, *MORE], ids=named)
def test_each_part_is_gradient_times_contribution(knobs: dict[str, object]) -> None:
    """torch's autograd over a stream of its own, in float64, with σ held; for a feature and for a whole vector."""
    model, trace = made(**knobs)
    for cell, which in itertools.product(cells(trace), WHICH):
        for along in (np.eye(6)[4], np.arange(6) - 2.5):
            found = reading(trace, cell, which, along)
            check(found, by_gradient(model, trace, cell, which, along))
        check(reading(trace, cell, which, 4), by_gradient(model, trace, cell, which, np.eye(6)[4]))


def test_the_gradient_finds_a_part_that_is_wrong() -> None:
    """A thousandth more in one part is seen, and so is a part that is missing."""
    model, trace = made(norm_placement="post")
    cell = Cell("decoder.cross_attn", 1, 2, 2, 4)
    found, expected = reading(trace, cell, "key", 1), by_gradient(model, trace, cell, "key", np.eye(6)[1])
    check(found, expected)
    values = found.values.copy()
    values[3] += 1e-3
    with pytest.raises(AssertionError):
        check(attrs.evolve(found, values=values), expected)
    with pytest.raises(AssertionError):
        check(attrs.evolve(found, parts=found.parts[1:], values=found.values[1:]), expected)


def test_a_score_is_the_sum_of_what_its_query_was_made_from_and_of_what_its_key_was_made_from() -> None:
    """Both are the recorded score; the value along the direction is the head's share without its weight."""
    for knobs in ({"position": "rotary"}, {"norm_placement": "post"}):
        _, trace = made(**knobs)
        head = parts_of(trace, 2, 30, 11).inside("decoder.cross_attn", 1, 3)
        assert isinstance(head, ByKey)
        score = trace["decoder.layers.1.cross_attn.scores"][3, 2, 4]
        assert head.products(4).sum() == pytest.approx(score, abs=1e-5)
        for which, side, position in (("query", "decoder", 2), ("key", "encoder", 4)):
            found = head.inside(4, which)  # type: ignore[arg-type]
            assert found.recorded == pytest.approx(score, abs=1e-5) and found.exact
            assert (found.side, found.position, found.feature) == (side, position, -1)
        assert head.inside(4, "value").recorded == pytest.approx(head.along[4])
        assert [head.inside(4, "query", feature).recorded for feature in range(6)] == pytest.approx(
            trace["decoder.layers.1.cross_attn.query"][3, 2].tolist()
        )


def test_a_way_is_walked_down_to_the_first_layer() -> None:
    """Every head in a Reading opens again; each step is one layer further down, until embedding and position are left."""
    _, trace = made(norm_placement="pre")
    parts = parts_of(trace, 2, 30, 11)
    way = "decoder.cross_attn.1.3/4/key/5/encoder.self_attn.1.0/2/query/all/encoder.self_attn.0.2/3/value/1"
    first, *_, last = walked(parts, steps_of(way))
    assert first is parts and isinstance(last, Reading) and last.exact
    assert last.tap == "encoder.layers.0.self_attn.value" and (last.head, last.position, last.feature) == (2, 3, 1)
    assert {part.kind for part in last.parts} == {"token", "position", "norm_bias", "value_bias"}
    value = trace["encoder.layers.0.self_attn.value"][2, 3, 1]
    assert last.recorded == pytest.approx(value) and "remainder" in repr(last) and len(repr(last).splitlines()) == 6
    network = last.trace.experiments and walked(parts, steps_of(way)[:1])[-1].inside("encoder.feed_forward", 0)
    assert isinstance(network, ByUnit)
    reading_ = walked(parts, steps_of(way)[:1])[-1]
    place = reading_.index("encoder.feed_forward", 0, -1)
    assert place is not None and network.values.sum() == pytest.approx(reading_.values[place], abs=1e-5)


def test_a_way_is_text_and_comes_back_from_it() -> None:
    """What is no way is refused, whoever wrote it."""
    steps = (WayStep("decoder.cross_attn", 1, 4, 0, "query", 17), WayStep("decoder.self_attn", 0, 2, 1, "key"))
    assert steps_of(way_of(steps)) == steps and steps_of("") == ()
    for text in (
        "x",
        "decoder.cross_attn.1.4/0/query",
        "decoder.cross_attn.1.4/0/query/17/",
        "decoder.cross_attn.1.4/0/mixed/1",
    ):
        with pytest.raises(NoSuchPart):
            steps_of(text)


def test_what_there_is_not_is_told() -> None:
    """A head above the number, a key or a feature that there is not, a Trace without the weights, dropout in a network."""
    _, trace = made(norm_placement="pre")
    parts = parts_of(trace, 2, 30, 11)
    for way in ("encoder.self_attn.1.3/4/key/5", "decoder.cross_attn.1.3/9/key/5", "decoder.cross_attn.1.3/4/key/6"):
        with pytest.raises(NoSuchPart):
            walked(parts, steps_of(way))
    head = parts.inside("decoder.self_attn", 1, 0)
    assert isinstance(head, ByKey)
    with pytest.raises(NoSuchPart):
        head.inside(0, "mixed")  # type: ignore[arg-type]
    with pytest.raises(NoSuchPart):
        head.inside(0, "key", 0).inside("decoder.self_attn", 1, 0)
    without = attrs.evolve(trace, experiments={"why": trace.experiments["why"]})
    lacking = parts_of(without, 2, 30, 11).inside("decoder.self_attn", 1, 0)
    assert isinstance(lacking, ByKey)
    with pytest.raises(NotLookedInto):
        lacking.inside(0, "key", 0)
    _, dropped = made(**DROPPED[0])
    with pytest.raises(NoSuchPart):
        parts_of(dropped, 2).inside("decoder.feed_forward", 1)


def test_a_change_that_no_part_knows_of_leaves_a_remainder() -> None:
    """Then the parts are no account, and say so."""
    model, _ = made(norm_placement="pre")
    with hooked(model, lambda _tap, _args, tensor: tensor * 1.5, at=["encoder.layers.0.residual1"]):
        trace = trace_of(model, model.config)
    assert not reading(trace, Cell("encoder.self_attn", 1, 0, 2, 1), "key", 2).exact
    assert reading(trace, Cell("encoder.self_attn", 0, 0, 2, 1), "key", 2).exact
