"""Changes inside a pass, against the same done by hand with torch's own hooks and in float64."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.engine.changed_tensors import changed
from explorer.engine.changing import Changing
from explorer.engine.compute import Computer
from explorer.engine.passes.lender import Lender
from explorer.engine.recording.recorder import record
from explorer.engine.request import Request
from explorer.errors import (
    AllClosed,
    BadReplacement,
    CannotClose,
    ExplorerError,
    LengthsDiffer,
    NeverReached,
    NoHeads,
    OutOfTensor,
    UnknownHead,
    UnknownTap,
)
from explorer.model.hooks import is_hooked
from explorer.model.ids import ids_tensor
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.state.wish import Wish
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

pytestmark = pytest.mark.slow  # every tap is changed, each in a pass of its own

SENTENCE = "我爱北京天安门和长城"  # six tokens
OTHER = "你爱上海外滩和老街"  # as many
ARCHITECTURES = {"encoder-decoder": ("encoder", "decoder"), "encoder-only": ("encoder",), "decoder-only": ("decoder",)}
SIDES = [(architecture, side) for architecture, sides in ARCHITECTURES.items() for side in sides]


def request(*changes: Change, architecture: str = "encoder-decoder", text: str = SENTENCE, **knobs: object) -> Request:
    asked = Request.from_preset("tiny", text, architecture=architecture, **knobs)
    return asked.wishing(changes=changes)


def by_hand(asked: Request, trace: Trace, hands: Mapping[str, Callable[[Tensor], Tensor]]) -> Mapping[str, Array]:
    """The same pass in a model of its own, with torch's own hooks at its taps."""
    model = build(asked.wish.config)
    for name, hand in hands.items():
        model.get_submodule(name).register_forward_hook(lambda _tap, _args, output, hand=hand: hand(output.clone()))
    source, target = (
        ids_tensor(tuple(t.id for t in side)) if side else None for side in (trace.tokens.source, trace.tokens.target)
    )
    with torch.inference_mode(), record(model) as recording:
        model(source, target)
    return recording.arrays


def assert_equal(actual: Mapping[str, Array] | Trace, expected: Mapping[str, Array] | Trace) -> None:
    """Every tap, to the last bit."""
    names = list(expected.arrays if isinstance(expected, Trace) else expected)

    assert list(actual.arrays if isinstance(actual, Trace) else actual) == names
    assert [name for name in names if not np.array_equal(actual[name], expected[name], equal_nan=True)] == []


def put(place: Any, value: object) -> Callable[[Tensor], Tensor]:
    """A hook's work, as one would write it."""

    def hand(tensor: Tensor) -> Tensor:
        tensor[place] = torch.tensor(value, dtype=tensor.dtype)
        return tensor

    return hand


def times(place: Any, factor: float) -> Callable[[Tensor], Tensor]:
    def hand(tensor: Tensor) -> Tensor:
        tensor[place] *= factor
        return tensor

    return hand


def plus(place: Any, value: object) -> Callable[[Tensor], Tensor]:
    def hand(tensor: Tensor) -> Tensor:
        tensor[place] += torch.tensor(value, dtype=tensor.dtype)
        return tensor

    return hand


HANDS: list[tuple[Change, Callable[[Tensor], Tensor]]] = [
    (Change("layers.0.self_attn.mixed", "scale", head=2, value=0), times(np.s_[:, 2], 0)),
    (Change("layers.1.self_attn.mixed", "scale", value=-1.5), times(np.s_[:], -1.5)),
    (Change("layers.0.norm1", "scale", rows=[1, 3], value=2), times(np.s_[:, [1, 3]], 2)),
    (Change("layers.1.feed_forward.hidden", "scale", rows=[5], columns=range(40), value=3), times(np.s_[:, 5, :40], 3)),
    (Change("layers.0.self_attn.query", "scale", head=1, rows=[2], columns=[3, 4], value=9), times(np.s_[:, 1, 2, [3, 4]], 9)),
    (Change("embedding.output", "set", rows=[4], value=0.25), put(np.s_[:, 4], 0.25)),
    (
        Change("layers.1.residual1", "set", rows=[0, 2], columns=[9, 5], value=[7, -7]),
        put(np.s_[:, [[0], [2]], [9, 5]], [7, -7]),
    ),
    (Change("layers.0.self_attn.value", "set", head=3, value=list(range(16))), put(np.s_[:, 3], list(range(16)))),
    (
        Change("layers.0.self_attn.weights", "set", head=0, rows=[3], columns=[0, 2], value=[1, 0]),
        put(np.s_[:, 0, 3, [0, 2]], [1, 0]),
    ),
    (Change("layers.0.residual2", "add", value=list(range(64))), plus(np.s_[:], list(range(64)))),
    (
        Change("layers.1.self_attn.value", "add", head=3, rows=[2], columns=[5, 0], value=[1, -2]),
        plus(np.s_[:, 3, 2, [5, 0]], [1, -2]),
    ),
    (Change("layers.0.self_attn.masked", "add", head=0, rows=[4], columns=[1], value=1.5), plus(np.s_[:, 0, 4, 1], 1.5)),
    (Change("layers.0.self_attn.masked", "close", head=1, rows=[3], columns=[0, 2]), put(np.s_[:, 1, 3, [0, 2]], -math.inf)),
    (Change("layers.1.self_attn.masked", "close", rows=[3, 5], columns=1), put(np.s_[:, :, [3, 5], 1], -math.inf)),
    (Change("layers.0.self_attn.masked", "set", head=0, rows=[4], columns=[1], value=5), put(np.s_[:, 0, 4, 1], 5)),
]


@pytest.mark.parametrize(("architecture", "side"), SIDES)
@pytest.mark.parametrize(("change", "hand"), HANDS, ids=[f"{change.kind} {change.tap}" for change, _ in HANDS])
def test_a_change_is_what_ones_own_hook_would_do(
    computer: Computer, architecture: str, side: str, change: Change, hand: Callable[[Tensor], Tensor]
) -> None:
    """Every recorded number of the pass, to the last bit; and something is changed."""
    change = attrs.evolve(change, tap=f"{side}.{change.tap}")
    asked = request(change, architecture=architecture)
    trace = computer(asked).trace

    assert trace.changes == (change,)
    assert_equal(trace, by_hand(asked, trace, {change.tap: hand}))
    plain = computer(request(architecture=architecture)).trace
    assert (trace["generator.logits"] != plain["generator.logits"]).any()


def test_changes_across_are_what_ones_own_hooks_would_do(computer: Computer) -> None:
    """Several at once, two of them at one tap in their order: 2·(x with a row of ones), not 2·x with a row of ones."""
    tap, masked = "decoder.layers.0.cross_attn.mixed", "decoder.layers.1.cross_attn.masked"
    asked = request(
        Change(tap, "set", head=0, rows=[1], value=1),
        Change(masked, "close", columns=[0]),
        Change(tap, "scale", head=0, value=2),
        Change("generator.logits", "scale", columns=[7], value=0),
    )
    trace = computer(asked).trace
    hands = {
        tap: lambda x: times(np.s_[:, 0], 2)(put(np.s_[:, 0, 1], 1)(x)),
        masked: put(np.s_[..., 0], -math.inf),
        "generator.logits": put(np.s_[..., 7], 0),
    }

    assert_equal(trace, by_hand(asked, trace, hands))
    assert (trace[tap][0, 1] == 2).all()


def test_a_wrong_hand_would_be_found(computer: Computer) -> None:
    """The comparison can fail."""
    asked = request(Change("encoder.norm", "scale", rows=[1], value=2))
    trace = computer(asked).trace
    with pytest.raises(AssertionError):
        assert_equal(trace, by_hand(asked, trace, {"encoder.norm": times(np.s_[:, 2], 2)}))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_factor_of_one_changes_no_bit(computer: Computer, architecture: str) -> None:
    """At every tap of the model at once."""
    plain = computer(request(architecture=architecture)).trace
    trace = computer(request(*(Change(tap, "scale", value=1) for tap in plain.names()), architecture=architecture)).trace

    assert_equal(trace, plain)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_change_taken_back_leaves_no_trace(computer: Computer, architecture: str) -> None:
    """The next pass is to the last bit that of a computer that never heard of it, and no hook is left."""
    side = ARCHITECTURES[architecture][-1]
    changes = (
        Change(f"{side}.layers.0.self_attn.masked", "close", rows=[3], columns=[1]),
        Change(f"{side}.layers.1.residual2", "patch", rows=[0], text=OTHER),
    )
    computer(request(*changes, architecture=architecture))
    again = computer(request(architecture=architecture)).trace

    assert again.changes == ()
    assert_equal(again, Computer(computer.sources.tokenizers)(request(architecture=architecture)).trace)
    assert not is_hooked(computer.sources.own.last)


@pytest.mark.parametrize(("architecture", "side"), SIDES)
def test_a_closed_cell_has_no_weight_and_its_row_sums_to_one(computer: Computer, architecture: str, side: str) -> None:
    """The row is the softmax of what is left, in float64; all other rows and heads of the layer are as they were."""
    attention = f"{side}.layers.0.self_attn"
    plain = computer(request(architecture=architecture)).trace
    trace = computer(
        request(Change(f"{attention}.masked", "close", head=1, rows=[4], columns=[0, 2]), architecture=architecture)
    ).trace
    weights, scores = trace[f"{attention}.weights"], plain[f"{attention}.masked"][1, 4].astype(np.float64)

    assert (weights[1, 4, [0, 2]] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    scores[[0, 2]] = -np.inf
    powers = np.exp(scores - scores.max())
    np.testing.assert_allclose(weights[1, 4], powers / powers.sum(), atol=1e-6)
    untouched = np.ones(weights.shape[:2], bool)
    untouched[1, 4] = False
    assert (weights[untouched] == plain[f"{attention}.weights"][untouched]).all()


@pytest.mark.parametrize("attention", ["encoder.layers.1.self_attn", "decoder.layers.0.cross_attn"])
def test_a_head_that_is_off_gives_the_output_nothing(computer: Computer, attention: str) -> None:
    """What comes out is W_o of the input with that head's slice zeroed, computed in float64 from the unchanged pass."""
    plain = computer(request()).trace
    trace = computer(request(Change(f"{attention}.mixed", "scale", head=2, value=0))).trace
    mixed = plain[f"{attention}.mixed"].astype(np.float64)
    merged = mixed.transpose(1, 0, 2).reshape(mixed.shape[1], -1)  # [query, d_model]
    merged[:, 2 * mixed.shape[2] : 3 * mixed.shape[2]] = 0
    linear = build(request().wish.config).get_submodule(f"{attention}.project_output")
    weight, bias = linear.weight.double().numpy(), linear.bias.double().numpy()

    np.testing.assert_allclose(trace[f"{attention}.output"], merged @ weight.T + bias, atol=1e-5)
    assert np.abs(trace[f"{attention}.output"] - plain[f"{attention}.output"]).max() > 1e-3


@pytest.mark.parametrize("closing", [0.0, 1.0, -3.0])
def test_what_a_mask_has_closed_stays_closed(computer: Computer, closing: float) -> None:
    """Whatever its scores are multiplied by: neither NaN nor a look into the future."""
    attention = "decoder.layers.0.self_attn"
    for mask_value in ("-inf", "-1e9"):
        trace = computer(request(Change(f"{attention}.masked", "scale", value=closing), mask_value=mask_value)).trace
        weights = trace[f"{attention}.weights"]
        assert (np.triu(weights, 1) == 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    if closing == 0:  # all open keys alike
        np.testing.assert_allclose(weights[0, 3, :4], 0.25, atol=1e-6)


@pytest.mark.parametrize("mask_value", ["-inf", "-1e9"])
def test_a_row_that_the_mask_left_nothing_stays_as_it_is(computer: Computer, mask_value: str) -> None:
    """There is nothing to close in it."""
    knobs = {"masking": "zeros", "mask_value": mask_value}
    plain = computer(request(**knobs)).trace
    change = Change("encoder.layers.0.self_attn.masked", "close", columns=[0])

    assert_equal(computer(request(change, **knobs)).trace, plain)


def test_experiments_are_those_of_the_changed_model(computer: Computer) -> None:
    """They make passes of their own, inside the changes of the pass that is shown."""
    asked = request(Change("encoder.norm", "scale", value=0)).asking(experiments=frozenset({"leak"}))
    changed_, plain = computer(asked).trace, computer(asked.wishing(changes=())).trace

    assert not np.array_equal(changed_.experiments["leak"].changes, plain.experiments["leak"].changes)
    assert (changed_["generator.logits"] != plain["generator.logits"]).any()


# Patches


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_patch_from_the_text_itself_changes_no_bit(computer: Computer, architecture: str) -> None:
    """At every tap at once, the attention's maps too."""
    plain = computer(request(architecture=architecture)).trace
    changes = (Change(tap, "patch", text=SENTENCE) for tap in plain.names())

    assert_equal(computer(request(*changes, architecture=architecture)).trace, plain)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_with_all_of_its_embeddings_patched_a_text_is_the_other_text(computer: Computer, architecture: str) -> None:
    """Everything that follows is to the last bit what the other text has."""
    sides = ARCHITECTURES[architecture]
    changes = [Change(f"{side}.embedding.output", "patch", text=OTHER) for side in sides]
    trace = computer(request(*changes, architecture=architecture)).trace
    other = computer(request(text=OTHER, architecture=architecture)).trace
    follows = [name for name in trace.names() if ".embedding." not in name]

    assert len(other.tokens.source or other.tokens.target) == len(trace.tokens.source or trace.tokens.target) == 6
    assert [name for name in follows if not np.array_equal(trace[name], other[name])] == []
    assert (trace[f"{sides[0]}.embedding.tokens"] != other[f"{sides[0]}.embedding.tokens"]).any()


def test_a_patch_takes_its_places_and_no_others(computer: Computer) -> None:
    """Rows of a stream, of one head, and cells of a map: against the two recorded passes."""
    other = computer(request(text=OTHER)).trace
    for change, place in (
        (Change("encoder.layers.0.residual2", "patch", rows=[1, 4], text=OTHER), np.s_[[1, 4]]),
        (Change("encoder.layers.0.self_attn.mixed", "patch", head=3, rows=[0], text=OTHER), np.s_[3, 0]),
        (
            Change("encoder.layers.0.self_attn.scores", "patch", rows=[2, 5], columns=[3, 0], text=OTHER),
            np.s_[:, [[2], [5]], [3, 0]],
        ),
    ):
        plain, trace = computer(request()).trace, computer(request(change)).trace
        wanted = plain[change.tap].copy()
        wanted[place] = other[change.tap][place]
        assert (trace[change.tap] == wanted).all()
        assert (wanted != plain[change.tap]).any()


def test_the_other_text_is_computed_once(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as nothing else is asked of it; another knob makes another pass."""
    made: list[str] = []
    whole = Lender.make_pass

    def counted(lender: Lender, asked: Wish, *given: Any) -> Trace:
        made.append(asked.text)
        return whole(lender, asked, *given)

    monkeypatch.setattr(Lender, "make_pass", counted)
    patch = Change("encoder.layers.0.residual2", "patch", rows=[1], text=OTHER)
    for factor in (1, 2, 3):
        computer(request(patch, Change("encoder.norm", "scale", value=factor)))
    assert made == [OTHER]
    hot = computer(request(patch, temperature=2)).trace
    assert made == [OTHER, OTHER]
    assert (
        hot["encoder.layers.0.residual2"][1]
        == computer(request(text=OTHER, temperature=2)).trace["encoder.layers.0.residual2"][1]
    ).all()


# What is refused


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        (
            Change("encoder.layers.0.self_attn.mixt", "scale", value=0),
            UnknownTap,
            "没有记录点 encoder.layers.0.self_attn.mixt；最接近的是 encoder.layers.0.self_attn.mixed。",
        ),
        (Change("encoder.layers.2.norm1", "scale", value=0), UnknownTap, "没有记录点 encoder.layers.2.norm1；"),
        (Change("encoder.layers.0.self_attn.mixed", "scale", head=4, value=0), UnknownHead, "没有第 4 头；最后一个是第 3 头。"),
        (Change("encoder.norm", "scale", head=0, value=0), NoHeads, "encoder.norm 不分头：干预不要指定头。"),
        (Change("encoder.norm", "scale", rows=[2, 6], value=0), OutOfTensor, "encoder.norm 没有 position 6；最后一个是 5。"),
        (Change("encoder.norm", "scale", columns=64, value=0), OutOfTensor, "encoder.norm 没有 feature 64；最后一个是 63。"),
        (
            Change("encoder.layers.0.feed_forward.hidden", "scale", columns=256, value=0),
            OutOfTensor,
            "encoder.layers.0.feed_forward.hidden 没有 feature 256；最后一个是 255。",
        ),
        (
            Change("encoder.layers.0.self_attn.query", "scale", columns=16, value=0),
            OutOfTensor,
            "encoder.layers.0.self_attn.query 没有 feature 16；最后一个是 15。",
        ),
        (
            Change("decoder.layers.0.cross_attn.masked", "close", rows=[8], columns=[1]),
            OutOfTensor,
            "decoder.layers.0.cross_attn.masked 没有 query 8；最后一个是 2。",
        ),
        (
            Change("decoder.layers.0.cross_attn.masked", "close", columns=[6]),
            OutOfTensor,
            "decoder.layers.0.cross_attn.masked 没有 key 6；最后一个是 5。",
        ),
        (
            Change("generator.logits", "scale", columns=10**6, value=0),
            OutOfTensor,
            "generator.logits 没有 vocab 1000000；最后一个是 ",
        ),
        (
            Change("encoder.layers.0.self_attn.weights", "close", columns=[1]),
            CannotClose,
            "encoder.layers.0.self_attn.weights 没有可以遮蔽的格子",
        ),
        (
            Change("decoder.layers.0.self_attn.masked", "close", columns=[0]),
            AllClosed,
            "decoder.layers.0.self_attn.masked：第 0 行（从 0 起）就没有未遮蔽的键了。",
        ),
        (
            Change("encoder.layers.1.self_attn.masked", "close", rows=[2, 4], columns=range(6)),
            AllClosed,
            "encoder.layers.1.self_attn.masked：第 2 行",
        ),
        (
            Change("encoder.norm", "set", value=[1, 2]),
            LengthsDiffer,
            "encoder.norm 沿 feature 有 64 个位置，要修补进来的有 2 个：请指定两边都有的位置。",
        ),
        (
            Change("encoder.norm", "patch", text="我爱北京"),
            LengthsDiffer,
            "encoder.norm 沿 position 有 6 个位置，要修补进来的有 3 个：",
        ),
        (
            Change("encoder.norm", "patch", rows=[4], text="我爱北京"),
            LengthsDiffer,
            "encoder.norm 沿 position 有 6 个位置，要修补进来的有 3 个：",
        ),
        (
            Change("encoder.layers.0.self_attn.scores", "patch", rows=[0], text="我爱北京"),
            LengthsDiffer,
            "encoder.layers.0.self_attn.scores 沿 key 有 6",
        ),
        (Change("encoder.norm", "scale", value=3e38), BadReplacement, "encoder.norm：钩子返回的 NaN / ∞ 不能代替"),
    ],
    ids=lambda each: each.kind if isinstance(each, Change) else "",
)
def test_what_the_model_or_the_sentence_does_not_have_is_refused(
    computer: Computer, change: Change, kind: type[ExplorerError], sentence: str
) -> None:
    """In one sentence; and the next pass is as if nobody had asked."""
    asked = request(change).wishing(target="我爱北京")
    with pytest.raises(kind) as caught:
        computer(asked)

    assert str(caught.value).startswith(sentence)
    plain = asked.wishing(changes=())
    assert_equal(computer(plain).trace, Computer(computer.sources.tokenizers)(plain).trace)


@pytest.mark.parametrize(
    ("architecture", "tap"), [("encoder-only", "decoder.norm"), ("decoder-only", "decoder.layers.0.cross_attn.mixed")]
)
def test_a_tap_that_the_architecture_lacks_is_unknown(computer: Computer, architecture: str, tap: str) -> None:
    """Not silence."""
    with pytest.raises(UnknownTap):
        computer(request(Change(tap, "scale", value=0), architecture=architecture))


def test_most_is_refused_before_anything_is_computed(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taps, heads and places are asked for before a model is built."""
    monkeypatch.setattr(computer.sources.own, "ready", lambda *_: pytest.fail("a model was built"))
    for change in (Change("encoder.nor", "scale", value=0), Change("encoder.norm", "scale", rows=6, value=0)):
        with pytest.raises(ExplorerError):
            computer(request(change))


def test_a_tap_that_no_pass_comes_through_is_an_error() -> None:
    """A change must not do nothing in silence."""
    model = build(request().wish.config)
    model.encoder.spare = Tap("batch position feature")
    changing = Changing((Change("encoder.spare", "scale", value=0), Change("encoder.norm", "scale", value=2)))
    with changing.inside(model), torch.inference_mode():
        model(ids_tensor((5, 6)), ids_tensor((5, 6)))
    with pytest.raises(NeverReached) as caught:
        changing.check_reached()

    assert str(caught.value) == "计算没有经过 encoder.spare：那里的干预没有起作用。"


# Blocks of queries


@pytest.mark.parametrize("rows", [None, (0, 63, 64, 130), (64, 65), (299,)], ids=str)
@pytest.mark.parametrize("kind", ["scale", "set", "close", "patch"])
def test_a_block_of_queries_is_changed_at_its_own_rows(kind: str, rows: tuple[int, ...] | None) -> None:
    """Blocks put together are the change of the whole, to the last bit."""
    chance = torch.Generator().manual_seed(4)
    whole, lent = torch.randn(1, 3, 300, 40, generator=chance), torch.randn(3, 300, 40, generator=chance)
    more = {"scale": {"value": 2}, "set": {"value": [1, 2]}, "close": {}, "patch": {"text": "一"}}[kind]
    change = Change("tap", kind, head=2, rows=rows, columns=[7, 3], **more)
    tap = Tap("batch head query key", closes=True)
    blocks = [changed(whole[..., first : first + 64, :], change, tap, first, lent) for first in range(0, 300, 64)]

    assert torch.equal(torch.cat(blocks, dim=-2), changed(whole, change, tap, lent=lent))
    expected = whole.clone()
    at = np.s_[:, 2, :, [7, 3]] if rows is None else np.s_[:, 2, [[row] for row in rows], [7, 3]]
    if kind == "patch":
        expected[at] = lent[at[1:]]
    else:
        expected[at] = {"scale": whole[at] * 2, "set": torch.tensor([1.0, 2.0]), "close": torch.tensor(-math.inf)}[kind]
    assert torch.equal(torch.cat(blocks, dim=-2), expected)


def test_a_model_that_is_trained_keeps_its_gradients() -> None:
    """Through a changed tap as through any other."""
    model: Transformer = build(request().wish.config).requires_grad_(True)
    changing = Changing((Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0),))
    with changing.inside(model):
        model(ids_tensor((5, 6)), ids_tensor((5, 6))).sum().backward()
    values = model.encoder.layers[0].self_attn.project_value.weight.grad

    assert (values[:16] == 0).all()  # the head that is off
    assert values[16:].any()
