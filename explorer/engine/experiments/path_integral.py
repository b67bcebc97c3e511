"""An integral of slopes along a path, in as many steps as it needs: where the value bends most, steps become shorter.

What a part of the path adds to the value is known at both its ends, so each part tells by how much its slopes miss that. The
trapezoidal rule looks at both ends alone: halving a part takes one new step, and nothing that was computed is lost.
"""

from collections.abc import Callable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Walk = Callable[[Sequence[float], Sequence[int]], tuple[Numbers, Numbers]]
"""At some places of the path (0 to 1) and for some words by number: values [place, word], slopes [place, word, token]."""

FIRST_STEPS = 17
_AT_ONCE = 16  # so many parts of the path are halved before the sum is looked at again
_SMALL = 0.05  # nat
# A norm without biases turns at once where the path begins: its bend may lie at a millionth of the path, 16 halvings away.
_NEARER = 16


@attrs.frozen(eq=False)
class Integral:
    """What each token brings to each word along the path: `parts` [word, token] in nats, made of `n_steps` at most.

    `errors` [word] are by how much the parts miss what they should sum to; `ends` [end, word] are the values at 0 and 1.
    """

    parts: Numbers
    errors: Numbers
    ends: Numbers
    n_steps: int


def integral(walk: Walk, n_words: int, most_steps: int) -> Integral:
    """Halve the parts that miss most until each word's parts miss their sum by no more than 0.05 nat. Raises like `walk`.

    It gives up before there are more than `most_steps`, and where a value is no number.
    """
    places = np.linspace(0.0, 1.0, FIRST_STEPS)
    left = np.arange(n_words)  # the words whose parts still miss too much
    values, slopes = walk(places.tolist(), left.tolist())
    parts, errors, ends = np.zeros((n_words, slopes.shape[-1])), np.zeros(n_words), values[[0, -1]]
    while True:
        # ∫ s dα ≈ Σ_k (α[k+1] − α[k]) · (s[k] + s[k+1]) / 2
        terms = np.diff(places)[:, None, None] * (slopes[1:] + slopes[:-1]) / 2  # [part of the path, word, token]
        misses = terms.sum(axis=-1) - np.diff(values, axis=0)  # [part of the path, word]
        parts[left], errors[left] = terms.sum(axis=0), misses.sum(axis=0)
        on = np.abs(errors[left]) > _SMALL  # False where the error is no number
        if not on.any() or len(places) + _AT_ONCE > most_steps:
            return Integral(parts, errors, ends, len(places))
        left, values, slopes, misses = left[on], values[:, on], slopes[:, on], misses[:, on]
        worst = np.argsort(-np.abs(misses).max(axis=1), kind="stable")[:_AT_ONCE]
        new = np.where(worst == 0, places[1] / _NEARER, (places[worst] + places[worst + 1]) / 2)
        new_values, new_slopes = walk(new.tolist(), left.tolist())
        order = np.argsort(np.concatenate([places, new]), kind="stable")
        places = np.concatenate([places, new])[order]
        values, slopes = (np.concatenate(both)[order] for both in ((values, new_values), (slopes, new_slopes)))
