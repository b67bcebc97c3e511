"""How a model learns where a token stands: waves, a rotation, a bias on the scores, and the waves of several tutorials.

Learned positions are a table of `model.embedding`.

Sinusoidal: Vaswani et al. 2017, section 3.5. Rotary: Su et al. 2021, section 3.2. ALiBi: Press et al. 2022, section 3.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor


def frequencies(n_pairs: int, size: int, base: float) -> Tensor:
    """[pair] angle per position in radians: w_i = base^(-2i/size), from 1 down to almost 1/base. In float64."""
    i = torch.arange(n_pairs, dtype=torch.float64)
    # w_i = 1 / base^(2i/size)
    return base ** (-2 * i / size)


EXPONENTS: dict[str, Callable[[Tensor], Tensor]] = {
    # The paper: features 2i and 2i+1 are a pair and share one frequency.
    "sinusoidal": lambda j: 2 * (j // 2),
    # Tutorial A computes 2i/d though its i counts in steps of two already; sine and cosine get different frequencies.
    "sinusoidal-doubled": lambda j: 2 * j,
    # Tutorial E prints this table.
    "sinusoidal-halved": lambda j: j // 2,
    # Tutorial D's worked example takes its formula literally: each feature has a frequency of its own.
    "sinusoidal-per-feature": lambda j: j,
    # No feature has a cosine, which the paper's pairs avoid.
    "sine-only": lambda j: j,
}
"""The kinds of positions that add waves to the input, each with x_j in w_j = base^(-x_j/d) for feature j."""


def sinusoidal(n: int, d_model: int, base: float, first: int = 0, kind: str = "sinusoidal") -> Tensor:
    """[position, feature] PE(pos, j) = sin(pos·w_j) for even j and cos(pos·w_j) for odd j, `n` positions from `first` on.

    The paper's kind has w_2i = w_2i+1 = base^(-2i/d). If d is odd, the last feature is a sine. "sine-only" has sines alone.
    """
    # The angles are in float64: in float32, those of far positions would be wrong in the fourth decimal place.
    pos = torch.arange(first, first + n, dtype=torch.float64)[:, None]  # [position, 1]
    j = torch.arange(d_model)
    # w_j = base^(-x_j/d)
    w = base ** (-EXPONENTS[kind](j).double() / d_model)  # [feature]
    # cos(a) = sin(a + π/2)
    quarter = torch.where((j % 2 == 1) & (kind != "sine-only"), math.pi / 2, 0.0).double()  # [feature]
    # PE(pos, j) = sin(pos·w_j + quarter_j)
    return (pos * w + quarter).sin().float()  # [position, feature]


def rotate(x: Tensor, base: float, first: int = 0) -> Tensor:
    """Rotary positions: turn each feature pair (2i, 2i+1) of [..., position, feature] by the angle pos·w_i.

    The first position is `first`. If the number of features is odd, the last one has no partner and stays as it is.
    """
    n, d_head = x.shape[-2:]
    n_pairs = d_head // 2
    pos = torch.arange(first, first + n, dtype=torch.float64)[:, None]  # [position, 1]
    # angle = pos·w_i. The product of a turned query and a turned key depends only on the distance of their positions.
    angle = pos * frequencies(n_pairs, d_head, base)  # [position, pair]
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    even, odd = x[..., 0 : 2 * n_pairs : 2], x[..., 1 : 2 * n_pairs : 2]  # [..., position, pair]
    turned = x.clone()
    # (even', odd') = (even·cos - odd·sin, even·sin + odd·cos)
    turned[..., 0 : 2 * n_pairs : 2] = even * cos - odd * sin
    turned[..., 1 : 2 * n_pairs : 2] = even * sin + odd * cos
    return turned


def alibi_slopes(n_heads: int) -> Tensor:
    """[head] m_h = 2^(-8h/n_heads), h = 1…n_heads: the geometric sequence of the paper.

    The paper interleaves two sequences where n_heads is no power of two; here the one formula holds for all.
    """
    # m_h = 2^(-8h/n_heads)
    h = torch.arange(1, n_heads + 1, dtype=torch.float64)
    return (2.0 ** (-8 * h / n_heads)).float()


def alibi(n_heads: int, n_queries: int, n_keys: int, first: int | None = None) -> Tensor:
    """[head, query, key] bias -m_h·|q - k|: the further away a key, the lower its score.

    The first query stands at position `first`. Where it is None, the last query stands at the position of the last key.
    """
    place = torch.arange(n_keys)
    start = n_keys - n_queries if first is None else first
    distance = (place[start : start + n_queries, None] - place[None, :]).abs()  # [query, key]
    # B_h[q,k] = -m_h·|q - k|
    return -alibi_slopes(n_heads)[:, None, None] * distance
