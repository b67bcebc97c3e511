"""From token ids to the vectors that enter the first layer. Vaswani et al. 2017, sections 3.4 and 3.5."""

import math

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model import positions
from explorer.model.dropout import Dropout
from explorer.model.tap import Tap


class Embedding(nn.Module):
    """output = dropout(E[id]·√d_model·embedding_scale + positions)."""

    def __init__(self, config: Config, n_symbols: int) -> None:
        super().__init__()
        self.config = config
        self.look_up = nn.Embedding(n_symbols, config.d_model)
        self.learned = nn.Embedding(config.max_len, config.d_model) if config.position == "learned" else None
        self.drop = Dropout(config.dropout)

        self.tokens = Tap("batch position feature")
        self.scaled = Tap("batch position feature")
        self.positions = Tap("batch position feature")
        self.output = Tap("batch position feature")

    def forward(self, ids: Tensor, first: int = 0) -> Tensor:
        """[batch, position] ids to [batch, position, feature]; the first id stands at position `first`."""
        vectors = self.tokens(self.look_up(ids))  # [batch, position, feature]
        # x[p] = E[id_p] · √d_model
        scaled = self.scaled(vectors * (math.sqrt(self.config.d_model) * self.config.embedding_scale))
        where = self.positions(self.table(ids.shape[1], first).to(scaled)[None])  # [batch 1, position, feature]
        return self.output(self.drop(scaled + where))

    def table(self, n: int, first: int = 0) -> Tensor:
        """[position, feature] what is added at n places from `first`: zeros for the kinds that act inside attention."""
        if self.learned is not None:
            return self.learned.weight[first:first + n].clone()  # a tap must not show the parameter's own memory
        if self.config.position in positions.EXPONENTS:
            return positions.sinusoidal(n, self.config.d_model, self.config.position_base, first, self.config.position)
        return torch.zeros(n, self.config.d_model)
