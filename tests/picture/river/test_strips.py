"""The columns of vectors at the left of a river: one scale for what is added, unless that would leave one of them blank."""

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.picture.river.river import Half
from explorer.picture.river.strips import reaches
from explorer.state.look import Look
from tests.picture.examples import asked


@pytest.fixture
def half() -> Half:
    return river(asked("he likes it"), Look(), Words.load("en")).halves[0]


def test_vectors_and_their_sums_share_a_scale(half: Half) -> None:
    """It ends at the largest number of both, so that the eye can add them."""
    most = max(float(np.abs(values).max()) for values in (half.scaled, half.output))
    assert reaches(half) == (most, most)


def test_vectors_that_would_be_blank_have_a_scale_of_their_own(half: Half) -> None:
    """As those of a model of others that makes its sums far larger by a norm. Zeros stay on the scale of the others."""
    small = attrs.evolve(half, scaled=half.scaled / 100)
    before, after = reaches(small)
    assert before == pytest.approx(float(np.abs(half.scaled).max()) / 100)
    assert after == pytest.approx(float(np.abs(half.output).max()))
    normed = attrs.evolve(half, output=half.output / half.output.std(axis=1, keepdims=True))
    assert reaches(normed) == (float(np.abs(half.scaled).max()), float(np.abs(normed.output).max()))
    nothing = attrs.evolve(half, scaled=0 * half.scaled)
    assert reaches(nothing) == (after, after)
    assert reaches(attrs.evolve(nothing, output=0 * half.output)) == (1.0, 1.0)
