"""Multi-head attention, every step of it explicit. Vaswani et al. 2017, sections 3.2.1 and 3.2.2.

Letters: q and k count queries and keys; Q, K and V are their vectors in one head; S are the scores, M the masked scores,
A the weights and O what a head gives out.

Decision: the weight matrix is always computed. Rejected: torch's fused attention, which never has it. A test compares the two.
"""

import torch
from torch import Tensor, nn

from explorer.config import MASK_VALUES, Config
from explorer.model import blocks, masks, positions
from explorer.model.linear import Linear
from explorer.model.tap import Tap


class Attention(nn.Module):
    """softmax(Q·Kᵀ/√d_head)·V in n_heads parts, then W_O.

    `relative` says whether rotary and ALiBi positions apply. They do in self-attention only: the queries and keys of
    cross-attention stand in different texts, so the distance between them means nothing.
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
        self.drop = nn.Dropout(config.dropout)

        # The taps stand in the order in which a pass comes through them.
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
        """[batch, head, query, feature] Q = W_Q·x of each head; the first row of `x` stands at position `first`."""
        # Q[q] = W_Q·x[q] + b_Q, of which head h takes the features h·d_head to (h + 1)·d_head - 1
        query = self.split_heads(self.project_query(x))  # [batch, head, query, feature]
        return self.query(self._placed(query, first))

    def keys_and_values(self, memory: Tensor, first: int = 0) -> tuple[Tensor, Tensor]:
        """Twice [batch, head, key, feature]: K = W_K·memory and V = W_V·memory of each head."""
        # K[k] = W_K·memory[k] + b_K
        key = self.split_heads(self.project_key(memory))  # [batch, head, key, feature]
        key = self.key(self._placed(key, first))
        # V[k] = W_V·memory[k] + b_V. Rotary positions do not turn V: they decide who looks at whom, not what is passed on.
        value = self.split_heads(self.project_value(memory))  # [batch, head, key, feature]
        return key, self.value(value)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None) -> Tensor:
        """[batch, query, feature] what each query takes from the values of its heads, joined and through W_O."""
        if blocks.all_at_once(query, key):
            mixed = self._mix(query, key, value, may_look)  # [batch, head, query, feature]
        else:
            mixed = blocks.block_by_block(self._mix, query, key, value, may_look)
        # output = concat(O_1, …, O_h)·W_O
        return self.output(self.project_output(self.merge_heads(self.mixed(mixed))))

    def _mix(self, query: Tensor, key: Tensor, value: Tensor, may_look: Tensor | None, first: int | None = None) -> Tensor:
        """[batch, head, query, feature] the mean of the values, weighted for each query."""
        weights = self.weigh(query, key, may_look, first)  # [batch, head, query, key]
        # O[q] = Σ_k A[q,k]·V[k]
        return self.dropped(self.drop(weights), first) @ value  # [batch, head, query, feature]

    def weigh(self, query: Tensor, key: Tensor, may_look: Tensor | None, first: int | None = None) -> Tensor:
        """[batch, head, query, key] attention weights; each row sums to 1.

        `first` is the position of the first query where the queries are a block of a longer text. Where it is None, the
        last query stands at the position of the last key.
        """
        # S[q,k] = Q[q]·K[k]
        scores = self.scores(query @ key.transpose(-2, -1), first)  # [batch, head, query, key]
        # S[q,k] / (√d_head · temperature). A sum of d_head products grows like √d_head, and with scores that large the softmax
        # would give nearly all weight to a single key.
        scaled = self.scaled(scores / self.config.score_divisor, first)
        if self.position == "alibi":
            # S[q,k] / (√d_head · temperature) - m·|q - k| / temperature: softmax's temperature divides the bias too.
            bias = positions.alibi(self.config.n_heads, query.shape[-2], key.shape[-2], first)  # [head, query, key]
            scaled = scaled + bias.to(scaled) / self.config.temperature
        # M[q,k] is the scaled score, or the mask's value where q may not see k.
        masked = self.masked(masks.close(scaled, may_look, MASK_VALUES[self.config.mask_value]), first)
        # A[q,k] = exp(M[q,k]) / Σ_k exp(M[q,k]). The tap stands before dropout, because a reader expects rows that sum to 1.
        return self.weights(masked.softmax(dim=-1), first)

    def split_heads(self, x: Tensor) -> Tensor:
        """[batch, position, d_model] to [batch, head, position, d_head]: head h takes its own slice of the features."""
        return torch.unflatten(x, -1, (self.config.n_heads, self.config.d_head)).transpose(1, 2)

    def merge_heads(self, x: Tensor) -> Tensor:
        """[batch, head, position, d_head] back to [batch, position, d_model]: the heads stand side by side again."""
        return x.transpose(1, 2).flatten(-2)

    def _placed(self, x: Tensor, first: int) -> Tensor:
        """Queries or keys [batch, head, position, feature], turned by their positions if these are rotary."""
        return positions.rotate(x, self.config.position_base, first) if self.position == "rotary" else x
