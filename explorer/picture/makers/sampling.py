"""How sampling bends the next-token distribution: temperature, top-k, top-p. All in float64.

Top-k: Fan et al. 2018, section 5.4. Top-p: Holtzman et al. 2020, section 3.1.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.mathematics import softmax

_SLACK = 1e-12  # 0.6 + 0.3 is a little less than 0.9 in binary, and reaches it all the same

Probabilities = NDArray[np.float64]


def sampling_probabilities(logits: NDArray[Any], temperature: float) -> Probabilities:
    """[vocab] softmax(z / T): below 1 the likely become likelier, above 1 all come closer to each other."""
    # P[i] = exp(z[i] / T) / Σ_j exp(z[j] / T)
    return softmax(logits.astype(np.float64) / temperature)


def cut_away(probabilities: NDArray[Any], top_k: int, top_p: float) -> NDArray[np.bool_]:
    """[vocab] True: sampling would never draw this symbol.

    `top_k` keeps the k likeliest (0: all). `top_p` keeps the smallest set of likeliest symbols whose sum reaches p
    (1: all), at least one. Where both are set, top-k comes first, and top-p then counts with the probabilities of
    what top-k left, renormalised to sum to 1. Of equally likely symbols the one with the smaller id is kept first.
    """
    order = np.argsort(-probabilities, kind="stable")
    kept = order[:top_k] if top_k else order
    if top_p < 1:
        share = probabilities[kept].astype(np.float64)
        share /= share.sum()
        before = np.cumsum(share) - share  # what likelier symbols have already
        kept = kept[: max(1, int((before < top_p - _SLACK).sum()))]
    cut = np.ones(len(probabilities), bool)
    cut[kept] = False
    return cut


def mass_cut_away(probabilities: NDArray[Any], cut: NDArray[np.bool_]) -> float:
    """The share of probability that stands on symbols that were cut away."""
    return float(probabilities[cut].astype(np.float64).sum())
