"""Small models of the tutorials A and B, written from torch's modules with the names of their checkpoints."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.checkpoints.gpts import shaken

VOCAB, TARGET_VOCAB, WIDTH, HIDDEN, LAYERS, HEADS, LENGTH = 20, 23, 16, 32, 2, 4, 12


def waves(*, doubled: bool) -> Tensor:
    """[1, position, feature] the paper's table, or tutorial A's, whose exponent grows twice as fast."""
    place, feature = torch.arange(LENGTH).double()[:, None], torch.arange(WIDTH)
    exponent = 2 * feature if doubled else feature - feature % 2
    angle = place / 10000 ** (exponent.double() / WIDTH)
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos()).float()[None]


class Norm(nn.Module):
    """(x - mean) / (std + 1e-6), by torch's own functions; the shift has a name of the tutorial's."""

    def __init__(self, shift: str) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(WIDTH))
        self.register_parameter(shift, nn.Parameter(torch.zeros(WIDTH)))
        self.shift = shift

    def forward(self, x: Tensor) -> Tensor:
        std, mean = torch.std_mean(x, dim=-1, keepdim=True)
        return self.alpha * (x - mean) / (std + 1e-6) + getattr(self, self.shift)


class Attention(nn.Module):
    """Four projections of these names, and attention by torch's function."""

    def __init__(self, names: Sequence[str], *, bias: bool) -> None:
        super().__init__()
        self.names = names
        for name in names:
            self.add_module(name, nn.Linear(WIDTH, WIDTH, bias=bias))

    def forward(self, x: Tensor, memory: Tensor, *, causal: bool) -> Tensor:
        query, key, value, output = (getattr(self, name) for name in self.names)
        parts = [each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in (query(x), key(memory), value(memory))]
        return output(functional.scaled_dot_product_attention(*parts, is_causal=causal).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear_2(self.linear_1(x).relu())


class Layer(nn.Module):
    """Pre-norm; the first norms, attentions and the network stand under the tutorial's names."""

    def __init__(self, parts: Mapping[str, nn.Module], norms: Sequence[str], blocks: Sequence[str]) -> None:
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)
        self.norms, self.blocks = norms, blocks

    def forward(self, x: Tensor, memory: Tensor | None) -> Tensor:
        for place, (norm, block) in enumerate(zip(self.norms, self.blocks, strict=True)):
            h, part = self.get_submodule(norm)(x), self.get_submodule(block)
            if isinstance(part, FeedForward):
                x = x + part(h)
            else:
                across = place == 1
                x = x + part(h, memory if across and memory is not None else h, causal=memory is not None and not across)
        return x


class Side(nn.Module):
    """Embedding, positions, layers and a last norm, some of them elsewhere."""

    def __init__(self, layers: Sequence[Layer], norm: Norm, **more: nn.Module) -> None:
        super().__init__()
        for name, part in more.items():
            self.add_module(name, part)
        self.layers, self.norm = nn.ModuleList(layers), norm

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory)
        return self.norm(x)


class Table(nn.Module):
    """A buffer `pe`."""

    def __init__(self, *, doubled: bool) -> None:
        super().__init__()
        self.register_buffer("pe", waves(doubled=doubled))


def placed(embedding: nn.Embedding, table: Table, ids: Tensor) -> Tensor:
    """[batch, position, feature] what the first layer reads."""
    return embedding(ids) * WIDTH**0.5 + table.pe[:, : ids.shape[1]]


class TutorialA(nn.Module):
    """The class Transformers of tutorial A."""

    _PARTS = ("q_linear", "k_linear", "v_linear", "out")

    def __init__(self, *, doubled: bool = True) -> None:
        super().__init__()
        self.encoder = Side(
            [self._layer(2, ("attn",)) for _ in range(LAYERS)],
            Norm("beta"),
            embed=nn.Embedding(VOCAB, WIDTH),
            pe=Table(doubled=doubled),
        )
        self.decoder = Side(
            [self._layer(3, ("attn_1", "attn_2")) for _ in range(LAYERS)],
            Norm("beta"),
            embed=nn.Embedding(TARGET_VOCAB, WIDTH),
            pe=Table(doubled=doubled),
        )
        self.out = nn.Linear(WIDTH, TARGET_VOCAB)
        shaken(self)

    def _layer(self, n_norms: int, attentions: Sequence[str]) -> Layer:
        norms = [f"norm_{number + 1}" for number in range(n_norms)]
        parts: dict[str, nn.Module] = {name: Norm("beta") for name in norms}
        parts |= {name: Attention(self._PARTS, bias=True) for name in attentions} | {"ff": FeedForward()}
        return Layer(parts, norms, (*attentions, "ff"))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.encoder(placed(self.encoder.embed, self.encoder.pe, source))
        return self.out(self.decoder(placed(self.decoder.embed, self.decoder.pe, target), memory))


class Embedding(nn.Module):
    def __init__(self, n_symbols: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_symbols, WIDTH)


class TutorialB(nn.Module):
    """What make_transformer of tutorial B gives."""

    _PARTS = ("w_q", "w_k", "w_v", "w_o")

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Side([self._layer(("self_attn",)) for _ in range(LAYERS)], Norm("bias"))
        self.decoder = Side([self._layer(("self_attn", "cross_attn")) for _ in range(LAYERS)], Norm("bias"))
        self.source_embed, self.target_embed = Embedding(VOCAB), Embedding(TARGET_VOCAB)
        self.source_pos, self.target_pos = Table(doubled=False), Table(doubled=False)
        self.generator = nn.ModuleDict({"project": nn.Linear(WIDTH, TARGET_VOCAB)})
        shaken(self)

    def _layer(self, attentions: Sequence[str]) -> Layer:
        blocks = (*attentions, "feed_forward")
        around = nn.ModuleList(nn.ModuleDict({"norm": Norm("bias")}) for _ in blocks)
        parts = {name: Attention(self._PARTS, bias=False) for name in attentions}
        norms = [f"sublayer.{number}.norm" for number in range(len(blocks))]
        return Layer({**parts, "feed_forward": FeedForward(), "sublayer": around}, norms, blocks)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.encoder(placed(self.source_embed.embedding, self.source_pos, source))
        return self.generator["project"](self.decoder(placed(self.target_embed.embedding, self.target_pos, target), memory))
