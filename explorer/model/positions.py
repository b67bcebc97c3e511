"""How a model learns where a token stands: four ways, none, and what tutorials make of the first.

Sinusoidal: Vaswani et al. 2017, section 3.5. Rotary: Su et al. 2021, section 3.2. ALiBi: Press et al. 2022, section 3.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor


def frequencies(n_pairs: int, size: int, base: float) -> Tensor:
    """[pair] angle per position: w_i = base^(-2i/size), from 1 down to almost 1/base. In float64."""
    i = torch.arange(n_pairs, dtype=torch.float64)
    # w_i = 1 / base^(2i/size)
    return base ** (-2 * i / size)


EXPONENTS: dict[str, Callable[[Tensor], Tensor]] = {
    # x in w_j = base^(-x/d) for feature j; the paper's pairs (2i, 2i+1) share one frequency.
    "sinusoidal": lambda j: 2 * (j // 2),
    "sinusoidal-doubled": lambda j: 2 * j,  # tutorial A: 2i/d where i steps by two already, and another one for the cosine
    "sinusoidal-halved": lambda j: j // 2,  # tutorial E prints this table
    "sinusoidal-per-feature": lambda j: j,  # tutorial D's worked example, its formula taken at its word
    "sine-only": lambda j: j,  # what the paper's pairs avoid: no feature has a cosine
}
"""The kinds that add waves to the input."""


def sinusoidal(n: int, d_model: int, base: float, first: int = 0, kind: str = "sinusoidal") -> Tensor:
    """[position, feature] PE(pos, j) = sin(pos·w_j) for even j and cos(pos·w_j) for odd j, n positions from `first`.

    The paper's kind has w_2i = w_2i+1 = base^(-2i/d). An odd last feature is a sine; "sine-only" has nothing else.
    """
    if first == 0:
        return _table(n, d_model, base, kind)
    return _waves(n, d_model, base, first, kind)


def _waves(n: int, d_model: int, base: float, first: int, kind: str) -> Tensor:
    pos = torch.arange(first, first + n, dtype=torch.float64)[:, None]
    w, quarter = _rates(d_model, base, kind)
    return (pos * w + quarter).sin().float()  # [position, feature]


@lru_cache(maxsize=4)  # each pass asks for the same table; nobody writes to it
def _table(n: int, d_model: int, base: float, kind: str) -> Tensor:
    with torch.inference_mode(False):
        return _waves(n, d_model, base, 0, kind)


@lru_cache(maxsize=16)  # decoding asks for one place at a time
def _rates(d_model: int, base: float, kind: str) -> tuple[Tensor, Tensor]:
    """Twice [feature]: w_j = base^(-x_j/d), and the quarter turn that makes a sine a cosine, 0 where it stays a sine."""
    j = torch.arange(d_model)
    w = base ** (-EXPONENTS[kind](j).double() / d_model)
    # cos(a) = sin(a + π/2)
    return w, torch.where((j % 2 == 1) & (kind != "sine-only"), math.pi / 2, 0.0).double()


def rotate(x: Tensor, base: float, first: int = 0) -> Tensor:
    """Rotary positions: turn each feature pair (2i, 2i+1) of [..., position, feature] by the angle pos·w_i.

    Positions are counted from `first`. An odd last feature has no partner and stays as it is.
    """
    n, d_head = x.shape[-2:]
    n_pairs = d_head // 2
    pos = torch.arange(first, first + n, dtype=torch.float64)[:, None]
    angle = pos * frequencies(n_pairs, d_head, base)  # [position, pair]
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    even, odd = x[..., 0 : 2 * n_pairs : 2], x[..., 1 : 2 * n_pairs : 2]
    turned = x.clone()
    # (x', y') = (x cos - y sin, x sin + y cos)
    turned[..., 0 : 2 * n_pairs : 2] = even * cos - odd * sin
    turned[..., 1 : 2 * n_pairs : 2] = even * sin + odd * cos
    return turned


def alibi_slopes(n_heads: int) -> Tensor:
    """[head] m_h = 2^(-8h/n_heads), h = 1…n_heads: the geometric sequence of the paper.

    The paper interleaves two sequences where n_heads is no power of two; here the one formula holds for all.
    """
    h = torch.arange(1, n_heads + 1, dtype=torch.float64)
    return (2.0 ** (-8 * h / n_heads)).float()


def alibi(n_heads: int, n_queries: int, n_keys: int, first: int | None = None) -> Tensor:
    """[head, query, key] bias -m_h·|q - k|: the further a key, the lower its score. The first query stands at `first`;
    without it the queries are the last ones.
    """
    place = torch.arange(n_keys)
    start = n_keys - n_queries if first is None else first
    distance = (place[start : start + n_queries, None] - place[None, :]).abs()  # [query, key]
    return -alibi_slopes(n_heads)[:, None, None] * distance
