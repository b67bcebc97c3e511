"""Waves: each chosen feature of the recorded positions as a curve over the places in the text."""

import numpy as np

from explorer.lang import Words
from explorer.picture.look import Look
from explorer.picture.make import caption
from explorer.picture.picture import Waves
from explorer.trace.trace import Trace

_CURVES = 8


def waves(trace: Trace, look: Look, words: Words) -> Waves:
    """Up to eight features, spread evenly from the fastest to the slowest.

    They are the recorded tensor and nothing more: a text of four tokens gives four points on each curve.
    """
    tap = f"{look.side}.embedding.positions"
    recorded = trace[tap]  # [position, feature]
    n, d_model = recorded.shape
    chosen = np.unique(np.linspace(0, d_model - 1, min(_CURVES, d_model)).astype(int))
    return Waves(
        values=recorded[:, chosen].T, names=tuple(words("picture.feature", feature=int(i)) for i in chosen),
        n_marked=n, caption=caption(trace, tap, words), x_name=words("axis.position"),
    )
