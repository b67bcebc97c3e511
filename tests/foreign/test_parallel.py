"""Layers whose parts are added together, or have norms behind them: what is seen of them, against the model's own numbers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import explorer
from explorer import Change
from explorer.engine.recording.recorder import record
from explorer.errors import LacksTap
from explorer.foreign.card import card_of
from explorer.lang import Words
from explorer.mathematics import Numbers
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, taps
from explorer.picture.figure.kinds import kind_of
from explorer.picture.follow_text import division
from explorer.picture.makers.follow import follow
from explorer.picture.makers.layers import stream
from explorer.picture.makers.river import river
from explorer.state.look import Look
from explorer.trace.found.norm_figures import norm_inputs, norms
from explorer.trace.trace import Trace
from tests.foreign.models import STREAM_BY_SOFTMAX, fresh, ids_of, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
PARALLEL = ("gpt_neox", "phi", "gptj", "falcon", "falcon of two norms")
ONE_NORM = ("phi", "gptj", "falcon")
Folder = Callable[[str], Path]
EN = Words.load("en")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def recorded(name: str) -> tuple[dict[str, Any], Tensor]:
    found = opened(name)
    with torch.inference_mode(), record(found.foreign) as recording:
        out = found.foreign(*ids_of(found))
    return dict(recording.arrays), out


def own_pass(name: str) -> Any:
    """The model's own eager pass over the same tokens, with its hidden states."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        return model(input_ids=ids_of(opened(name))[1], output_hidden_states=True, use_cache=False)


@pytest.mark.parametrize("name", [*PARALLEL, "falcon in turn", "gpt_neo", "gpt_neox in turn", "gemma2"])
def test_the_stream_behind_each_layer_is_the_models_own(name: str) -> None:
    """And the sum of what was there and what both parts add; a layer whose parts come in turn has a stream between them."""
    arrays, out = recorded(name)
    own = own_pass(name)
    assert abs(out - own.logits).max() <= 1e-5 * abs(own.logits).max()
    x = arrays["decoder.embedding.output"]
    assert abs(x - own.hidden_states[0][0].numpy()).max() <= 1e-5
    last = "normed" if name == "gemma2" else "output"
    for layer in range(2):
        base = f"decoder.layers.{layer}"
        added = [arrays[f"{base}.{part}.{last}"] for part in ("self_attn", "feed_forward")]
        after = arrays[f"{base}.residual2"]
        assert abs(x + added[0] + added[1] - after).max() <= 1e-5 * max(1.0, abs(after).max())
        assert (f"{base}.residual1" in arrays) == (name not in PARALLEL)
        assert (f"{base}.norm2" in arrays) == (name not in ONE_NORM)
        if layer == 0:
            assert abs(after - own.hidden_states[1][0].numpy()).max() <= 1e-5 * max(1.0, abs(after).max())
        x = after
    assert abs(arrays["decoder.norm"] - own.hidden_states[-1][0].numpy()).max() <= 1e-5


@pytest.mark.parametrize("name", STREAM_BY_SOFTMAX)
def test_what_heads_have_mixed_is_weights_times_values(name: str) -> None:
    """The layer that joins the heads reads it: through its matrix it is what the attention gives out."""
    arrays, _out = recorded(name)
    found = opened(name)
    assert set(arrays) == set(taps(found.foreign))
    side = found.foreign.sides["decoder"]
    for layer in range(2):
        base = f"decoder.layers.{layer}.self_attn"
        mixed = arrays[f"{base}.mixed"]  # [head, query, feature]
        assert mixed.shape == (4, 7, 8)
        joined = torch.tensor(mixed).transpose(0, 1).flatten(1)
        projection = fresh(name).base_model.h[layer].get_submodule(side.each[layer].blocks[0].output)
        with torch.inference_mode():
            made = projection(joined[None])[0].numpy()
        assert abs(made - arrays[f"{base}.output"]).max() <= 1e-5 * max(1.0, abs(made).max())
        attention = projection_owner(fresh(name), layer)
        with torch.inference_mode():
            values = own_values(attention, torch.tensor(arrays[f"decoder.layers.{layer}.norm1"])[None])[0]
        weights = torch.tensor(arrays[f"{base}.weights"])
        assert abs((weights @ values).numpy() - mixed).max() <= 1e-4


def projection_owner(model: Any, layer: int) -> Any:
    """The module of an attention, which has W_V."""
    block = model.base_model.h[layer]
    return block.self_attention if hasattr(block, "self_attention") else getattr(block.attn, "attention", block.attn)


def own_values(attention: Any, x: Tensor) -> Tensor:
    """[batch, head, position, feature] by the model's own matrices."""
    if hasattr(attention, "query_key_value"):
        value = own_fused_values(attention, attention.query_key_value(x))  # [batch, position, head, feature]
    else:
        value = attention.v_proj(x).unflatten(-1, (4, 8))
    found: Tensor = value.transpose(1, 2)
    return found


def own_fused_values(attention: Any, fused: Tensor) -> Tensor:
    """[batch, position, head, feature] the values of a Falcon, whose one matrix gives Q, K and V in three orders."""
    width = attention.head_dim
    if attention.new_decoder_architecture:  # Each key's queries, then the key, then the value.
        grouped = fused.unflatten(-1, (attention.num_kv_heads, -1, width))
        return grouped[..., -1, :].repeat_interleave(attention.num_heads // attention.num_kv_heads, dim=2)
    if attention.multi_query:  # All queries, the key, the value.
        return fused.unflatten(-1, (-1, width))[..., -1:, :]
    return fused.unflatten(-1, (attention.num_heads, 3, width))[..., 2, :]


@pytest.mark.parametrize("name", STREAM_BY_SOFTMAX)
def test_every_tap_of_them_obeys_a_replacement(name: str) -> None:
    """Another tensor in its place makes another output, and the pass after it is the old one."""
    found = opened(name)
    arrays, before = recorded(name)
    generator = torch.Generator().manual_seed(3)

    def replaced(_tap: Tap, _args: Any, tensor: Tensor) -> Tensor:
        return tensor * (1 + torch.rand(tensor.shape, generator=generator))

    for tap in arrays:
        with torch.inference_mode(), hooked(found.foreign, replaced, at=[tap]):
            after = found.foreign(*ids_of(found))
        assert (tap == "generator.probabilities") == bool((after == before).all()), tap
    assert (recorded(name)[1] == before).all()


@pytest.mark.parametrize("name", ["gpt_neox", "falcon"])
def test_a_parallel_stream_that_is_replaced_is_what_the_next_layer_reads(name: str) -> None:
    """At its only addition."""
    found = opened(name)
    wanted = torch.randn(1, 7, 32)
    tap = "decoder.layers.0.residual2"
    with torch.inference_mode(), hooked(found.foreign, lambda *_given: wanted, at=[tap]), record(found.foreign) as recording:
        found.foreign(*ids_of(found))
    model = fresh(name)
    layer = (model.base_model.h if name == "falcon" else model.base_model.layers)[1]
    with torch.inference_mode():
        normed = layer.input_layernorm(wanted)[0].numpy()
    assert abs(recording.arrays[tap] - wanted[0].numpy()).max() == 0
    assert abs(recording.arrays["decoder.layers.1.norm1"] - normed).max() <= 1e-5


def test_falcon_writes_into_what_was_seen_so_its_tensors_are_copied() -> None:
    """Without copies, what the network gives out would show the sum with the attention."""
    found = opened("falcon")
    assert not found.foreign.overwrites_nothing
    right, _out = recorded("falcon")
    found.foreign.overwrites_nothing = True
    try:
        wrong, _out = recorded("falcon")
    finally:
        found.foreign.overwrites_nothing = False
    name = "decoder.layers.0.feed_forward.output"
    assert abs(right[name] - wrong[name]).max() > 1e-3


@pytest.mark.parametrize("name", ["gptj", "falcon", "falcon of two norms", "falcon in turn", "gpt_neo"])
def test_a_head_that_was_mixed_counts_as_much_as_its_own_modules_say(name: str, folder: Folder) -> None:
    """Its slice of W_O, through the final norm and the output, and the sum of all parts is the logit."""
    trace = explorer.explore(TEXT, preset=folder(name), experiments=["why"])
    parts = trace.why(2)
    assert parts.exact and abs(parts.remainder) <= 1e-4
    model = fresh(name)
    block = opened(name).foreign.block("decoder.layers.1.self_attn")
    assert block is not None
    w_o = model.base_model.h[1].get_submodule(block.output).weight
    mixed = torch.tensor(trace["decoder.layers.1.self_attn.mixed"][3, 2])
    added = w_o[:, 24:32] @ mixed  # [feature]
    if name in ("falcon in turn", "gpt_neo"):  # Here the network reads the sum, but the direct part is the same.
        assert "decoder.layers.1.residual1" in trace
    x, norm = torch.tensor(trace["decoder.layers.1.residual2"][2]), model.base_model.ln_f
    made = norm.weight * (added - added.mean()) / (x.var(unbiased=False) + norm.eps).sqrt()
    expected = (model.get_output_embeddings().weight[[parts.word, parts.rival]] @ made).detach().numpy()
    place = parts.index("decoder.self_attn", 1, 3)
    assert place is not None
    np.testing.assert_allclose(parts.shares[:, place], expected, atol=1e-5)


@pytest.mark.parametrize("name", ["gptj", "gpt_neox", "phi", "gemma2"])
def test_what_switching_a_part_off_does_is_measured_as_for_others(name: str, folder: Folder) -> None:
    """Each head's effect is that of a pass with this head scaled by 0."""
    path = folder(name)
    trace, found = explorer.explore(TEXT, preset=path), explorer.ablate(TEXT, preset=path)
    ids = list(found.word_ids)
    before = np.log(trace["generator.probabilities"][range(len(ids)), ids])
    for tap, head, effect in (
        ("decoder.layers.1.self_attn.mixed", 2, found.heads[0, 1, 2]),
        ("decoder.layers.0.feed_forward.output", None, found.feed_forwards[0, 0]),
    ):
        off = explorer.explore(TEXT, preset=path, changes=[Change(tap, "scale", head=head, value=0.0)])
        after: Numbers = np.log(off["generator.probabilities"][range(len(ids)), ids])
        np.testing.assert_allclose(effect, after - before, atol=1e-4)


def test_a_norm_behind_a_block_makes_what_is_added() -> None:
    """`normed` is the model's own norm of `output`, of attention and network."""
    arrays, _out = recorded("gemma2")
    layer = fresh("gemma2").base_model.layers[1]
    for part, norm in (("self_attn", layer.post_attention_layernorm), ("feed_forward", layer.post_feedforward_layernorm)):
        base = f"decoder.layers.1.{part}"
        with torch.inference_mode():
            made = norm(torch.tensor(arrays[f"{base}.output"])).numpy()
        assert abs(made - arrays[f"{base}.normed"]).max() <= 1e-5
        assert abs(made - arrays[f"{base}.output"]).max() > 1e-2


def test_the_sum_is_one_of_logits_before_their_bound(folder: Folder) -> None:
    """Gemma 2 makes 30·tanh(z / 30) of z: the parts sum to z, and z makes the recorded logit."""
    trace = explorer.explore(TEXT, preset=folder("gemma2"), experiments=["why"])
    for position in range(4):
        parts = trace.why(position)
        assert parts.exact
        recorded_two = trace["generator.logits"][position, [parts.word, parts.rival]]
        assert 30 * np.tanh(parts.shares.sum(1) / 30) == pytest.approx(recorded_two, abs=1e-4)
    assert abs(parts.shares.sum(1) - recorded_two).max() > 1e-3  # They are not the bounded ones.


@pytest.mark.parametrize("name", ["gpt_neox", "phi", "gemma2", "gptj"])
def test_the_card_says_what_such_a_layer_has_not(name: str) -> None:
    """Why there is no stream between its parts, or no second norm; and by what its scores are really divided."""
    card = card_of(opened(name), "x")
    assert card.parallel == (name in PARALLEL)
    assert card.why_absent("decoder.layers.0.residual1") == ("absent.parallel" if name in PARALLEL else "")
    assert card.why_absent("norm2") == ("absent.one_norm" if name in ONE_NORM else "")
    assert card.why_absent("self_attn.normed") == ("" if name == "gemma2" else "absent.no_norm_behind")
    assert card.why_absent("self_attn.mixed") == ""
    if name == "gemma2":
        assert card.score_divisor == 16  # Its settings say √256, though its heads are 8 wide.
        arrays, _out = recorded(name)
        block = "decoder.layers.0.self_attn"
        np.testing.assert_allclose(arrays[f"{block}.scaled"], arrays[f"{block}.scores"] / card.score_divisor, atol=1e-5)


def test_a_cell_that_is_followed_is_divided_by_what_the_model_divides_by(folder: Folder) -> None:
    """In the title of the step and in its sentence, there is no √d_head where the settings say another number."""
    trace = explorer.explore(TEXT, preset=folder("gemma2"))
    made = follow(trace, Look().fitted(trace), EN)
    assert made is not None
    followed = made.followed
    assert division(followed) == "÷ 16"
    told = EN("follow.scaled.own", divisor="16", before="a", after="b")
    assert "16" in told and "√" not in told
    assert followed.scaled == pytest.approx(followed.scores / 16, abs=1e-6)
    same = explorer.explore(TEXT, preset=folder("llama"))
    own = follow(same, Look().fitted(same), EN)
    assert own is not None and division(own.followed) == "÷ √8"


@pytest.mark.parametrize("name", ["gpt_neox", "phi", "falcon", "gptj", "gemma2"])
def test_pictures_of_such_a_layer_are_drawn(name: str, folder: Folder) -> None:
    """The bands of a layer add up in the order in which they stand, norms know what they read, and there is a river."""
    trace = explorer.explore(TEXT, preset=folder(name), experiments=["why", "lens"])
    look = Look(layer=1).fitted(trace)
    taps_shown = [band.caption.tap.partition("layers.1.")[2] for band in stream(trace, look, EN).bands[1:]]
    parts = ("self_attn.normed", "feed_forward.normed") if name == "gemma2" else ("self_attn.output", "feed_forward.output")
    between = [] if name in PARALLEL else ["residual1"]
    assert taps_shown == [parts[0], *between, parts[1], "residual2"]
    _assert_norms(trace, name)
    made = river(trace, look, EN)
    assert kind_of(made).describe(made, EN)


def _assert_norms(trace: Trace, name: str) -> None:
    inputs = norm_inputs(trace, "decoder")
    assert inputs["decoder.layers.1.norm1"] == "decoder.layers.0.residual2"
    if name == "gpt_neox":
        assert inputs["decoder.layers.1.norm2"] == "decoder.layers.0.residual2"
    if name == "gemma2":
        assert inputs["decoder.layers.1.norm2"] == "decoder.layers.1.residual1"
    assert norms(trace).sides["decoder"].means.shape[0] == len(inputs)


@pytest.mark.parametrize(
    ("name", "parallel", "position"),
    [
        ("gpt_neox", True, "rotary"),
        ("gpt_neox in turn", False, "rotary"),
        ("falcon", True, "rotary"),
        ("falcon in turn", False, "alibi"),
    ],
)
def test_a_model_is_what_its_pass_shows(name: str, parallel: bool, position: str) -> None:
    """GPT-NeoX may add its parts in turn, and Falcon, which then may have another kind of positions."""
    card = card_of(opened(name), "x")
    assert (card.parallel, card.position) == (parallel, position)


def test_what_a_head_mixed_it_from_is_not_seen_in_all_families(folder: Folder) -> None:
    """Then the bands cannot show what tokens contribute: a sentence says so, and the page has its parts."""
    trace = explorer.explore(TEXT, preset=folder("falcon"), experiments=["why"])
    with pytest.raises(LacksTap) as caught:
        trace.why(2).inside("decoder.self_attn", 0, 0)
    assert caught.value.values["why"] == "absent.softmax_alone"
    made = river(trace, Look(bands="contributions").fitted(trace), EN)
    assert kind_of(made).describe(made, EN)
