"""From token ids to the vectors that enter the first layer. Vaswani et al. 2017, sections 3.4 and 3.5."""

import math

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model import positions
from explorer.model.tap import Tap


class Embedding(nn.Module):
    """output = dropout(E[id]·√d_model·embedding_scale + positions)."""

    def __init__(self, config: Config, n_symbols: int) -> None:
        super().__init__()
        self.config = config
        self.look_up = _table(n_symbols, config.d_model)
        self.learned = _table(config.max_len, config.d_model) if config.position == "learned" else None
        self.drop = nn.Dropout(config.dropout)

        self.tokens = Tap("batch position feature")
        self.scaled = Tap("batch position feature")
        self.positions = Tap("batch position feature")
        self.output = Tap("batch position feature")

    def forward(self, ids: Tensor, first: int = 0) -> Tensor:
        """[batch, position] ids to [batch, position, feature]; the first id stands at position `first`."""
        vectors = self.tokens(self.look_up(ids))  # [batch, position, feature]
        # x[p] = E[id_p] · √d_model · embedding_scale. Untrained rows of E have numbers of about 1/√d_model; the factor brings
        # them to the size of the positions that are added.
        scaled = self.scaled(vectors * (math.sqrt(self.config.d_model) * self.config.embedding_scale))
        where = self.positions(self.table(ids.shape[1], first).to(scaled)[None])  # [batch 1, position, feature]
        # output[p] = dropout(x[p] + PE[p])
        return self.output(self.drop(scaled + where))

    def table(self, n: int, first: int = 0) -> Tensor:
        """[position, feature] what is added at `n` positions from `first` on.

        Kinds of positions that act inside attention, and the kind "none", add zeros.
        """
        if self.learned is not None:
            # A hook may write to the tensor that a tap shows it, and must not reach the parameter.
            return self.learned.weight[first : first + n].clone()
        if self.config.position in positions.EXPONENTS:
            return positions.sinusoidal(n, self.config.d_model, self.config.position_base, first, self.config.position)
        return torch.zeros(n, self.config.d_model)


def _table(n_rows: int, d_model: int) -> nn.Embedding:
    """An embedding table [n_rows, d_model] whose numbers are filled in later, by `model.weights`.

    `nn.Embedding(...)` would draw random numbers at once. On the "meta" device, where tensors have no memory, torch uses its
    compiler for that, which takes a second to import.
    """
    return nn.Embedding.from_pretrained(torch.empty(n_rows, d_model), freeze=False)  # type: ignore[no-untyped-call]
