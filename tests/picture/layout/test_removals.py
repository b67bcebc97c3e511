"""Removals: what their legend names."""

import attrs
import numpy as np
import pytest

from explorer.picture.causal_kinds import Removals
from explorer.picture.figure.svg import render
from tests.golden.test_figures import PICTURES
from tests.picture.examples import LANGUAGES, words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_names_what_is_drawn(language: str) -> None:
    """A ring where the cost of at least one part is known; nothing where there are no parts to compare."""
    said, picture = words(language), PICTURES["removals"]
    assert isinstance(picture, Removals) and np.isnan(picture.costs).any()
    waiting = attrs.evolve(picture, costs=np.full(3, np.nan, np.float32))
    none = attrs.evolve(picture, names=(), taps=(), shares=np.zeros(0, np.float32), costs=np.zeros(0, np.float32))
    share, cost = said("removals.share"), said("removals.cost")
    for each, named in ((picture, (True, True)), (waiting, (True, False)), (none, (False, False))):
        svg = render(each, said)
        assert (f">{share}<" in svg, f">{cost}<" in svg) == named
