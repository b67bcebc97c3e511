"""What each layer of somebody's model would say, and its logits in parts: against the model's own modules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import explorer
from explorer import Change
from explorer.errors import LacksTap, NoFittedLens, NoSuchPart, NoWrittenWords
from explorer.foreign import weights as weights_file
from explorer.foreign.stream_map import LogitReading
from explorer.trace.found.findings import NotMade
from explorer.trace.found.reading import ByKey, ByUnit, products, reading
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace
from tests.foreign.models import NO_STREAM, STREAM_BY_SOFTMAX, WHOLE, families, fresh, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
DECODERS = (*(name for name in WHOLE if "bert" not in name and "electra" not in name), *STREAM_BY_SOFTMAX)
PRE = tuple(name for name in DECODERS if name not in ("marian", "bart"))
BOTH = ("t5", "t5 gated", "mt5", "marian", "bart", "mbart", "m2m_100", "pegasus")
PARALLEL = ("gpt_neox", "phi", "gptj", "falcon", "falcon of two norms")
Folder = Callable[[str], Path]


def explored(folder: Folder, name: str, *experiments: str, **given: Any) -> Trace:
    target = {"target": "the dog"} if name in BOTH else {}
    return explorer.explore(TEXT, preset=folder(name), experiments=experiments, **target, **given)


def own_states(name: str, trace: Trace) -> tuple[Any, tuple[Tensor, ...]]:
    """The model, and its own hidden states [batch 1, position, feature] of the decoder after the embedding and each layer."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    source, target = (torch.tensor([[token.id for token in row]]) for row in (trace.tokens.source, trace.tokens.target))
    both = {"input_ids": source, "decoder_input_ids": target} if trace.tokens.source else {"input_ids": target}
    with torch.inference_mode():
        out = model(**both, output_hidden_states=True, use_cache=False)
    return model, out.get("decoder_hidden_states") or out["hidden_states"]


def final_norm(model: Any) -> Any:
    """The module behind the last layer, by the names that these families give it."""
    base = model.base_model
    homes = (base, getattr(base, "decoder", base))
    names = ("ln_f", "norm", "final_layer_norm", "final_layernorm", "layer_norm")
    return next(getattr(home, name) for home in homes for name in names if hasattr(home, name))


def said(name: str, model: Any, z: Tensor) -> Any:
    """[position, vocab] probabilities of the output layer, written out for each kind of family."""
    if name in ("t5", "t5 gated", "mt5") and getattr(model.config, "scale_decoder_outputs", False):
        z = z * model.config.d_model**-0.5
    logits = model.get_output_embeddings()(z)
    if name == "gemma2":
        logits = 30 * torch.tanh(logits / 30)
    if hasattr(model, "final_logits_bias"):
        logits = logits + model.final_logits_bias
    return logits[0].softmax(-1).numpy()


@pytest.mark.parametrize("name", families(DECODERS))
def test_the_last_row_of_the_lens_is_the_output(name: str, folder: Folder) -> None:
    """To the last bits, at every position."""
    trace = explored(folder, name, "lens")
    lens = trace.lens()
    top = np.take_along_axis(trace["generator.probabilities"], lens.ids[-1], axis=-1)

    np.testing.assert_allclose(lens.probabilities[-1], top, atol=1e-5)
    assert (lens.ids[-1][:, 0] == trace["generator.probabilities"].argmax(-1)).all()
    assert len(lens.taps) == 1 + 2 * (3 if name in BOTH else 1 if trace.card.parallel else 2)
    assert trace.card.parallel == (name in PARALLEL)


@pytest.mark.parametrize("name", families(PRE))
def test_every_layer_is_read_through_the_final_norm_and_the_output(name: str, folder: Folder) -> None:
    """Of the model's own hidden states, by its own modules."""
    trace = explored(folder, name, "lens")
    lens = trace.lens()
    model, states = own_states(name, trace)
    last = 3 if name in BOTH else 2
    rows = {"decoder.embedding.output": 0} | {f"decoder.layers.{n}.residual{last}": n + 1 for n in range(1)}
    for tap, number in rows.items():
        row = lens.taps.index(tap)
        with torch.inference_mode():
            expected = said(name, model, final_norm(model)(states[number]))
        np.testing.assert_allclose(lens.probabilities[row], np.take_along_axis(expected, lens.ids[row], -1), atol=1e-5)
        np.testing.assert_allclose(lens.written_p[row], expected[range(len(lens.written)), list(lens.written)], atol=1e-5)


@pytest.mark.parametrize("name", ["marian", "bart"])
def test_a_norm_behind_each_addition_reads_its_own_stream(name: str, folder: Folder) -> None:
    """Its output is the model's own hidden state, and the output layer reads that."""
    trace = explored(folder, name, "lens")
    lens = trace.lens()
    model, states = own_states(name, trace)
    row = lens.taps.index("decoder.layers.0.residual3")
    with torch.inference_mode():
        expected = said(name, model, states[1])
    np.testing.assert_allclose(lens.probabilities[row], np.take_along_axis(expected, lens.ids[row], -1), atol=1e-5)


def test_a_softcap_is_part_of_the_reading() -> None:
    """logits = c·tanh(W·z / c): without it the last row would not be the output."""
    model = fresh("gemma2")
    _tap, read = next(weights_file.stream_readings(opened("gemma2").foreign))
    stream = torch.randn(3, 32)
    with torch.inference_mode():
        expected = 30 * torch.tanh(model.lm_head(model.model.norm(stream)) / 30)
    assert abs(read(stream) - expected).max() <= 1e-5


@pytest.mark.parametrize("name", families(DECODERS))
def test_the_parts_of_a_logit_sum_to_it(name: str, folder: Folder) -> None:
    """At every position, for the likeliest rivals and for others, with all biases."""
    trace = explored(folder, name, "why")
    for position in range(len(trace.tokens.target)):
        for rival in (None, 7):
            parts = trace.why(position, rival)
            assert abs(parts.remainder) <= 1e-4
            assert abs(np.array(parts.logits) - parts.shares.sum(1)).max() <= 1e-4
            assert parts.exact
    assert sum(part.kind == "head" for part in parts.parts) == 4 * 2 * (2 if name in BOTH else 1)
    assert abs(parts.values).max() > 0.01
    without_bias = trace.card.norm_kind == "rms"
    assert any(part.kind == "norm_bias" for part in parts.parts) != without_bias


@pytest.mark.parametrize("name", families(["gpt2", "llama", "qwen3", "gemma", "t5", "mbart"]))
def test_the_part_of_a_head_is_what_its_own_modules_make_of_it(name: str, folder: Folder) -> None:
    """Its slice through W_O, the final norm's γ/σ and the rows of the output, one after the other."""
    trace = explored(folder, name, "why")
    parts = trace.why(2)
    model, _states = own_states(name, trace)
    head, last = 3, "residual3" if name in BOTH else "residual2"
    attention = "cross_attn" if name in BOTH else "self_attn"
    mixed = torch.tensor(trace[f"decoder.layers.1.{attention}.mixed"][head, 2])
    base = model.base_model
    outputs = {
        "gpt2": lambda: base.h[1].attn.c_proj.weight.T,
        "t5": lambda: base.decoder.block[1].layer[1].EncDecAttention.o.weight,
        "mbart": lambda: base.decoder.layers[1].encoder_attn.out_proj.weight,
    }
    w_o = outputs[name]() if name in outputs else base.layers[1].self_attn.o_proj.weight
    added = w_o[:, 8 * head : 8 * head + 8] @ mixed  # [feature]
    x, norm = torch.tensor(trace[f"decoder.layers.1.{last}"][2]), final_norm(model)
    if isinstance(norm, torch.nn.LayerNorm):
        made = norm.weight * (added - added.mean()) / (x.var(unbiased=False) + norm.eps).sqrt()
    else:
        eps = getattr(norm, "variance_epsilon", getattr(norm, "eps", None))
        gain = 1 + norm.weight if name == "gemma" else norm.weight
        made = gain * added / (x.pow(2).mean() + eps).sqrt()
    made = made * (32**-0.5 if name == "t5" else 1)
    expected = model.lm_head.weight[[parts.word, parts.rival]] @ made
    place = parts.index(f"decoder.{attention}", 1, head)
    assert place is not None

    np.testing.assert_allclose(parts.shares[:, place], expected.detach().numpy(), atol=1e-5)


@pytest.mark.parametrize("name", families(DECODERS))
def test_heads_open_by_key_and_networks_by_unit(name: str, folder: Folder) -> None:
    """Each opens into a sum that is the part; grouped heads share their values, and gated networks what W2 reads."""
    trace = explored(folder, name, "why", "readers")
    parts = trace.why(2)
    for number, part in enumerate(parts.parts):
        if not part.block:
            continue
        if part.kind == "feed_forward" and f"{part.block}.routing" in trace:  # Several experts have no units in common.
            with pytest.raises(NoSuchPart):
                parts.inside("decoder.feed_forward", part.layer)
            continue
        if part.kind == "head" and name in STREAM_BY_SOFTMAX:  # What it has mixed is seen, but none of its values.
            with pytest.raises(LacksTap):
                parts.inside(f"decoder.{part.block.rpartition('.')[2]}", part.layer, part.head)
            continue
        found = parts.inside(f"decoder.{part.block.rpartition('.')[2]}", part.layer, part.head)
        assert isinstance(found, ByKey | ByUnit)
        assert found.values.sum() == pytest.approx(parts.values[number], abs=1e-4)


@pytest.mark.parametrize("name", families(WHOLE))
def test_every_number_of_q_k_and_v_goes_back_to_the_embedding(name: str, folder: Folder) -> None:
    """Under rotary positions it is the number after the turn; norms of single heads are held as those of the stream are."""
    trace = explored(folder, name, "readers")
    for attention in trace.card.attentions:
        for layer, head, which in ((0, 0, "query"), (1, 3, "query"), (0, 3, "key"), (1, 2, "key"), (1, 3, "value")):
            cell = Cell(attention, layer, head, 2, 1)
            for feature in (0, 5):
                found = reading(trace, cell, which, feature)
                tap = cell.tap(which)
                row = 2 if which == "query" else 1
                assert found.recorded == trace[tap][trace.card.head_in(tap, head), row, feature]
                assert found.exact, (attention, layer, which, found.remainder)
    assert any(abs(value) > 0.01 for value in found.values)


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5"])
def test_the_products_of_a_cell_sum_to_its_score(name: str, folder: Folder) -> None:
    """Q·K feature by feature, after the turn where positions are rotary."""
    trace = explored(folder, name, "why", "readers")
    cell = Cell("decoder.self_attn", 1, 3, 2, 1)
    assert products(trace, cell).sum() == pytest.approx(trace[cell.tap("scores")][3, 2, 1], abs=1e-4)
    by_key = trace.why(2).inside("decoder.self_attn", 1, 3)
    assert isinstance(by_key, ByKey)
    whole = by_key.inside(1, "query")
    assert whole.recorded == pytest.approx(trace[cell.tap("scores")][3, 2, 1], abs=1e-4)
    assert whole.exact


def test_a_change_inside_shows_as_a_remainder(folder: Folder) -> None:
    """The sum is one of an unchanged pass: where something was put in, it does not hold."""
    change = Change("decoder.layers.1.residual2", "add", value=0.5, rows=[2], columns=[1, 4])
    trace = explored(folder, "llama", "why", changes=[change])
    assert not trace.why(2).exact
    assert trace.why(1).exact


@pytest.mark.parametrize("name", NO_STREAM)
def test_a_model_whose_stream_is_not_found_says_so(name: str, folder: Folder) -> None:
    """Neither lens nor parts; the sentence names the tap, and the pass is there."""
    trace = explored(folder, name, "why", "lens", "costs", "readers")
    assert all(isinstance(trace.experiments[each], NotMade) for each in ("why", "lens", "costs", "readers"))
    reasons = {"residual2": "absent.unknown_family", "self_attn.mixed": "absent.softmax_alone"}
    for asked, tap in ((trace.lens, "residual2"), (trace.why, "self_attn.mixed")):
        with pytest.raises(LacksTap) as caught:
            asked()
        assert (caught.value.values["tap"], caught.value.values["why"]) == (tap, reasons[tap])


def test_an_output_that_is_read_otherwise_is_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here, by another scale than the model's."""
    monkeypatch.setattr(weights_file, "_reading", lambda _foreign: LogitReading())
    with pytest.raises(LacksTap) as caught:
        explorer.lens(f"{TEXT} 天", target="the dog", preset=folder("t5"))  # A text of which no lens is kept.
    assert caught.value.values["why"] == "absent.reads_otherwise"


def test_a_model_that_writes_nothing_says_so(folder: Folder) -> None:
    """An encoder has no written words, and nobody has fitted a lens for a model from a folder."""
    with pytest.raises(NoWrittenWords):
        explorer.lens(TEXT, preset=folder("bert"))
    with pytest.raises(NoWrittenWords):
        explorer.attribute(TEXT, preset=folder("bert"))
    with pytest.raises(NoFittedLens):
        explorer.lens(TEXT, preset=folder("gpt2"), jacobian=True)


@pytest.mark.parametrize("name", ["gpt2", "marian"])
def test_the_largest_parts_are_switched_off_for_their_costs(name: str, folder: Folder) -> None:
    """Each cost is that of a pass with this one part switched off."""
    trace = explored(folder, name, "why", "costs")
    costs = trace.experiments["costs"]
    words = [costs.word, costs.rival]
    before = np.log(trace["generator.probabilities"][costs.position, words])
    for part, effects in zip(costs.parts, costs.effects, strict=True):
        change = Change(part.tap, "scale", head=part.head if part.kind == "head" else None, value=0.0)
        after = explored(folder, name, changes=[change])
        np.testing.assert_allclose(effects, np.log(after["generator.probabilities"][costs.position, words]) - before, atol=1e-4)


def test_an_account_keeps_the_weights_that_it_was_made_with() -> None:
    """An adapter changes weights in place: the copy of a weight is made anew then, and only then."""
    found = opened("llama").foreign
    before = weights_file.output_weights(found)
    block = "decoder.layers.0.self_attn"
    weight = found.model.base_model.layers[0].self_attn.o_proj.weight
    same = weights_file.output_weights(found).projections[block].weight
    assert same is before.projections[block].weight
    own = weight.detach().clone()
    try:
        with torch.no_grad():
            weight.add_(1.0)
        after = weights_file.output_weights(found).projections[block].weight
        np.testing.assert_allclose(after, own.numpy() + 1, atol=1e-6)
        np.testing.assert_array_equal(before.projections[block].weight, own.numpy())
    finally:
        with torch.no_grad():
            weight.copy_(own)
