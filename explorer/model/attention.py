"""Multi-head attention, every step of it explicit. Vaswani et al. 2017, sections 3.2.1 and 3.2.2.

Decision: the weight matrix is always made. Rejected: torch's fused attention, which is faster and never has it; a test
holds the two against each other.
"""

import math

import torch
from torch import Tensor, nn

from explorer.config import MASK_VALUES, Config
from explorer.model import masks, positions
from explorer.model.dropout import Dropout
from explorer.model.linear import Linear
from explorer.model.tap import Tap

_WHOLE_CELLS = 2**25  # of the maps of all heads together: up to here they are made at once
_BLOCK_CELLS = 2**22  # of a block of larger ones: 16 MB, which a processor keeps near
BLOCK_ROWS = 64  # blocks are whole multiples of it


def rows_at_once(n_maps: int, n_queries: int, n_keys: int) -> int:
    """How many queries an attention takes at once: all, or a block of a long text."""
    if n_maps * n_queries * n_keys <= _WHOLE_CELLS:
        return n_queries
    return max(BLOCK_ROWS, _BLOCK_CELLS // (n_maps * n_keys) // BLOCK_ROWS * BLOCK_ROWS)


def _rows(may_look: Tensor | None, first: int, rows: int, n_queries: int) -> Tensor | None:
    """The part of a mask that a block of queries needs; a mask for all queries alike stays as it is."""
    whole = may_look is None or may_look.shape[-2] != n_queries
    return may_look if whole else may_look[..., first : first + rows, :]  # type: ignore[index]  # it is there


class Attention(nn.Module):
    """softmax(Q·Kᵀ/√d_head)·V in n_heads parts, then W_o.

    `relative` says whether rotary and ALiBi positions apply: in self-attention they do, in cross-attention queries and
    keys stand in different texts.
    """

    def __init__(self, config: Config, *, relative: bool) -> None:
        super().__init__()
        self.config = config
        self.position = config.position if relative else "none"
        size = config.d_model
        self.project_query = Linear(size, size, bias=config.bias)
        self.project_key = Linear(size, size, bias=config.bias)
        self.project_value = Linear(size, size, bias=config.bias)
        self.project_output = Linear(size, size, bias=config.bias)
        self.drop = Dropout(config.dropout)

        self.query = Tap("batch head position feature")
        self.key = Tap("batch head position feature")
        self.value = Tap("batch head position feature")
        self.scores = Tap("batch head query key")
        self.scaled = Tap("batch head query key")
        self.masked = Tap("batch head query key", closes=True)
        self.weights = Tap("batch head query key")
        self.dropped = Tap("batch head query key")
        self.mixed = Tap("batch head query feature")
        self.output = Tap("batch query feature")

    def forward(self, x: Tensor, memory: Tensor, may_look: Tensor | None) -> Tensor:
        """Queries come from `x` [batch, query, feature], keys and values from `memory` [batch, key, feature].

        `may_look` is [query, key] or broadcasts to [batch, head, query, key]. Returns [batch, query, feature].
        """
        return self.attend(self.queries(x), *self.keys_and_values(memory), may_look)

    def queries(self, x: Tensor, first: int = 0) -> Tensor:
        """[batch, head, query, feature] Q of each head; the first row of `x` stands at position `first`."""
        return self.query(self._placed(self.split_heads(self.project_query(x)), first))

    def keys_and_values(self, memory: Tensor, first: int = 0) -> tuple[Tensor, Tensor]:
        """Twice [batch, head, key, feature]: K and V of each head."""
        key = self.key(self._placed(self.split_heads(self.project_key(memory)), first))
        return key, self.value(self.split_heads(self.project_value(memory)))

    def attend(self, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None) -> Tensor:
        """[batch, query, feature] what each query takes from the values, through W_o."""
        n = query.shape[-2]
        rows = n if torch.is_grad_enabled() else rows_at_once(math.prod(query.shape[:-2]), n, key.shape[-2])
        if rows >= n:
            mixed = self._mix(query, key, value, may_look)
        else:  # the maps of all heads are never there as a whole
            # One tensor for all blocks: small ones that stayed after each would leave holes too small for the next block's
            # maps, and the process would grow by gigabytes.
            mixed = query.new_empty((*query.shape[:-1], value.shape[-1]))
            for first in range(0, n, rows):
                block = query[..., first : first + rows, :]
                mixed[..., first : first + rows, :] = self._mix(block, key, value, _rows(may_look, first, rows, n), first)
        return self.output(self.project_output(self.merge_heads(self.mixed(mixed))))

    def _mix(self, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None, first: int | None = None) -> Tensor:
        weights = self.weigh(query, key, may_look, first)  # [batch, head, query, key]
        # O[q] = Σ_k A[q,k]·V[k]
        return self.dropped(self.drop(weights), first) @ value  # [batch, head, query, feature]

    def weigh(self, query: Tensor, key: Tensor, may_look: Tensor | None, first: int | None = None) -> Tensor:
        """[batch, head, query, key] attention weights; each row sums to 1. `first`: these queries are a block, and the
        first of them stands there. Without it the queries are the last of the keys' places.
        """
        # S[q,k] = Q[q]·K[k]
        scores = self.scores(query @ key.transpose(-2, -1), first)
        # S[q,k] / (√d_head · temperature)
        scaled = self.scaled(scores / self.config.score_divisor, first)
        if self.position == "alibi":
            # The temperature is the softmax's, so it divides the bias as well.
            bias = positions.alibi(self.config.n_heads, query.shape[-2], key.shape[-2], first)
            scaled = scaled + bias.to(scaled) / self.config.temperature
        masked = self.masked(masks.close(scaled, may_look, MASK_VALUES[self.config.mask_value]), first)
        # Tapped before dropout: a reader expects each row to sum to 1.
        return self.weights(masked.softmax(dim=-1), first)

    def split_heads(self, x: Tensor) -> Tensor:
        """[batch, position, d_model] to [batch, head, position, d_head]: head h takes its own slice of the features."""
        return torch.unflatten(x, -1, (self.config.n_heads, self.config.d_head)).transpose(1, 2)

    def merge_heads(self, x: Tensor) -> Tensor:
        """[batch, head, position, d_head] back to [batch, position, d_model]."""
        return x.transpose(1, 2).flatten(-2)

    def _placed(self, x: Tensor, first: int) -> Tensor:
        return positions.rotate(x, self.config.position_base, first) if self.position == "rotary" else x
