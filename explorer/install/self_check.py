"""Whether this machine computes correctly: a recorded pass, compared with torch's own layers in float64.

The tiny preset is used, whose weights are drawn from a seed, so the check needs no file and takes some hundredths of a second.
"""

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.install.diagnosis import Diagnosis
from explorer.model.attention import Attention
from explorer.model.layers import DecoderLayer, EncoderLayer
from explorer.model.transformer import Stack
from explorer.model.weights import build
from explorer.trace.arrays import Array
from explorer.trace.trace import Trace

TOLERANCE = 1e-4
"""The largest difference of a logit or weight that is allowed; float32 gives about 1e-6."""

_KNOBS = {"norm_placement": "pre", "norm_kind": "torch", "activation": "relu", "bias": True, "device": "cpu"}
_TEXT = "我爱北京天安门"


def numbers() -> Diagnosis:
    """The largest difference of a recorded pass from torch's layers in float64; a fault beyond TOLERANCE."""
    trace = recorded()
    off = difference(trace)
    values = {"off": f"{off:.1e}", "limit": f"{TOLERANCE:.0e}", "taps": len(trace.names())}
    if off <= TOLERANCE:
        return Diagnosis("numbers", "well", "numbers.well", values)
    return Diagnosis("numbers", "fault", "numbers.off", values, "numbers.advice")  # also where the difference is no number


def recorded() -> Trace:
    """The pass that is checked."""
    return Computer()(Request.from_preset("tiny", _TEXT, **_KNOBS)).trace


def difference(trace: Trace) -> float:
    """The largest absolute difference between the Trace and the same layers of torch in float64."""
    config = trace.config
    if config is None:  # Only a foreign model's Trace has none.
        raise TypeError("a Trace of our own model is wanted")
    model = build(config).double()
    if model.encoder is None or model.decoder is None:
        raise TypeError("a model of two sides is wanted")
    memory, off = _encoded(model.encoder, trace, config)
    x, inside = _decoded(model.decoder, trace, config, memory)
    logits = nn.functional.linear(x, model.generator.project.weight, model.generator.project.bias)
    # NumPy's maximum of a NaN is NaN; Python's may leave it out.
    return float(np.max([*off, *inside, _off(trace["generator.logits"], logits[0])]))


def _encoded(stack: Stack, trace: Trace, config: Config) -> tuple[Tensor, list[float]]:
    """The output of torch's encoder for the recorded embedding [batch, position, feature], and the difference of each tap."""
    x, off = _tensor(trace["encoder.embedding.output"]), list[float]()
    for place, ours in enumerate(stack.layers):
        layer = encoder_layer(cast(EncoderLayer, ours), config)
        normed = layer.norm1(x)
        _out, weights = layer.self_attn(normed, normed, normed, average_attn_weights=False)  # [batch, head, query, key]
        off.append(_off(trace[f"encoder.layers.{place}.self_attn.weights"], weights[0]))
        x = layer(x)
        off.append(_off(trace[f"encoder.layers.{place}.residual2"], x[0]))
    return _normalized(stack, x), off


def _decoded(stack: Stack, trace: Trace, config: Config, memory: Tensor) -> tuple[Tensor, list[float]]:
    """The output of torch's decoder for the recorded embedding over `memory`, and the difference of each tap."""
    x, off = _tensor(trace["decoder.embedding.output"]), list[float]()
    hidden = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=torch.float64)  # [query, key] −∞ in masked cells
    for place, ours in enumerate(stack.layers):
        x = decoder_layer(cast(DecoderLayer, ours), config)(x, memory, tgt_mask=hidden)
        off.append(_off(trace[f"decoder.layers.{place}.residual3"], x[0]))
    return _normalized(stack, x), off


def encoder_layer(ours: EncoderLayer, config: Config) -> nn.TransformerEncoderLayer:
    """torch's layer in float64 with the weights of ours."""
    theirs = nn.TransformerEncoderLayer(*_sizes(config), norm_first=True, batch_first=True, dtype=torch.float64).train(False)
    theirs.load_state_dict(
        _attention("self_attn", ours.self_attn)
        | _pair("linear1", ours.feed_forward.expand)
        | _pair("linear2", ours.feed_forward.contract)
        | _pair("norm1", ours.around_self.normalize)
        | _pair("norm2", ours.around_feed.normalize)
    )
    return theirs.requires_grad_(False)


def decoder_layer(ours: DecoderLayer, config: Config) -> nn.TransformerDecoderLayer:
    """torch's layer in float64 with the weights of ours."""
    theirs = nn.TransformerDecoderLayer(*_sizes(config), norm_first=True, batch_first=True, dtype=torch.float64).train(False)
    theirs.load_state_dict(
        _attention("self_attn", ours.self_attn)
        | _attention("multihead_attn", ours.cross_attn)
        | _pair("linear1", ours.feed_forward.expand)
        | _pair("linear2", ours.feed_forward.contract)
        | _pair("norm1", ours.around_self.normalize)
        | _pair("norm2", ours.around_cross.normalize)
        | _pair("norm3", ours.around_feed.normalize)
    )
    return theirs.requires_grad_(False)


def _normalized(stack: Stack, x: Tensor) -> Tensor:
    """The final norm of a side."""
    parameters = dict(stack.normalize.named_parameters())
    return nn.functional.layer_norm(x, x.shape[-1:], parameters["weight"], parameters["bias"])


def _sizes(config: Config) -> tuple[int, int, int]:
    return config.d_model, config.n_heads, config.d_ff


def _attention(name: str, ours: Attention) -> dict[str, Tensor]:
    """Copy the weights into torch's attention, which stacks W_Q, W_K and W_V in one matrix."""
    three = (ours.project_query, ours.project_key, ours.project_value)
    return {
        f"{name}.in_proj_weight": torch.cat([each.weight for each in three]),
        f"{name}.in_proj_bias": torch.cat([each.bias for each in three]),
    } | _pair(f"{name}.out_proj", ours.project_output)


def _pair(name: str, ours: nn.Module) -> dict[str, Tensor]:
    return {f"{name}.{each}": parameter for each, parameter in ours.named_parameters()}


def _tensor(recorded: Array) -> Tensor:
    """A recorded array with the batch axis, in float64."""
    return torch.tensor(recorded, dtype=torch.float64)[None]


def _off(recorded: Array, expected: Tensor) -> float:
    return float(np.abs(recorded - expected.detach().numpy()).max())
