"""The residual stream of every family is found by a pass: it is the model's own, and what is read off it is the model's output.

All numbers are held against what transformers itself gives out: its hidden states and its logits.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from torch import nn

import explorer
from explorer.errors import LacksTap
from explorer.foreign.card import card_of
from explorer.foreign.opening import with_taps
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import lacking
from explorer.picture.figure.kinds import kind_of
from explorer.picture.makers.layers import stream
from explorer.picture.makers.river import river
from explorer.state.look import Look
from explorer.trace.found.weights import ReadingWeights
from explorer.trace.trace import Trace
from tests.foreign.by_hand import at_time, own_module
from tests.foreign.models import ALL, BY_SOFTMAX, FOUND, SOME_LAYERS, fresh, opened
from tests.foreign.more_models import NO_SUM
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and the dog 我"
Folder = Callable[[str], Path]
TELLING = (
    "phi3",
    "olmo2",
    "granite",
    "deepseek_v3",
    "bloom",
    "modernbert",
    "deberta",
    "cohere",
    "opt",
    "qwen3_5",
    "blenderbot",
    "albert",
)
NAMES = [name for name in (*ALL, *BY_SOFTMAX, *FOUND, *SOME_LAYERS) if "without" not in name]
"""Those of the telling ones have, in turn: one matrix for two, norms behind alone, factors, values of another width, a softmax
of their own, a layer without its norm, tensors that are written into, parallel blocks, rows of all texts below each other,
layers without attention, both sides, and layers that are one."""


READ_OTHERWISE = ("modernbert-decoder",)
"""Between the last stream and the output stands more than a norm and a matrix."""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def traced(folder: Folder, name: str, *experiments: str) -> Trace:
    path = folder(name)
    card = explorer.explore(TEXT, preset=path).card
    target = {"target": "the dog"} if len(card.sides) == 2 else {}
    return explorer.explore(TEXT, preset=path, experiments=experiments, **target)


def own_pass(name: str, trace: Trace) -> Any:
    """The model's own pass over the same tokens, with all that it says of itself."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    ids = [torch.tensor([[token.id for token in row]]) for row in (trace.tokens.source, trace.tokens.target) if row]
    both = {"decoder_input_ids": ids[1]} if len(ids) == 2 else {}
    with torch.inference_mode():
        return model(input_ids=ids[0], output_hidden_states=True, use_cache=False, **both)


def states_by_tap(trace: Trace, own: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each hidden state with the tap that shows it: of the last one, the stream before or behind the final norm."""
    both = len(trace.card.sides) == 2
    for side in trace.card.sides:
        states = own[f"{side.name}_hidden_states"] if both else own.hidden_states
        assert len(states) == side.n_layers + 1
        for number, state in enumerate(states):
            last = len(side.attentions) + 1
            behind = f"{side.name}.layers.{number - 1}.{'norm' if trace.card.norm_placement == 'post' else 'residual'}{last}"
            tap = behind if number else f"{side.name}.embedding.output"
            ends = number == side.n_layers and f"{side.name}.norm" in trace
            yield ((f"{side.name}.norm", tap) if ends else (tap,)), state[0].numpy()


@pytest.mark.parametrize("name", sweep(NAMES, telling=TELLING))
def test_the_stream_is_the_models_own_and_the_logits_are_read_off_it(name: str, folder: Folder) -> None:
    """Hidden states and logits to 1e-5, the lens' last row, and direct logit attribution, also by keys and by what was read."""
    trace = traced(folder, name, *(() if name in READ_OTHERWISE else ("why", "lens", "readers")))
    own = own_pass(name, trace)
    for taps, state in states_by_tap(trace, own):
        assert min(abs(trace[tap] - state).max() for tap in taps) <= 1e-5 * max(abs(state).max(), 1), taps
    logits = own.logits[0].numpy()
    assert abs(trace["generator.logits"] - logits).max() <= 1e-5 * abs(logits).max()
    if not trace.card.has("decoder") or name in READ_OTHERWISE:
        return
    lens, p = trace.lens(), torch.tensor(logits).softmax(-1).numpy()
    np.testing.assert_allclose(lens.probabilities[-1], np.take_along_axis(p, lens.ids[-1], -1), atol=1e-5)
    readers = trace.experiments["readers"]
    for position in (0, len(trace.tokens.target) - 1):
        parts = trace.why(position)
        assert parts.exact and abs(parts.remainder) <= 1e-4
        for place, part in enumerate(parts.parts):
            if part.kind != "head" or f"{part.block}.value" not in trace:
                continue
            by_key = parts.inside(f"decoder.{part.attention}", part.layer, part.head)
            assert by_key.values.sum() == pytest.approx(parts.values[place], abs=1e-5)
            for which in ("query", "key", "value"):
                if isinstance(readers, ReadingWeights) and part.block in readers.matrices(which):
                    assert by_key.inside(0, which, 1).exact  # type: ignore[union-attr, arg-type]  # a head's, and a Which


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")  # MiniMax makes one.
@pytest.mark.parametrize("name", sweep(NO_SUM, telling=["doge", "prophetnet"]))
def test_a_family_without_such_a_sum_opens_with_its_attention(name: str, folder: Folder) -> None:
    """Its logits are the model's own and the rows of its attention sum to 1; no stream is made up, and a sentence says why."""
    trace = traced(folder, name)
    own = own_pass(name, trace)
    assert abs(trace["generator.logits"] - own.logits[0].numpy()).max() <= 1e-5 * abs(own.logits).max()
    recorded = [found for found in trace.names() if found.endswith("_attn.weights")]
    for found in recorded:
        np.testing.assert_allclose(trace[found].sum(axis=-1), 1, atol=1e-5)
    assert recorded and not any("residual" in found for found in trace.names())
    assert trace.card.absent["residual2"] == "absent.unknown_family"


@pytest.mark.parametrize("name", READ_OTHERWISE)
@pytest.mark.parametrize("ask", [explorer.lens, explorer.attribute])
def test_what_cannot_be_read_off_the_stream_says_why(name: str, ask: Callable[..., Any], folder: Folder) -> None:
    """The lens and the attribution of a model that reads its last stream in another way name that as the reason."""
    with pytest.raises(LacksTap) as refused:
        ask(TEXT, preset=folder(name))
    assert refused.value.values["why"] == "absent.reads_otherwise"


@pytest.mark.parametrize("name", sweep(TELLING, telling=["olmo2", "qwen3_5", "deepseek_v3", "modernbert"]))
def test_experiments_and_pictures_are_those_of_any_other_model(name: str, folder: Folder) -> None:
    """A pass with the part off makes each effect; patching, saliency and steering are made; river and layers are drawn."""
    path, trace = folder(name), traced(folder, name)
    side = trace.card.sides[-1]
    target = {"target": "the dog"} if len(trace.card.sides) == 2 else {}
    found = explorer.ablate(TEXT, preset=path, **target)
    tap = f"{side.name}.layers.1.feed_forward.output"
    off = explorer.explore(TEXT, preset=path, changes=[explorer.Change(tap, "scale", value=0.0)], **target)
    rows, ids = range(len(found.word_ids)), list(found.word_ids)
    before, after = (np.log(each["generator.probabilities"][rows, ids]) for each in (trace, off))
    np.testing.assert_allclose(found.feed_forwards[-1, 1], after - before, atol=1e-4)
    patched = explorer.patching(TEXT, "the dog and the fox 我", preset=path, **target)
    assert {made.kind for made in patched.maps} == {"stream", "head", "feed_forward"}
    saliency = explorer.saliency(TEXT, preset=path, **target)
    np.testing.assert_allclose(
        sum(made.sum(axis=-1) for made in saliency.integrated.values()) - saliency.errors,
        saliency.log_p - saliency.baseline_log_p,
        atol=1e-3,
    )
    vector = explorer.steering(["the fox", "a fox"], ["the dog", "a dog"], f"{side.name}.layers.0.residual2", preset=path)
    assert np.isfinite(vector).all() and vector.any()
    words = Words.load("en")
    for layer in range(side.n_layers):
        look = attrs.evolve(Look(), side=side.name, layer=layer).fitted(trace)
        assert kind_of(stream(trace, look, words)).describe(stream(trace, look, words), words)
    made = river(trace, Look().fitted(trace), words)
    assert kind_of(made).describe(made, words)


POSITIONS = {
    "gpt2": "learned",
    "llama": "rotary",
    "t5": "relative-bias",
    "bloom": "alibi",
    "falcon in turn": "alibi",
    "m2m_100": "sinusoidal-halves",
    "marian": "sinusoidal-halves",
}


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_are_called_by_their_name(name: str, folder: Folder) -> None:
    """Those of a table and rotary ones are seen in a pass; others have their name by the family."""
    assert traced(folder, name).card.position == POSITIONS[name]


def test_a_layer_that_gives_out_no_sum_is_not_taken_for_one() -> None:
    """Here each layer's output is stretched a little: then there are the taps of attention and output alone."""
    model = fresh("llama")
    model.model.layers[1].register_forward_hook(lambda _layer, _given, out: out * 1.01)
    found = with_taps(model, "llama")
    assert found.agrees and found.foreign.streams is None
    card = card_of(found, "x")
    assert card.why_absent("decoder.layers.0.residual1") == "absent.unknown_family"
    assert not card.why_absent("decoder.layers.0.self_attn.weights")


def test_a_norm_in_a_place_of_its_own_does_not_make_another_stream() -> None:
    """Nor does a dropout between a block and its addition, or a block inside of a block."""

    class Wrapped(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner, self.dropout = inner, nn.Dropout(0.5)

        def forward(self, *args: Any, **given: Any) -> Any:
            return self.dropout(self.inner(*args, **given))

    model = fresh("llama")
    for layer in model.model.layers:
        layer.mlp = Wrapped(layer.mlp)
    found = with_taps(model, "llama").foreign.block("decoder.layers.1.feed_forward")
    assert found is not None and (found.output, found.gate) == ("mlp.inner.down_proj", "mlp.inner.gate_proj")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tap_that_such_a_model_lacks_has_a_true_reason(language: str, folder: Folder) -> None:
    """OLMo 2 has no norm in front of a block, DeepSeek chooses its experts by a rule of its own."""
    words = Words.load(language)
    for name, tap, reason in (
        ("olmo2", "decoder.layers.0.norm1", "no_norm_before"),
        ("deepseek_v3", "decoder.layers.1.feed_forward.routing", "chosen_otherwise"),
        ("phi3", "decoder.layers.0.feed_forward.routing", "no_experts"),
        ("qwen3_5", "decoder.layers.0.feed_forward.routing", "no_experts"),
        ("cohere", "decoder.layers.0.residual1", "parallel"),
    ):
        card = traced(folder, name).card
        assert card.why_absent(tap) == f"absent.{reason}"
        assert words(f"absent.{reason}").rstrip(".。") in lacking(card, tap, words)


@pytest.mark.parametrize("name", sweep(NAMES, telling=["phi3", "xglm", "umt5", "albert of groups"]))
def test_each_ablation_is_that_of_a_hook_of_torch(name: str, folder: Folder) -> None:
    """A hook on the network, and one on what W_O reads of a head, in a loop."""
    trace, model = traced(folder, name), fresh(name)
    side = trace.card.sides[-1]
    target = {"target": "the dog"} if len(trace.card.sides) == 2 else {}
    model.set_attn_implementation("eager")
    found = explorer.ablate(TEXT, preset=folder(name), **target)
    before = _own_log_p(model, trace, found)
    streams = opened(name).foreign.streams
    assert streams is not None
    paths, layer = streams.sides[side.name], 1
    for block in paths.each[layer].blocks:
        module, time = own_module(model, f"{paths.layers}.{layer}.{block.output}")
        if block.kind == "feed_forward":
            zeroed = at_time(time, _zeroed)
            hook = module.register_forward_hook(lambda _module, _args, output, zeroed=zeroed: zeroed(output))
            expected = found.feed_forwards[[each.name for each in trace.card.sides].index(side.name), layer]
        elif block.kind == "self_attn" and block.is_matrix and not block.gated:
            without = at_time(time, lambda joined: _without_head(joined, side.n_heads))
            hook = module.register_forward_pre_hook(lambda _module, args, without=without: without(args[0]))
            expected = found.heads[found.attentions.index(f"{side.name}.self_attn"), layer, 1]
        else:
            continue
        np.testing.assert_allclose(expected, _own_log_p(model, trace, found) - before, atol=1e-4)
        hook.remove()


def _zeroed(output: Any) -> Any:
    return (torch.zeros_like(output[0]), *output[1:]) if isinstance(output, tuple) else torch.zeros_like(output)


def _without_head(joined: Any, n_heads: int) -> Any:
    """[…, head · feature] with the features of head 1 at zero."""
    heads = joined.clone().unflatten(-1, (n_heads, -1))
    heads[..., 1, :] = 0
    return heads.flatten(-2)


def _own_log_p(model: Any, trace: Trace, found: Any) -> Any:
    """[word] the log-probability of each word by the model itself."""
    ids = [torch.tensor([[token.id for token in row]]) for row in (trace.tokens.source, trace.tokens.target) if row]
    both = {"decoder_input_ids": ids[1]} if len(ids) == 2 else {}
    with torch.inference_mode():
        log_p = model(input_ids=ids[0], use_cache=False, **both).logits[0].log_softmax(dim=-1)
    return log_p[range(len(found.word_ids)), list(found.word_ids)].numpy()


@pytest.mark.parametrize("name", sweep(NAMES, telling=["phi3", "xglm"]))
def test_the_continuation_is_the_models_own(name: str, folder: Folder) -> None:
    """Four tokens, each the likeliest of a whole pass of the model over all before it."""
    trace = traced(folder, name)
    if trace.card.has("encoder"):
        pytest.skip("It is no language model.")
    ids = [token.id for token in trace.tokens.target if not token.special or token.start == 0][:-1]
    model = fresh(name)
    model.set_attn_implementation("eager")
    found = explorer.generate(TEXT, preset=folder(name), tokens=4)
    written = [each.id for each in found.tokens]
    assert len(written) == 4 or found.ended
    for number in written:
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([[*ids]]), use_cache=False).logits[0, -1]
        assert logits[number] >= logits.max() - 1e-5 * logits.abs().max()
        ids.append(number)
