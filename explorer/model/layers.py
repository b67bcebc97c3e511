"""One encoder layer, one decoder layer. Vaswani et al. 2017, sections 3.1 and 3.3.

The paper normalizes after each addition (post); most later models before each sublayer (pre, Xiong et al. 2020).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.attention import Attention
from explorer.model.dropout import Dropout
from explorer.model.linear import Linear
from explorer.model.norm import make_norm
from explorer.model.tap import Tap

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "gelu": nn.functional.gelu}


class FeedForward(nn.Module):
    """FFN(x) = W₂·dropout(f(W₁·x + b₁)) + b₂, at each position by itself."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.activate = _ACTIVATIONS[config.activation]
        self.expand = Linear(config.d_model, config.d_ff)
        self.contract = Linear(config.d_ff, config.d_model)
        self.drop = Dropout(config.dropout)

        self.hidden = Tap("batch position feature")
        self.activated = Tap("batch position feature")
        self.output = Tap("batch position feature")

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, feature] to the same shape, through d_ff features."""
        hidden = self.hidden(self.expand(x))  # [batch, position, d_ff]
        activated = self.activated(self.activate(hidden))
        return self.output(self.contract(self.drop(activated)))  # [batch, position, d_model]


class Sublayer(nn.Module):
    """What stands around every sublayer: a norm, dropout and the residual addition. It holds no taps of its own."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.normalize = make_norm(config.norm_kind, config.d_model)
        self.drop = Dropout(config.dropout)

    def forward(self, x: Tensor, f: Callable[[Tensor], Tensor], norm: Tap, residual: Tap) -> Tensor:
        """[batch, position, feature] to the same shape; the two taps are the layer's, so that they bear its name."""
        kept = x if self.config.residual else torch.zeros_like(x)  # without the addition only f is left
        if self.config.norm_placement == "pre":
            # x + f(norm(x))
            return residual(kept + self.drop(f(norm(self.normalize(x)))))
        # norm(x + f(x))
        return norm(self.normalize(residual(kept + self.drop(f(x)))))


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward. Under `decoder`, with a causal mask, it is the layer of a decoder-only model."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn = Attention(config, relative=True)
        self.feed_forward = FeedForward(config)
        self.around_self, self.around_feed = Sublayer(config), Sublayer(config)
        self.norm1, self.norm2 = (Tap("batch position feature") for _ in range(2))
        self.residual1, self.residual2 = (Tap("batch position feature") for _ in range(2))

    def forward(self, x: Tensor, may_look: Tensor | None) -> Tensor:
        """[batch, position, feature] to the same shape."""
        x = self.around_self(x, lambda h: self.self_attn(h, h, may_look), self.norm1, self.residual1)
        return self.around_feed(x, self.feed_forward, self.norm2, self.residual2)


class DecoderLayer(nn.Module):
    """Self-attention, attention to the encoder's output, feed-forward."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn = Attention(config, relative=True)
        self.cross_attn = Attention(config, relative=False)
        self.feed_forward = FeedForward(config)
        self.around_self, self.around_cross, self.around_feed = (Sublayer(config) for _ in range(3))
        self.norm1, self.norm2, self.norm3 = (Tap("batch position feature") for _ in range(3))
        self.residual1, self.residual2, self.residual3 = (Tap("batch position feature") for _ in range(3))

    def forward(self, x: Tensor, memory: Tensor, may_look: Tensor | None, may_look_across: Tensor | None) -> Tensor:
        """`x` [batch, query, feature] from the target, `memory` [batch, key, feature] from the encoder."""
        x = self.around_self(x, lambda h: self.self_attn(h, h, may_look), self.norm1, self.residual1)
        x = self.around_cross(x, lambda h: self.cross_attn(h, memory, may_look_across), self.norm2, self.residual2)
        return self.around_feed(x, self.feed_forward, self.norm3, self.residual3)
