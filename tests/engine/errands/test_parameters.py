"""The parameters of models and the circuits of their heads, against torch's own tensors, layers and recorded passes."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import explorer
from explorer.engine.errands.parameters import named, numbers_of, parameters_of
from explorer.errors import UnknownHead, UnknownParameter
from explorer.foreign import thin
from explorer.foreign.card import card_of
from explorer.foreign.opening import Opened
from explorer.mathematics import Numbers
from explorer.model.attention import Attention
from explorer.trace.found.parameters import ParameterList
from tests.foreign.models import WHOLE, families, opened_anew, write_model
from tests.foreign.test_thin import n_lent, opened

slow = pytest.mark.slow  # To import transformers takes seconds.
READERS = (("q_proj", "k_proj", "v_proj"), ("query", "key", "value"), ("q", "k", "v"), ("q_lin", "k_lin", "v_lin"))
WITH_HEAD_NORMS = ("qwen3", "qwen3_moe")


def biased(attention: Attention) -> None:
    """Give an attention biases that are far from zero."""
    with torch.no_grad():
        for each in (attention.project_query, attention.project_key, attention.project_value, attention.project_output):
            each.bias.normal_()


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_the_circuits_of_a_head_make_its_scores_and_its_output(architecture: str) -> None:
    """In float64, with what is left out of them: x·C·y + x·W_Q·b_K + b_Q·W_K·y + b_Q·b_K, and Σ a·y·C + b_V·W_O + b_O."""
    model = explorer.load_model("tiny", architecture=architecture)
    reads: dict[tuple[str, str], Numbers] = {}
    for name, module in model.named_modules():
        if isinstance(module, Attention):
            biased(module)
            for part in ("query", "key", "value"):
                module.get_submodule(f"project_{part}").register_forward_pre_hook(
                    lambda _module, args, place=(name, part): reads.__setitem__(place, args[0][0].double().numpy())
                )
    trace = explorer.explore("我爱北京天安门", model=model)
    circuits = explorer.parameters(model=model)
    assert len(circuits.circuits) == 2 * sum(isinstance(module, Attention) for module in model.modules())

    for block in {name.rpartition(".")[0] for name in circuits.circuits}:
        attention = model.get_submodule(block)
        assert isinstance(attention, Attention)
        qk, ov = (circuits[f"{block}.{kind}"].astype(np.float64) for kind in ("qk_circuit", "ov_circuit"))
        n_heads, x, y = len(qk), reads[block, "query"], reads[block, "key"]
        q, k, v, o = (
            double(each)
            for each in (attention.project_query, attention.project_key, attention.project_value, attention.project_output)
        )
        without = np.einsum("qd,hde,ke->hqk", x, qk, y)
        b_q, b_k = (each.reshape(n_heads, -1) for each in (q[1], k[1]))
        w_q, w_k = (each.reshape(len(each), n_heads, -1) for each in (q[0], k[0]))
        of_key = np.einsum("qd,dhf,hf->hq", x, w_q, b_k)[:, :, None]
        of_query = np.einsum("kd,dhf,hf->hk", y, w_k, b_q)[:, None, :]
        both = (b_q * b_k).sum(axis=1)[:, None, None]
        np.testing.assert_allclose(without + of_key + of_query + both, trace[f"{block}.scores"], atol=1e-3, rtol=1e-5)
        written = np.einsum("hqk,kd,hde->qe", trace[f"{block}.weights"].astype(np.float64), reads[block, "value"], ov)
        np.testing.assert_allclose(written + v[1] @ o[0] + o[1], trace[f"{block}.output"], atol=1e-4, rtol=1e-5)


def double(linear: nn.Module) -> tuple[Numbers, Numbers]:
    """[in, out] the matrix of a layer, and its bias, in float64: what it makes of unit vectors and of zero."""
    alone = copy.deepcopy(linear).double()
    alone._forward_hooks.clear()
    alone._forward_pre_hooks.clear()
    weight = alone.get_parameter("weight")
    n = weight.shape[1] if isinstance(alone, nn.Linear) else weight.shape[0]
    with torch.no_grad():
        zero = alone(torch.zeros(1, n, dtype=torch.float64))
        return (alone(torch.eye(n, dtype=torch.float64)) - zero).numpy(), zero[0].numpy()


def listed(found: Opened) -> ParameterList:
    return parameters_of(found.foreign, card_of(found, "a"))


def by_its_layers(found: Opened, block: str) -> tuple[Numbers, Numbers]:
    """[head, …, …] both circuits of an attention, from what its layers make of unit vectors."""
    attention, side = found.foreign.attentions[block], card_of(found, "a").side(block)
    parts = dict(attention.named_children())
    n, n_shared = side.n_heads, side.n_kv_heads
    if "c_attn" in parts:
        q, k, v = (each.reshape(len(each), n, -1) for each in np.split(double(parts["c_attn"])[0], 3, axis=1))
    elif "query_key_value" in parts:
        made = double(parts["query_key_value"])[0]
        q, k, v = np.moveaxis(made.reshape(len(made), n, 3, -1), 2, 0)
    else:
        names = next(each for each in READERS if each[0] in parts)
        q, k, v = (double(parts[name])[0] for name in names)
        q = q.reshape(len(q), n, -1)
        k, v = (np.repeat(each.reshape(len(each), n_shared, -1), n // n_shared, axis=1) for each in (k, v))
    outs = ("c_proj", "o_proj", "out_proj", "o", "out_lin", "dense")
    out = next((parts[name] for name in outs if name in parts), None)
    if out is None:  # BERT's stands beside the attention.
        around = next(each for each in found.foreign.model.modules() if getattr(each, "self", None) is attention)
        out = around.get_submodule("output.dense")
    o = double(out)[0].reshape(n, v.shape[2], -1)
    return np.einsum("dhf,ehf->hde", q, k), np.einsum("dhf,hfe->hde", v, o)


@slow
@pytest.mark.parametrize("name", families(WHOLE))
def test_a_foreign_model_has_all_its_parameters_and_circuits(name: str) -> None:
    """Bit for bit torch's own; circuits to rounding those of the layers as they run, also where heads share keys."""
    found = opened_anew(name)
    card, parameters, own = card_of(found, "a"), listed(found), found.foreign.model
    assert [each.name for each in parameters.of("parameters")] == [key for key, _ in own.named_parameters()]
    for each in parameters.of("parameters"):
        assert np.array_equal(numbers_of(found.foreign, card, each), own.get_parameter(each.name).detach().numpy())
    for each in parameters.of("circuits"):
        block, _, kind = each.name.rpartition(".")
        wanted = by_its_layers(found, block)[kind == "ov_circuit"]
        np.testing.assert_allclose(numbers_of(found.foreign, card, each), wanted, atol=1e-6 * abs(wanted).max())
    per_attention = 1 if name in WITH_HEAD_NORMS else 2
    assert len(parameters.of("circuits")) == per_attention * len(found.foreign.attentions)
    assert parameters.without == ("parameters.no_qk" if name in WITH_HEAD_NORMS else "")


@slow
@pytest.mark.parametrize("name", ["bloom"])
def test_where_the_weights_of_attention_are_unknown_there_are_no_circuits(name: str) -> None:
    """With a sentence that says so; the parameters are all there."""
    found = opened_anew(name)
    parameters = listed(found)
    assert parameters.without == "parameters.no_circuits" and not parameters.of("circuits")
    assert sum(each.size for each in parameters.parameters) == sum(each.numel() for each in found.foreign.model.parameters())


@slow
@pytest.mark.parametrize("held", ["streamed", "bfloat16"])
@pytest.mark.parametrize("name", ["gpt2", "llama", "mixtral"])
def test_weights_that_are_lent_are_read_where_they_lie(
    name: str, held: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From files, or from memory of half the width: the numbers of a model that holds them, matrix by matrix."""
    monkeypatch.setattr(thin, "SMALL", 64)
    folder = write_model(tmp_path / name, name)
    path = folder / "model.safetensors"
    save_file({key: each.bfloat16().float() for key, each in load_file(path).items()}, path, {"format": "pt"})
    whole, lent = opened(folder, "float32"), opened(folder, held)
    card = card_of(whole, "a")
    assert n_lent(lent) > 0
    first, other = listed(whole), listed(lent)
    assert [(each.name, each.shape, each.tied) for each in first.parameters] == [
        (each.name, each.shape, each.tied) for each in other.parameters
    ]
    for each in other.parameters:
        for number in range(each.n_matrices):
            read = numbers_of(lent.foreign, card, each, number)
            np.testing.assert_allclose(read, numbers_of(whole.foreign, card, named(first, each.name), number), rtol=1e-6)


def test_tied_weights_are_listed_once_under_all_their_names() -> None:
    """The output layer of a model with tied embeddings is found by its own name too."""
    model = explorer.load_model("tiny", architecture="decoder-only", tied_embeddings=True)
    parameters = explorer.parameters(model=model)
    assert "generator.project.weight" not in list(parameters)
    assert "generator.project.weight" in parameters
    assert np.array_equal(parameters["generator.project.weight"], parameters["decoder.embedding.look_up.weight"])


def test_a_name_or_head_that_is_not_there_is_refused() -> None:
    """With the closest name, and the last head."""
    parameters = explorer.parameters("tiny")
    with pytest.raises(UnknownParameter) as refused:
        parameters["encoder.layers.0.self_attn.qk"]
    assert refused.value.values["nearest"] == "encoder.layers.0.self_attn.qk_circuit"
    with pytest.raises(UnknownHead):
        parameters.circuit("encoder.layers.0.self_attn.qk_circuit", 4)
    assert parameters.get("nothing") is None
