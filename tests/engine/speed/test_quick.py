"""Quick steps give what `Incremental` gives, and pass no hook by."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from explorer.engine.decoding.incremental import Incremental
from explorer.engine.speed.packed_linear import pack
from explorer.engine.speed.quick import QuickSteps, can_be_quick, steps_of
from explorer.model.hooks import hooked
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from tests.engine.speed.orders import ORDERS, use_order
from tests.model.models import assert_same, randomized, small

KNOBS: list[dict[str, object]] = [
    *(
        {"position": position, "norm_placement": norm}
        for position, norm in itertools.product(("sinusoidal", "learned", "rotary", "none"), ("pre", "post"))
    ),
    {"norm_kind": "std-eps", "bias": False, "activation": "gelu"},
    {"residual": False, "score_scaling": False, "embedding_scale": 0.5},
    {"temperature": 2.5, "tied_embeddings": True, "target_vocab_size": 30, "causal_mask_encoder": True},
    {"n_heads": 1, "n_layers": 1},
    {"d_model": 256, "n_heads": 4, "d_ff": 300, "n_layers": 1},  # large enough to be packed
]


def model_of(**knobs: object) -> Transformer:
    """With every number random, so that nothing passes by a zero."""
    model = randomized(build(small(**knobs)))
    pack(model)
    return model  # type: ignore[return-value]


def a_batch(model: Transformer, n: int = 3) -> tuple[Tensor, Tensor]:
    """What the encoder makes of sources of one length, and targets [batch, position] longer than the room at first."""
    chance = torch.Generator().manual_seed(3)
    source, target = (torch.randint(4, 30, (n, length), generator=chance) for length in (5, 40))
    return model.encode(source), target


@pytest.mark.parametrize("knobs", KNOBS, ids=str)
@torch.inference_mode()
def test_quick_steps_give_what_slow_ones_give(knobs: dict[str, object]) -> None:
    """To 1e-5: one token, several at once, after tokens are forgotten, and for rows that go on twice or not at all."""
    model = model_of(**knobs)
    memory, target = a_batch(model)
    rows = torch.tensor([2, 0, 0, 2])
    ways: list[Incremental | QuickSteps] = [Incremental(model, memory), QuickSteps(model, memory)]
    told: list[list[Tensor]] = []
    for way in ways:
        found = [way.step(target[:, 0]), way.extend(target[:, 1:35]), way.step(target[:, 35])]
        way.back_to(3)
        found.append(way.extend(target[:, 20:23]))
        way.select(rows)
        told.append([*found, way.extend(target[rows, 6:9]), way.step(torch.tensor([5, 6, 7, 8]))])
    for slow, fast in zip(*told, strict=True):
        assert_same(fast, slow)


@pytest.mark.parametrize("order", ORDERS)
def test_the_output_of_one_row_is_read_in_its_own_order(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    """It gives what a row of several gives, to 1e-5, also after an edit; where nothing is turned the layer itself makes it."""
    use_order(monkeypatch, order)
    model = model_of(d_model=256, n_heads=4, n_layers=1, target_vocab_size=1100)
    project = model.generator.project
    for edit in (lambda: None, lambda: project.weight.detach().mul_(1.5)):
        edit()
        with torch.inference_mode():
            memory, target = a_batch(model, n=1)
            steps = QuickSteps(model, memory)
            several = steps.extend(target[:, :4])
            steps.back_to(3)
            one = steps.step(target[:, 3])
        torch.testing.assert_close(
            one, several[:, -1], atol=3e-5, rtol=1e-5
        )  # logits up to 10, sums of 256 products in two orders
        assert (steps.weights.of_one_row() is project) == (order != "turned")


@torch.inference_mode()
def test_rows_of_one_sentence_share_its_source() -> None:
    """As in a search with a beam: three rows go on from one."""
    model = model_of()
    memory, target = a_batch(model, 1)
    ways: list[Incremental | QuickSteps] = [Incremental(model, memory), QuickSteps(model, memory)]
    slow, fast = (
        [way.step(target[:, 0]), way.select(torch.tensor([0, 0, 0])), way.step(torch.tensor([7, 8, 9]))] for way in ways
    )

    assert_same(fast[2], slow[2])  # type: ignore[arg-type]


def _another(layer: nn.Linear) -> None:
    layer.weight = nn.Parameter(layer.weight * 2, requires_grad=False)


EDITS: dict[str, Callable[[nn.Linear], object]] = {
    "in place": lambda layer: layer.weight.mul_(2),
    "bias": lambda layer: layer.bias.add_(1),
    "another": _another,
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("part", ["self_attn.project_query", "cross_attn.project_value", "feed_forward.expand"])
def test_edited_weights_are_noticed(edit: Callable[[nn.Linear], object], part: str) -> None:
    """Quick steps then give what slow ones give."""
    model = model_of()
    with torch.inference_mode():
        memory, target = a_batch(model)
        before = QuickSteps(model, memory).extend(target[:, :6])
    edit(model.decoder.layers[1].get_submodule(part))  # type: ignore[union-attr,operator]  # there is a decoder
    with torch.inference_mode():
        after = QuickSteps(model, memory).extend(target[:, :6])
        slow = Incremental(model, memory).extend(target[:, :6])

    assert_same(after, slow)
    assert (after - before).norm() > 1e-3


SEEN: dict[str, Callable[[Transformer], object]] = {
    "tap": lambda model: model.decoder.norm.register_forward_hook(lambda *_: None),  # type: ignore[union-attr]
    "torch": lambda model: model.decoder.layers[1].register_forward_hook(lambda *_: None),  # type: ignore[union-attr,operator]
    "dropout": lambda model: model.decoder.layers[1].cross_attn.drop.train(),  # type: ignore[union-attr]
    "dropout of the embedding": lambda model: model.decoder.embedding.drop.train(),  # type: ignore[union-attr]
    "training": lambda model: model.train(),
    "learning": lambda model: model.generator.requires_grad_(True),
    "double": lambda model: model.double(),
}


@pytest.mark.parametrize("look", SEEN.values(), ids=SEEN)
def test_a_decoder_that_somebody_looks_into_is_not_quick(look: Callable[[Transformer], object]) -> None:
    """Nor one that is learning, or drops out, or has other numbers."""
    model = model_of()
    assert can_be_quick(model)
    look(model)

    assert not can_be_quick(model)


def test_inside_hooks_steps_are_slow() -> None:
    """And quick again behind them."""
    model = model_of()
    with torch.inference_mode():
        memory, _target = a_batch(model)
        for block in (hooked(model, lambda *_: None, at=["decoder.norm"]), hooked(model, lambda *_: None)):
            assert isinstance(steps_of(model, memory), QuickSteps)
            with block:
                assert isinstance(steps_of(model, memory), Incremental)
        assert isinstance(steps_of(model, memory, whole=True), Incremental)
        assert isinstance(steps_of(model, memory, torch.ones(3, 1, 1, 5, dtype=torch.bool)), Incremental)


@pytest.mark.parametrize(
    "knobs",
    [
        {"position": "alibi"},
        {"causal_mask": False},
        {"causal_mask_cross": True},
        {"masking": "inverted", "mask_value": "-1e9"},
        {"architecture": "decoder-only"},
    ],
    ids=str,
)
def test_unusual_masks_and_biases_of_scores_go_the_slow_way(knobs: dict[str, object]) -> None:
    """They say which keys a row sees, and the quick way knows the usual ones alone."""
    assert not can_be_quick(model_of(**knobs))


@torch.inference_mode()
def test_a_forgotten_position_would_be_found() -> None:
    """Steps that all stand at position 0 differ from the slow ones."""
    model = model_of()
    memory, target = a_batch(model)
    slow, fast = Incremental(model, memory), QuickSteps(model, memory)
    for way in (slow, fast):
        way.step(target[:, 0])
    fast.back_to(0)
    with pytest.raises(AssertionError):
        assert_same(fast.step(target[:, 1]), slow.step(target[:, 1]))
