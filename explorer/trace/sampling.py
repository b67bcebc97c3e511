"""How sampling changes the next-token distribution: temperature, top-k, top-p; computed in float64.

Top-k: Fan et al. 2018, section 5.4. Top-p: Holtzman et al. 2020, section 3.1.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.mathematics import softmax

_SLACK = 1e-12  # 0.6 + 0.3 is slightly below 0.9 in binary and must still reach it

Probabilities = NDArray[np.float64]


def sampling_probabilities(logits: NDArray[Any], temperature: float) -> Probabilities:
    """softmax(z / T) [vocab]. T < 1 makes likely symbols likelier; T > 1 makes all symbols more equal."""
    # P[i] = exp(z[i] / T) / Σ_j exp(z[j] / T)
    return softmax(logits.astype(np.float64) / temperature)


def cut_away(probabilities: NDArray[Any], top_k: int, top_p: float) -> NDArray[np.bool_]:
    """The symbols that sampling would never draw: [vocab], True where a symbol is cut away.

    `top_k` keeps the k likeliest (0: all). `top_p` keeps the smallest set of likeliest symbols whose sum reaches p
    (1: all), at least one. With both, top-k comes first; the probabilities it keeps are renormalised to sum to 1, and
    top-p counts with those. Of equally likely symbols the one with the smaller id is kept first.
    """
    order = np.argsort(-probabilities, kind="stable")  # ids, likeliest first
    kept = order[:top_k] if top_k else order
    if top_p < 1:
        share = probabilities[kept].astype(np.float64)
        share /= share.sum()
        # before[i] = Σ_{j < i} share[j]: the probability of all likelier symbols. Symbol i is kept while before[i] < p.
        before = np.cumsum(share) - share
        kept = kept[: max(1, int((before < top_p - _SLACK).sum()))]
    cut = np.ones(len(probabilities), bool)
    cut[kept] = False
    return cut


def mass_cut_away(probabilities: NDArray[Any], cut: NDArray[np.bool_]) -> float:
    """The sum of the probabilities of the symbols that were cut away."""
    return float(probabilities[cut].astype(np.float64).sum())
