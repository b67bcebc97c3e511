"""One encoder layer, one decoder layer. Vaswani et al. 2017, sections 3.1 and 3.3.

The paper normalizes after each addition (post-norm). Most later models normalize before each sublayer (pre-norm, Xiong
et al. 2020). Both add what a sublayer makes to a stream of vectors that runs through all layers: the residual connection.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.attention import Attention
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
        self.drop = nn.Dropout(config.dropout)

        self.hidden = Tap("batch position feature")
        self.activated = Tap("batch position feature")
        self.output = Tap("batch position feature")

    def forward(self, x: Tensor) -> Tensor:
        """[batch, position, feature] to the same shape, through d_ff features."""
        # The same two matrices serve every position, so no position learns anything from another one here.
        # hidden = W₁·x + b₁
        hidden = self.hidden(self.expand(x))  # [batch, position, d_ff]
        activated = self.activated(self.activate(hidden))
        # output = W₂·dropout(activated) + b₂
        return self.output(self.contract(self.drop(activated)))  # [batch, position, d_model]


class Sublayer(nn.Module):
    """The norm, the dropout and the residual addition around one sublayer f (an attention or a feed-forward).

    Pre-norm: x + dropout(f(norm(x))). Post-norm: norm(x + dropout(f(x))). In a layer it stands in two places:

        h = around.before(x)    # what f reads
        x = around(x, f(h))     # the stream after the addition
    """

    def __init__(self, config: Config, norm: Tap, residual: Tap) -> None:
        super().__init__()
        self.config = config
        self.normalize = make_norm(config.norm_kind, config.d_model)
        self.drop = nn.Dropout(config.dropout)
        # Keep the taps in a tuple, so that torch does not register them here too: they belong to the layer.
        self.taps = norm, residual

    def before(self, x: Tensor) -> Tensor:
        """[batch, position, feature] what the sublayer reads: norm(x) under pre-norm, x itself under post-norm."""
        norm, _ = self.taps
        return norm(self.normalize(x)) if self.config.norm_placement == "pre" else x

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """The stream `x` and the sublayer's output `y`, both [batch, position, feature], to the next stream."""
        norm, residual = self.taps
        stream = x if self.config.residual else torch.zeros_like(x)  # Without residual connections, only y goes on.
        # Dropout acts on what is added and never on the stream itself.
        # x = x + dropout(y), and under post-norm x = norm(x + dropout(y))
        x = residual(stream + self.drop(y))
        return x if self.config.norm_placement == "pre" else norm(self.normalize(x))


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward. Under `decoder`, with a causal mask, it is the layer of a decoder-only model."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn = Attention(config, relative=True)
        self.feed_forward = FeedForward(config)
        self.norm1, self.norm2 = (Tap("batch position feature") for _ in range(2))
        self.residual1, self.residual2 = (Tap("batch position feature") for _ in range(2))
        self.around_self = Sublayer(config, self.norm1, self.residual1)
        self.around_feed = Sublayer(config, self.norm2, self.residual2)

    def forward(self, x: Tensor, may_look: Tensor | None) -> Tensor:
        """[batch, position, feature] to the same shape. `may_look` is a mask [query, key] or broadcasts to the scores."""
        # In self-attention, queries, keys and values are all made from the same vectors h.
        # Pre-norm: x = x + self_attn(norm1(x)). Post-norm: x = norm1(x + self_attn(x)).
        h = self.around_self.before(x)
        x = self.around_self(x, self.self_attn(h, h, may_look))
        # Pre-norm: x = x + feed_forward(norm2(x)). Post-norm: x = norm2(x + feed_forward(x)).
        h = self.around_feed.before(x)
        return self.around_feed(x, self.feed_forward(h))


class DecoderLayer(nn.Module):
    """Self-attention, attention to the encoder's output, feed-forward."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self_attn = Attention(config, relative=True)
        self.cross_attn = Attention(config, relative=False)
        self.feed_forward = FeedForward(config)
        self.norm1, self.norm2, self.norm3 = (Tap("batch position feature") for _ in range(3))
        self.residual1, self.residual2, self.residual3 = (Tap("batch position feature") for _ in range(3))
        self.around_self = Sublayer(config, self.norm1, self.residual1)
        self.around_cross = Sublayer(config, self.norm2, self.residual2)
        self.around_feed = Sublayer(config, self.norm3, self.residual3)

    def forward(self, x: Tensor, memory: Tensor, may_look: Tensor | None, may_look_across: Tensor | None) -> Tensor:
        """`x` [batch, query, feature] from the target, `memory` [batch, key, feature] from the encoder.

        Returns the shape of `x`. The masks are [query, key] or broadcast to [batch, head, query, key].
        """
        # Pre-norm: x = x + self_attn(norm1(x)). Post-norm: x = norm1(x + self_attn(x)).
        h = self.around_self.before(x)
        x = self.around_self(x, self.self_attn(h, h, may_look))
        # In cross-attention, the target asks the queries, and the source answers with keys and values.
        # Pre-norm: x = x + cross_attn(norm2(x), memory). Post-norm: x = norm2(x + cross_attn(x, memory)).
        h = self.around_cross.before(x)
        x = self.around_cross(x, self.cross_attn(h, memory, may_look_across))
        # Pre-norm: x = x + feed_forward(norm3(x)). Post-norm: x = norm3(x + feed_forward(x)).
        h = self.around_feed.before(x)
        return self.around_feed(x, self.feed_forward(h))
