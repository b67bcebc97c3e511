"""Small models with every number random, biases and gains too, so that no test passes by a zero or a one."""

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.attention import Attention
from explorer.model.layers import DecoderLayer, EncoderLayer
from explorer.model.transformer import Transformer


def small(**knobs: object) -> Config:
    """Three heads of eight features; nothing divides by chance."""
    return Config().changed(**{"n_layers": 2, "n_heads": 3, "d_model": 24, "d_ff": 40, "vocab_size": 50, **knobs})


def randomized(module: nn.Module, seed: int = 0) -> nn.Module:
    """The module with each parameter drawn anew; dropout rests."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0, 0.4, generator=generator)
    return module.requires_grad_(False).eval()


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def assert_same(actual: Tensor, expected: Tensor) -> None:
    """Equal to 1e-5, cell by cell."""
    torch.testing.assert_close(actual.double(), expected.double(), atol=1e-5, rtol=0)


def copy_attention(ours: Attention, theirs: nn.MultiheadAttention) -> None:
    """torch keeps W_Q, W_K and W_V in one matrix, below each other."""
    three = (ours.project_query, ours.project_key, ours.project_value)
    theirs.in_proj_weight.data = torch.cat([each.weight for each in three])
    theirs.out_proj.weight.data = ours.project_output.weight.clone()
    if ours.config.bias:
        theirs.in_proj_bias.data = torch.cat([each.bias for each in three])
        theirs.out_proj.bias.data = ours.project_output.bias.clone()


def _copy(ours: nn.Module, theirs: nn.Module) -> None:
    theirs.weight.data = ours.weight.clone()
    if theirs.bias is None:
        ours.bias.zero_()
    else:
        theirs.bias.data = ours.bias.clone()


def copy_encoder_layer(ours: EncoderLayer, theirs: nn.TransformerEncoderLayer) -> None:
    """Where torch has no bias at all, ours in the feed-forward and the norms are set to zero."""
    copy_attention(ours.self_attn, theirs.self_attn)
    _copy(ours.feed_forward.expand, theirs.linear1)
    _copy(ours.feed_forward.contract, theirs.linear2)
    _copy(ours.around_self.normalize, theirs.norm1)
    _copy(ours.around_feed.normalize, theirs.norm2)


def copy_decoder_layer(ours: DecoderLayer, theirs: nn.TransformerDecoderLayer) -> None:
    """As for the encoder layer."""
    copy_attention(ours.self_attn, theirs.self_attn)
    copy_attention(ours.cross_attn, theirs.multihead_attn)
    _copy(ours.feed_forward.expand, theirs.linear1)
    _copy(ours.feed_forward.contract, theirs.linear2)
    _copy(ours.around_self.normalize, theirs.norm1)
    _copy(ours.around_cross.normalize, theirs.norm2)
    _copy(ours.around_feed.normalize, theirs.norm3)


def parameter_count(model: Transformer) -> int:
    """What torch counts: the numbers that the model works with, tied ones once and the idle final norms of post-norm not."""
    idle = () if model.config.norm_placement == "pre" else ("encoder.normalize.", "decoder.normalize.")
    return sum(parameter.numel() for name, parameter in model.named_parameters() if not name.startswith(idle))
