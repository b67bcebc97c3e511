"""Experts: what the router said is what the model itself says of it, and what is changed there is obeyed."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.engine.recording.recorder import record
from explorer.foreign.card import card_of
from explorer.model.hooks import hooked
from explorer.trace.architecture import architecture_of
from tests.foreign.models import fresh, ids_of, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.

ROUTED = {"mixtral": (0, 1), "qwen2_moe": (1,), "qwen3_moe": (0, 1)}
"""By model the layers that have experts."""


def recorded(name: str, ids: Tensor | None = None, **replaced: Any) -> tuple[dict[str, Any], Tensor]:
    """The arrays of a pass and its logits; `replaced` are functions of a tensor by tap, "." written as "__"."""
    found = opened(name)
    made = {tap.replace("__", "."): step for tap, step in replaced.items()}
    with (
        torch.inference_mode(),
        hooked(found.foreign, lambda tap, _args, tensor: made[tap.name](tensor), at=list(made)),
        record(found.foreign) as recording,
    ):
        out = found.foreign(None, ids_of(found)[1] if ids is None else ids)
    return dict(recording.arrays), out


def own_logits(name: str) -> list[Tensor]:
    """[token, expert] of each layer with experts, as the model gives them out when it is asked for them."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        found = model(input_ids=ids_of(opened(name))[1], output_router_logits=True, use_cache=False).router_logits
    return [each for each in found if each is not None]


@pytest.mark.parametrize("name", ROUTED)
def test_routing_is_the_softmax_of_the_models_own_logits(name: str) -> None:
    """Each row sums to 1; of the largest, two are chosen, with the weights that they are added with."""
    arrays, _out = recorded(name)
    taps = [f"decoder.layers.{layer}.feed_forward" for layer in ROUTED[name]]
    assert [tap for tap in arrays if tap.endswith(".routing")] == [f"{tap}.routing" for tap in taps]
    logits = own_logits(name)
    assert len(logits) == len(taps)
    for tap, wanted in zip(taps, logits, strict=True):
        own = wanted.double().softmax(-1).numpy()  # [token, expert]
        routing, chosen = arrays[f"{tap}.routing"], arrays[f"{tap}.chosen"]
        assert abs(routing - own).max() <= 1e-6
        two = np.sort(own, axis=-1)[:, -2:]
        kept = np.where(own >= two[:, :1], own, 0.0)
        kept /= 1.0 if name == "qwen2_moe" else kept.sum(-1, keepdims=True)
        assert abs(chosen - kept).max() <= 1e-6
        assert ((chosen > 0).sum(-1) == 2).all()
        with pytest.raises(AssertionError):  # Those of the next token are others.
            assert abs(routing - np.roll(own, 1, axis=0)).max() <= 1e-6


def by_hand(name: str, layer: int, read: Tensor, weights: Tensor) -> Tensor:
    """[token, feature] what a layer's experts add with these weights [token, expert]: every one of them, one by one."""
    block = opened(name).foreign.model.base_model.layers[layer].mlp
    total = torch.zeros_like(read)
    for number in range(weights.shape[-1]):
        gate, up = (read @ block.experts.gate_up_proj[number].T).chunk(2, dim=-1)
        inner = torch.nn.functional.silu(gate) * up
        total = total + weights[:, number : number + 1] * (inner @ block.experts.down_proj[number].T)
    if hasattr(block, "shared_expert"):
        total = total + torch.sigmoid(block.shared_expert_gate(read)) * block.shared_expert(read)
    return total


@pytest.mark.parametrize("name", ROUTED)
def test_the_chosen_weights_are_those_of_what_is_added(name: str) -> None:
    """Also when somebody sets them, to any number of experts."""
    base = "decoder.layers.1"
    generator = torch.Generator().manual_seed(2)
    mixed = torch.rand(opened(name).foreign.model.config.num_local_experts if name == "mixtral" else 6, generator=generator)
    changes: dict[str, Any] = {"decoder__layers__1__feed_forward__chosen": lambda tensor: mixed.expand_as(tensor)}
    for replaced in ({}, changes):
        arrays, _out = recorded(name, **replaced)
        read, weights = (torch.tensor(arrays[f"{base}.{part}"]) for part in ("norm2", "feed_forward.chosen"))
        with torch.inference_mode():
            wanted = by_hand(name, 1, read, weights)
        got = arrays[f"{base}.feed_forward.output"]
        assert abs(got - wanted.numpy()).max() <= 1e-5 * max(1.0, float(wanted.abs().max()))
    assert abs(weights - mixed).max() == 0


@pytest.mark.parametrize("name", ROUTED)
def test_a_changed_routing_is_chosen_from_anew(name: str) -> None:
    """An expert whose share is 0 is no longer chosen, another one is; where all shares are 0, no expert adds anything."""
    base, at = "decoder.layers.1.feed_forward", "decoder__layers__1__feed_forward__routing"
    before, _out = recorded(name)
    first = int(before[f"{base}.chosen"][-1].argmax())

    def without(tensor: Tensor) -> Tensor:
        made = tensor.clone()
        made[..., first] = 0
        return made

    after, _out = recorded(name, **{at: without})
    assert (after[f"{base}.chosen"][:, first] == 0).all()
    assert (np.count_nonzero(after[f"{base}.chosen"], axis=-1) == 2).all()
    sums = after[f"{base}.chosen"].sum(-1)
    assert (sums < 1).all() if name == "qwen2_moe" else np.allclose(sums, 1)
    assert np.array_equal(after[f"{base}.routing"], without(torch.tensor(before[f"{base}.routing"])).numpy())
    assert abs(after["generator.logits"] - before["generator.logits"]).max() > 1e-3

    nobody, out = recorded(name, **{at: lambda tensor: tensor * 0})
    assert not nobody[f"{base}.chosen"].any() and out.isfinite().all()
    same, _out = recorded(name, **{at: lambda tensor: tensor.clone()})
    assert abs(same["generator.logits"] - before["generator.logits"]).max() <= 1e-5


@pytest.mark.parametrize("name", ROUTED)
def test_rows_of_a_batch_are_told_apart(name: str) -> None:
    """A router sees all rows as one: a change to one row leaves the other as it was."""
    ids = torch.tensor([[5, 9, 30, 9], [22, 7, 11, 4]])
    plain = [recorded(name, row[None])[1][0] for row in ids]

    def second(tensor: Tensor) -> Tensor:
        assert tensor.shape[:2] == (2, 4)
        made = tensor.clone()
        made[1] = made[1].roll(1, dims=-1)
        return made

    found = opened(name)
    with torch.inference_mode():
        tap = "decoder.layers.1.feed_forward.routing"
        with hooked(found.foreign, lambda _tap, _args, tensor: second(tensor), at=[tap]):
            out = found.foreign(None, ids)
    assert abs(out[0] - plain[0]).max() <= 1e-4
    assert abs(out[1] - plain[1]).max() > 1e-3


@pytest.mark.parametrize("name", ROUTED)
def test_the_card_says_how_many_are_chosen(name: str) -> None:
    """What is inside the experts is absent with a reason, the routing is not; a model with one network says the contrary."""
    card = card_of(opened(name), "x")
    assert (card.n_experts, card.n_chosen) == (4 if name == "mixtral" else 6, 2)
    assert card.why_absent("decoder.layers.0.feed_forward.routing") == ""
    inside = "" if name == "qwen2_moe" else "absent.inside_experts"  # Its first layer has one network.
    assert {card.why_absent(f"feed_forward.{part}") for part in ("hidden", "activated", "gate")} == {inside}
    drawn = [block.layer for block in architecture_of(card).blocks if block.kind == "feed_forward"]
    assert drawn == [0, 1]
    assert card_of(opened("llama"), "x").why_absent("decoder.layers.0.feed_forward.chosen") == "absent.no_experts"
