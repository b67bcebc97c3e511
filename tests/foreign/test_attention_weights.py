"""The matrices behind Q, K, V and the output of models of others: their products arrive as the model itself recorded them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import explorer
from explorer.engine.experiments.checked_weights import checked
from explorer.errors import NoMatrix
from explorer.foreign.head_rows import HeadRows, head_rows
from explorer.foreign.watching import Call
from explorer.foreign.weights import attention_weights, possible_turns
from explorer.lang import LANGUAGES, Words
from explorer.picture.makers.attention_steps import result
from explorer.state.look import Look
from explorer.trace.found.findings import NotMade
from explorer.trace.found.projections import MADE, AttentionWeights, projection
from explorer.trace.found.weights import WHICH
from explorer.trace.trace import Trace
from tests.foreign.models import STREAM_BY_SOFTMAX, WHOLE, families, opened
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
BOTH = ("t5", "t5 gated", "mt5", "marian", "bart", "mbart", "m2m_100", "pegasus")


@pytest.mark.parametrize("name", families(WHOLE))
def test_each_matrix_gives_what_the_model_recorded(name: str, folder: Callable[[str], Path]) -> None:
    """Of each attention and head, to 1e-5 of the largest: fused or not, with biases, shared KV heads, norms and rotations."""
    target = {"target": "the dog"} if name in BOTH else {}
    trace, foreign = explorer.explore(TEXT, preset=folder(name), **target), opened(name).foreign
    n = max(len(trace.tokens.source), len(trace.tokens.target))
    assert foreign.attentions
    for block in foreign.attentions:
        found = checked(attention_weights(foreign, block, n), possible_turns(foreign, n), trace)
        for made in MADE:
            recorded = trace[f"{block}.{made}"]
            for head in range(1 if made == "output" else trace.card.side(block).n_heads):
                rows = recorded if made == "output" else recorded[trace.card.head_in(f"{block}.{made}", head)]
                arrived = projection(trace, found, made, head).arrived
                np.testing.assert_allclose(arrived, rows, rtol=0, atol=1e-5 * np.abs(recorded).max(), err_msg=f"{block} {made}")


@pytest.mark.parametrize("name", families(STREAM_BY_SOFTMAX))
def test_a_model_without_q_and_k_says_so(name: str, folder: Callable[[str], Path]) -> None:
    """Its attention is its own, and only what goes into its softmax is recorded."""
    trace = explorer.explore(TEXT, preset=folder(name), experiments=["attention_weights"])
    found = trace.experiments["attention_weights"]
    assert isinstance(found, NotMade) and found.error.values["why"] == "absent.softmax_alone"


def present(name: str, folder: Callable[[str], Path]) -> tuple[AttentionWeights, Trace]:
    """The matrices of the first attention that give what the model recorded, and the pass."""
    trace, foreign = explorer.explore(TEXT, preset=folder(name)), opened(name).foreign
    block, n = next(iter(foreign.attentions)), len(trace.tokens.target)
    return checked(attention_weights(foreign, block, n), possible_turns(foreign, n), trace), trace


STEPS, OTHERWISE = "absent.made_in_steps", "absent.made_otherwise"
LACKING = {
    "deepseek_v2": {"query": STEPS, "key": OTHERWISE, "value": STEPS},
    "deepseek_v2 lite": {"key": OTHERWISE, "value": STEPS},
    "deepseek_v3": {"query": OTHERWISE, "key": OTHERWISE, "value": STEPS},
    "jetmoe": {"query": OTHERWISE, "output": OTHERWISE},
    "opt": {"query": OTHERWISE},  # It is divided before it enters the attention.
    **{key: {} for key in ("qwen3_5", "qwen3_next", "codegen", "persimmon", "ctrl", "lfm2_moe")},
}
"""Families that keep the rows of Q, K and V in orders of their own, or make them in several steps: what lacks, and why."""


@pytest.mark.parametrize("name", sweep(LACKING, telling=["qwen3_5", "codegen", "deepseek_v2 lite"]))
def test_rows_are_found_in_any_order(name: str, folder: Callable[[str], Path]) -> None:
    """What is found gives the recorded numbers to 1e-5 of the largest; what is not has its reason, in both languages."""
    found, trace = present(name, folder)
    assert found.lacking == LACKING[name]
    for made in found.matrices:
        recorded = trace[f"{found.block}.{made}"]
        for head in range(1 if made == "output" else trace.card.side(found.block).n_heads):
            rows = recorded if made == "output" else recorded[trace.card.head_in(f"{found.block}.{made}", head)]
            arrived = projection(trace, found, made, head).arrived
            np.testing.assert_allclose(arrived, rows, rtol=0, atol=1e-5 * np.abs(recorded).max())
    for language in LANGUAGES:
        words = Words.load(language)
        for made, reason in found.lacking.items():
            assert words(reason) in words.error(NoMatrix(tap=f"{found.block}.{made}", why=reason))


def test_the_rows_are_those_that_the_family_itself_takes(folder: Callable[[str], Path]) -> None:
    """CodeGen has four groups, each with its Q, V and K; Qwen3.5 has the gate of a head behind its Q."""
    own = opened("codegen").foreign.model.transformer.h[0].attn.qkv_proj.weight.numpy().reshape(4, 3, 8, 32)
    found, _trace = present("codegen", folder)
    for made, place in (("query", 0), ("value", 1), ("key", 2)):
        np.testing.assert_array_equal(found.matrices[made].weight, own[:, place].reshape(32, 32))  # type: ignore[index]
    gated = opened("qwen3_5").foreign.model.model.layers[1].self_attn
    found, _trace = present("qwen3_5", folder)
    own = gated.q_proj.weight.numpy().reshape(4, 2, 8, 32)
    np.testing.assert_array_equal(found.matrices["query"].weight, own[:, 0].reshape(32, 32))
    assert found.norms["query"].weight.shape == (8,) and found.turn is not None


@pytest.mark.parametrize("name", ["deepseek_v2", "deepseek_v2 lite", "deepseek_v3"])
def test_keys_and_values_of_latent_attention_are_those_that_it_expands(name: str, folder: Callable[[str], Path]) -> None:
    """K of each head is what is expanded, beside a turned part that all heads share; attention follows from Q, K and V."""
    trace, foreign = explorer.explore(TEXT, preset=folder(name)), opened(name).foreign
    block = "decoder.layers.1.self_attn"
    own, expanded = foreign.attentions[block], list[np.ndarray]()
    handle = own.kv_b_proj.register_forward_hook(lambda _module, _args, made: expanded.append(made[0].numpy()))
    with torch.inference_mode():
        foreign.model(torch.tensor([[token.id for token in trace.tokens.target]]), use_cache=False)
    handle.remove()
    query, key, value = (np.float64(trace[f"{block}.{part}"]) for part in WHICH)
    still, n_value = int(own.qk_nope_head_dim), value.shape[-1]
    heads = expanded[0].reshape(len(trace.tokens.target), len(key), still + n_value).swapaxes(0, 1)
    np.testing.assert_allclose(key[..., :still], heads[..., :still], rtol=0, atol=1e-5)
    np.testing.assert_allclose(value, heads[..., still:], rtol=0, atol=1e-5)
    np.testing.assert_array_equal(key[..., still:], np.broadcast_to(key[:1, :, still:], key[..., still:].shape))
    # A = softmax(Q·Kᵀ·s) over the keys up to the query
    scores = torch.from_numpy(query @ key.swapaxes(-1, -2) * float(own.scaling))
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1).numpy()
    np.testing.assert_allclose(trace[f"{block}.weights"], weights, rtol=0, atol=1e-5)
    np.testing.assert_allclose(trace[f"{block}.mixed"], weights @ value, rtol=0, atol=1e-5)
    turned = query @ np.roll(key, 1, axis=-1).swapaxes(-1, -2)
    assert np.abs(turned - trace[f"{block}.scores"]).max() > 0.1  # Features in another order would be noticed.


def test_a_vector_that_no_layer_has_given_out_has_no_rows() -> None:
    """A run times a factor is found, in each order; one that has another sign, or one other number, is not."""
    made = torch.randn(3, 20, generator=torch.Generator().manual_seed(2))
    call = Call(
        module=torch.nn.Linear(4, 20),
        path="a",
        entered=1,
        left=2,
        ids=None,
        read=torch.randn(3, 4),
        made=made,
        said=None,
        shown=None,
    )
    heads = torch.stack([made[0, 11:16], made[0, 2:7], made[0, 11:16]])
    assert head_rows(1.3 * heads, [call]) == HeadRows("a", (11, 2, 11), 5)
    other = heads.clone()
    other[1, 3] += 1e-3
    assert head_rows(-heads, [call]) is head_rows(other, [call]) is head_rows(heads, []) is None
    assert head_rows(heads * torch.tensor([[1.0], [2.0], [1.0]]), [call]) is None  # Heads of a norm differ in their factors.


def test_a_product_that_is_none_has_no_formula(folder: Callable[[str], Path]) -> None:
    """What is recorded is shown, and nothing says Q = x W_Q; where it is so, it is said."""
    formulas = []
    for name in ("deepseek_v2", "codegen"):
        trace = explorer.explore(TEXT, preset=folder(name), experiments=["attention_weights"])
        made = result(trace, Look(attention="decoder.self_attn", part="query").fitted(trace), Words.load("en"))
        formulas.append(made.caption.formula)
    assert formulas == ["", "Q = x W<sub>Q</sub>"]
