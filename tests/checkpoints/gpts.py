"""Small models of the courses of Karpathy, written from torch's modules with the names of their checkpoints."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

VOCAB, LENGTH, WIDTH, LAYERS, HEADS = 13, 16, 24, 2, 3


def attended(query: Tensor, key: Tensor, value: Tensor, n_heads: int, *, causal: bool = True) -> Tensor:
    """[batch, position, feature] attention of several heads, by torch's own function."""
    heads = [each.unflatten(-1, (n_heads, -1)).transpose(1, 2) for each in (query, key, value)]
    return functional.scaled_dot_product_attention(*heads, is_causal=causal).transpose(1, 2).flatten(2)


class Norm(nn.Module):
    """A LayerNorm that may have no bias."""

    def __init__(self, width: int, *, bias: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Block(nn.Module):
    """A layer of nanoGPT and of the later minGPT."""

    def __init__(self, *, bias: bool, mask: bool, activation: nn.Module) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = Norm(WIDTH, bias=bias), Norm(WIDTH, bias=bias)
        self.attn = nn.Module()
        self.attn.c_attn = nn.Linear(WIDTH, 3 * WIDTH, bias=bias)
        self.attn.c_proj = nn.Linear(WIDTH, WIDTH, bias=bias)
        if mask:
            self.attn.register_buffer("bias", torch.ones(LENGTH, LENGTH).tril()[None, None])
        self.mlp = nn.ModuleDict(
            {
                "c_fc": nn.Linear(WIDTH, 4 * WIDTH, bias=bias),
                "c_proj": nn.Linear(4 * WIDTH, WIDTH, bias=bias),
                "act": activation,
            }
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn.c_proj(attended(*self.attn.c_attn(self.ln_1(x)).split(WIDTH, dim=-1), HEADS))
        return x + self.mlp["c_proj"](self.mlp["act"](self.mlp["c_fc"](self.ln_2(x))))


class Gpt(nn.Module):
    """nanoGPT where its output is tied, the later minGPT where it is not and has masks."""

    def __init__(self, *, bias: bool = True, mask: bool = False, tied: bool = True, vocab: int = VOCAB) -> None:
        super().__init__()
        activation = nn.GELU() if tied else nn.GELU(approximate="tanh")
        blocks = [Block(bias=bias, mask=mask, activation=activation) for _ in range(LAYERS)]
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(vocab, WIDTH),
                "wpe": nn.Embedding(LENGTH, WIDTH),
                "h": nn.ModuleList(blocks),
                "ln_f": Norm(WIDTH, bias=bias),
            }
        )
        self.lm_head = nn.Linear(WIDTH, vocab, bias=False)
        if tied:
            self.transformer["wte"].weight = self.lm_head.weight
        shaken(self)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.transformer["wte"](ids) + self.transformer["wpe"].weight[: ids.shape[1]]
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))


class FirstBlock(nn.Module):
    """A layer of the first minGPT: query, key and value apart, and a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attn = nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH) for name in ("key", "query", "value", "proj")})
        self.attn.register_buffer("mask", torch.ones(LENGTH, LENGTH).tril()[None, None])
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        h = self.ln1(x)
        x = x + self.attn["proj"](attended(*(self.attn[name](h) for name in ("query", "key", "value")), HEADS))
        return x + self.mlp(self.ln2(x))


class FirstGpt(nn.Module):
    """The first minGPT."""

    def __init__(self) -> None:
        super().__init__()
        self.tok_emb = nn.Embedding(VOCAB, WIDTH)
        self.pos_emb = nn.Parameter(torch.zeros(1, LENGTH, WIDTH))
        self.blocks = nn.Sequential(*(FirstBlock() for _ in range(LAYERS)))
        self.ln_f = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)
        shaken(self)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.ln_f(self.blocks(self.tok_emb(ids) + self.pos_emb[:, : ids.shape[1]])))


def shaken(model: nn.Module) -> None:
    """Draw every parameter at random, so that none is zero or one and an exchange of two would be seen."""
    torch.manual_seed(7)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=1 / math.sqrt(parameter.shape[-1]))
    model.requires_grad_(False).eval()
