"""Every recorded number again, in float64 and NumPy, from the numbers recorded before it."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.engine.recording.recorder import Recording
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.presets import load_preset
from tests.trace.runs import recorded, small

Wide = NDArray[np.float64]
ATTENTIONS = ("encoder.layers.1.self_attn", "decoder.layers.0.self_attn", "decoder.layers.1.cross_attn")


def assert_close(actual: Wide, expected: Wide) -> None:
    """To 1e-5 of the largest number; infinities must agree."""
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    np.testing.assert_allclose(actual, expected, atol=1e-5 * size, rtol=0)


def wide(recording: Recording, name: str) -> Wide:
    return recording.arrays[name].astype(np.float64)


def softmax(x: Wide) -> Wide:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def linear(model: Transformer, path: str, x: Wide) -> Wide:
    """x W + b with the model's own W and b."""
    layer = model.get_submodule(path)
    result = x @ layer.weight.double().numpy().T
    return result if layer.bias is None else result + layer.bias.double().numpy()


def normalized(x: Wide) -> Wide:
    """(x - μ)/√(σ² + eps); fresh weights have γ = 1 and β = 0."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def test_the_comparison_can_fail() -> None:
    """One part in ten thousand is too much, and so is a missing infinity."""
    with pytest.raises(AssertionError):
        assert_close(np.array([1.0001, 0]), np.array([1.0, 0]))
    with pytest.raises(AssertionError):
        assert_close(np.array([1.0, 0]), np.array([1.0, -np.inf]))


@pytest.mark.parametrize("knobs", [{}, {"temperature": 2.5, "mask_value": "-1e9"}, {"causal_mask_cross": True}])
@pytest.mark.parametrize("path", ATTENTIONS)
def test_an_attention_follows_from_its_queries_keys_and_values(path: str, knobs: dict[str, object]) -> None:
    """scores = Q·Kᵀ, scaled = /√d_head/T, masked, softmax, dropped, ·V, each from what was recorded before it."""
    config = small(**knobs)
    run = recorded(config)
    scores = wide(run, f"{path}.query") @ wide(run, f"{path}.key").swapaxes(-1, -2)
    scaled = wide(run, f"{path}.scores") / (math.sqrt(6) * config.temperature)
    causal = {"encoder": False, "decoder": True}[path[:7]] if "cross" not in path else config.causal_mask_cross
    open_ = np.tri(*scaled.shape[-2:], dtype=bool) if causal else np.ones(scaled.shape[-2:], dtype=bool)

    assert_close(wide(run, f"{path}.scores"), scores)
    assert_close(wide(run, f"{path}.scaled"), scaled)
    masked = np.where(open_, wide(run, f"{path}.scaled"), {"-inf": -np.inf, "-1e9": -1e9}[config.mask_value])
    np.testing.assert_array_equal(wide(run, f"{path}.masked"), masked)
    assert_close(wide(run, f"{path}.weights"), softmax(wide(run, f"{path}.masked")))
    assert (wide(run, f"{path}.weights")[:, ~open_] == 0).all()
    np.testing.assert_array_equal(wide(run, f"{path}.dropped"), wide(run, f"{path}.weights"))
    assert_close(wide(run, f"{path}.mixed"), wide(run, f"{path}.dropped") @ wide(run, f"{path}.value"))


@pytest.mark.parametrize("path", ATTENTIONS)
def test_the_output_is_the_joined_heads_through_w_o(path: str) -> None:
    """concat(head 0 … head 3)·W_O."""
    config = small()
    run = recorded(config)
    joined = np.concatenate(list(wide(run, f"{path}.mixed")), axis=-1)  # [query, feature]

    assert_close(wide(run, f"{path}.output"), linear(build(config), f"{path}.project_output", joined))


def test_queries_come_from_the_target_and_keys_from_the_source() -> None:
    """Q = norm(x)·W_Q of the decoder's stream, K and V of the encoder's output."""
    config = small()
    run, model = recorded(config), build(config)
    path = "decoder.layers.1.cross_attn"

    for name, given in (("query", "decoder.layers.1.norm2"), ("key", "encoder.norm"), ("value", "encoder.norm")):
        flat = linear(model, f"{path}.project_{name}", wide(run, given))
        heads = np.stack(np.split(flat, 4, axis=-1))  # [head, position, feature]
        assert_close(wide(run, f"{path}.{name}"), heads)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_feed_forward_follows_from_its_norm(activation: str) -> None:
    """hidden = x·W₁ + b₁, activated = f(hidden), output = activated·W₂ + b₂; GELU is x·Φ(x)."""
    config = small(activation=activation)
    run, model = recorded(config), build(config)
    path = "encoder.layers.0.feed_forward"
    hidden = wide(run, f"{path}.hidden")
    gelu = hidden * np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))(hidden)

    assert_close(hidden, linear(model, f"{path}.expand", wide(run, "encoder.layers.0.norm2")))
    assert_close(wide(run, f"{path}.activated"), np.maximum(hidden, 0) if activation == "relu" else gelu)
    assert_close(wide(run, f"{path}.output"), linear(model, f"{path}.contract", wide(run, f"{path}.activated")))


def test_the_stream_of_pre_norm_adds_up() -> None:
    """Each residual is the one before plus the sublayer's output; each norm is of the stream before its sublayer."""
    run = recorded(small())
    stream = wide(run, "decoder.embedding.output")
    for layer in ("decoder.layers.0", "decoder.layers.1"):
        for number, sublayer in enumerate(("self_attn", "cross_attn", "feed_forward"), start=1):
            assert_close(wide(run, f"{layer}.norm{number}"), normalized(stream))
            stream = stream + wide(run, f"{layer}.{sublayer}.output")
            assert_close(wide(run, f"{layer}.residual{number}"), stream)
            stream = wide(run, f"{layer}.residual{number}")
    assert_close(wide(run, "decoder.norm"), normalized(stream))


def test_the_stream_of_post_norm_adds_up() -> None:
    """The norm is of the sum and is what goes on; the stack's own norm shows just the last one."""
    run = recorded(small(norm_placement="post"))
    stream = wide(run, "encoder.embedding.output")
    for layer in ("encoder.layers.0", "encoder.layers.1"):
        for number, sublayer in enumerate(("self_attn", "feed_forward"), start=1):
            assert_close(wide(run, f"{layer}.residual{number}"), stream + wide(run, f"{layer}.{sublayer}.output"))
            assert_close(wide(run, f"{layer}.norm{number}"), normalized(wide(run, f"{layer}.residual{number}")))
            stream = wide(run, f"{layer}.norm{number}")
    np.testing.assert_array_equal(wide(run, "encoder.norm"), stream)


def test_probabilities_are_the_softmax_of_the_logits() -> None:
    """logits = x·W + b; each row of probabilities sums to 1."""
    config = small()
    run = recorded(config)

    assert_close(wide(run, "generator.logits"), linear(build(config), "generator.project", wide(run, "decoder.norm")))
    assert_close(wide(run, "generator.probabilities"), softmax(wide(run, "generator.logits")))
    assert wide(run, "generator.probabilities").sum(-1) == pytest.approx(1)


def test_alibi_acts_between_scaled_and_masked() -> None:
    """masked = scaled - m·|q - k|/T where a query may look."""
    run = recorded(small(architecture="encoder-only", position="alibi", temperature=2))
    path = "encoder.layers.0.self_attn"
    place = np.arange(5)
    slopes = 2.0 ** (-8 * np.arange(1, 5) / 4)
    bias = -slopes[:, None, None] * np.abs(place[:, None] - place) / 2

    assert_close(wide(run, f"{path}.masked"), wide(run, f"{path}.scaled") + bias)


def test_tutorial_ds_sum_is_right() -> None:
    """Its sentence of three tokens in four features: E·√4 + PE, not the text's own figures."""
    config = load_preset("tutorial-d").config
    run = recorded(config)
    total = wide(run, "encoder.embedding.tokens") * math.sqrt(4) + wide(run, "encoder.embedding.positions")

    assert_close(wide(run, "encoder.embedding.output"), total)
