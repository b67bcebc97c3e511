"""Maps of saliency: where no way leads, there is no number."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.lang import Words
from explorer.picture.makers.saliency import saliency_map
from explorer.state.look import Look

ENGLISH = Words.load("en")


@pytest.mark.parametrize("method", ["gradient", "integrated"])
def test_words_that_are_not_written_yet_have_closed_cells(method: str) -> None:
    """Their gradient is zero, because the mask leaves no way; a cell on a way is open, however small its number."""
    trace = explorer.explore("我爱北京天安门", target="I love Beijing", preset="tiny", experiments=["saliency"])
    look = attrs.evolve(Look(), saliency=method)
    made = saliency_map("decoder")(trace, look, ENGLISH)
    assert made is not None and made.closed is not None
    assert (made.closed == np.triu(np.ones(made.values.shape, dtype=bool), 1)).all()
    assert (np.isnan(made.values) == made.closed).all()  # No 0.00 is written there.
    source = saliency_map("encoder")(trace, look, ENGLISH)
    assert source is not None and source.closed is None


def test_a_number_that_is_not_zero_is_shown_wherever_it_is() -> None:
    """Without the mask a way leads from later words, too."""
    trace = explorer.explore(
        "我爱北京天安门", target="I love Beijing", preset="tiny", experiments=["saliency"], causal_mask=False
    )
    made = saliency_map("decoder")(trace, Look(), ENGLISH)
    assert made is not None and made.closed is None
    assert (made.values[0, 1:] != 0).any()
