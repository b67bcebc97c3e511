"""Attention rollout, against a sum over all paths and answers known beforehand."""

import itertools
import math

import numpy as np
import pytest

from explorer.trace.found.rollout import rollout


def by_paths(layers: list[np.ndarray], query: int, key: int) -> float:
    """The same as a sum over every path through the layers: at each layer a token stays (½) or goes along a mean weight (½)."""
    n, total = layers[0].shape[-1], 0.0
    for between in itertools.product(range(n), repeat=len(layers) - 1):
        places = (query, *between, key)  # from the last layer down to the input
        step = 1.0
        for layer, (here, there) in zip(reversed(layers), itertools.pairwise(places), strict=True):
            mean = math.fsum(float(head[here, there]) for head in layer) / len(layer)
            step *= 0.5 * mean + (0.5 if here == there else 0.0)
        total += step
    return total


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_rollout_is_the_sum_over_all_paths(n_layers: int) -> None:
    """Of random weights of three heads and four tokens; each row sums to 1."""
    random = np.random.default_rng(n_layers).random((n_layers, 3, 4, 4), np.float32)
    layers = list(random / random.sum(-1, keepdims=True))
    made = rollout(layers)
    assert made == pytest.approx(np.array([[by_paths(layers, q, k) for k in range(4)] for q in range(4)]), abs=1e-7)
    assert made.sum(1) == pytest.approx(np.ones(4), abs=1e-6)
    assert made != pytest.approx(rollout(layers[::-1]), abs=1e-3) or n_layers == 1


def test_heads_that_look_at_themselves_leave_everything_where_it_is() -> None:
    """Identity through any number of layers is identity; a causal mask stays causal."""
    same = np.eye(5, dtype=np.float32)[None]
    assert np.array_equal(rollout([same] * 4), np.eye(5))
    causal = np.tril(np.ones((2, 5, 5), np.float32))
    causal /= causal.sum(-1, keepdims=True)
    assert (np.triu(rollout([causal] * 3), 1) == 0).all()
