"""The names of taps, known before a pass."""

import pytest

from explorer.trace.own_card import card_of, own_taps
from tests.trace.runs import recorded, small


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_they_are_those_that_a_pass_records(architecture: str) -> None:
    """All of them and no other, each once."""
    config = small(architecture=architecture, n_layers=3, norm_placement="post")
    named = own_taps(card_of(config))

    assert set(named) == set(recorded(config).arrays)
    assert len(set(named)) == len(named)
