"""Small models of happy-llm, llama2.c and minimind, written from torch's modules with the names of their checkpoints."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.checkpoints.gpts import shaken

VOCAB, WIDTH, HIDDEN, LAYERS, HEADS, KV_HEADS = 17, 32, 48, 2, 4, 2


def causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """[batch, position, feature] of Q [batch, position, head, feature], and K and V that groups of heads share."""
    heads = [each.transpose(1, 2) for each in (query, key, value)]
    return functional.scaled_dot_product_attention(*heads, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2)


def angles(n: int, d_head: int, base: float) -> Tensor:
    """[position, 1, pair] by how much each pair of features turns."""
    return torch.outer(torch.arange(n).float(), base ** (-torch.arange(0, d_head, 2).float() / d_head))[:, None]


def turned_neighbours(x: Tensor, base: float) -> Tensor:
    """Features 2i and 2i+1 as a complex number, as in the code of Meta."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    angle = angles(x.shape[1], x.shape[-1], base)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def turned_halves(x: Tensor, base: float) -> Tensor:
    """Feature i with feature i + d_head/2."""
    angle = angles(x.shape[1], x.shape[-1], base)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()], dim=-1)


class Llama2Layer(nn.Module):
    """A layer of happy-llm, llama2.c, and the first minimind."""

    def __init__(self, base: float) -> None:
        super().__init__()
        narrow = WIDTH // HEADS * KV_HEADS
        sizes = {"wq": (WIDTH, WIDTH), "wk": (WIDTH, narrow), "wv": (WIDTH, narrow), "wo": (WIDTH, WIDTH)}
        gates = {"w1": (WIDTH, HIDDEN), "w2": (HIDDEN, WIDTH), "w3": (WIDTH, HIDDEN)}
        self.attention = nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in sizes.items()})
        self.feed_forward = nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in gates.items()})
        self.attention_norm, self.ffn_norm = (nn.RMSNorm(WIDTH, eps=1e-5) for _ in range(2))
        self.base = base

    def forward(self, x: Tensor) -> Tensor:
        h, parts = self.attention_norm(x), self.attention
        query = parts["wq"](h).unflatten(-1, (HEADS, -1))
        key, value = (parts[name](h).unflatten(-1, (KV_HEADS, -1)) for name in ("wk", "wv"))
        query, key = (turned_neighbours(each, self.base) for each in (query, key))
        x = x + parts["wo"](causal(query, key, value))
        h, parts = self.ffn_norm(x), self.feed_forward
        return x + parts["w2"](functional.silu(parts["w1"](h)) * parts["w3"](h))


class Llama2(nn.Module):
    """happy-llm's model of chapter 5."""

    def __init__(self, base: float = 10000.0, *, tied: bool = True) -> None:
        super().__init__()
        self.tok_embeddings = nn.Embedding(VOCAB, WIDTH)
        self.layers = nn.ModuleList(Llama2Layer(base) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.output = nn.Linear(WIDTH, VOCAB, bias=False)
        if tied:
            self.tok_embeddings.weight = self.output.weight
        shaken(self)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tok_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


class MindLayer(nn.Module):
    """A layer of minimind's second version, and with `d_head` of its third, which normalizes queries and keys."""

    def __init__(self, d_head: int | None, eps: float) -> None:
        super().__init__()
        each = d_head or WIDTH // HEADS
        sizes = {
            "q": (WIDTH, HEADS * each),
            "k": (WIDTH, KV_HEADS * each),
            "v": (WIDTH, KV_HEADS * each),
            "o": (HEADS * each, WIDTH),
        }
        self.self_attn = nn.ModuleDict({f"{name}_proj": nn.Linear(*size, bias=False) for name, size in sizes.items()})
        if d_head:
            self.self_attn["q_norm"], self.self_attn["k_norm"] = (nn.RMSNorm(d_head, eps=eps) for _ in range(2))
        gates = {"gate": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH), "up": (WIDTH, HIDDEN)}
        self.mlp = nn.ModuleDict({f"{name}_proj": nn.Linear(*size, bias=False) for name, size in gates.items()})
        self.input_layernorm, self.post_attention_layernorm = (nn.RMSNorm(WIDTH, eps=eps) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        h, parts = self.input_layernorm(x), self.self_attn
        query = parts["q_proj"](h).unflatten(-1, (HEADS, -1))
        key, value = (parts[name](h).unflatten(-1, (KV_HEADS, -1)) for name in ("k_proj", "v_proj"))
        if "q_norm" in parts:
            query, key = parts["q_norm"](query), parts["k_norm"](key)
        query, key = (turned_halves(each, 1e6) for each in (query, key))
        x = x + parts["o_proj"](causal(query, key, value))
        h, parts = self.post_attention_layernorm(x), self.mlp
        return x + parts["down_proj"](functional.silu(parts["gate_proj"](h)) * parts["up_proj"](h))


class Mind(nn.Module):
    """minimind; `d_head` is given for its third version."""

    def __init__(self, d_head: int | None = None) -> None:
        super().__init__()
        eps = 1e-6 if d_head else 1e-5
        self.model = nn.ModuleDict(
            {
                "embed_tokens": nn.Embedding(VOCAB, WIDTH),
                "layers": nn.ModuleList(MindLayer(d_head, eps) for _ in range(LAYERS)),
                "norm": nn.RMSNorm(WIDTH, eps=eps),
            }
        )
        self.lm_head = nn.Linear(WIDTH, VOCAB, bias=False)
        self.model["embed_tokens"].weight = self.lm_head.weight
        shaken(self)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.model["embed_tokens"](ids)
        for layer in self.model["layers"]:
            x = layer(x)
        return self.lm_head(self.model["norm"](x))
