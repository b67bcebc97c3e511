"""Two tokens exchanged, with positions and without, against the pass over the other sentence."""

import pytest

from explorer.engine.compute import Computer
from explorer.trace.found.findings import Swap
from tests.engine.experiments.asking import looked_into

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only"])
def test_without_positions_an_exchange_of_words_exchanges_rows(computer: Computer, architecture: str) -> None:
    """Row C5: 狗是人养的 and 人是狗养的. With positions the rows are other ones."""
    trace = looked_into(computer, "swap", architecture=architecture)
    found: Swap = trace.experiments["swap"]
    with_positions, without = found.differences()

    assert "".join(token.text for token in found.tokens) == "人是狗养的"
    assert without < 1e-5
    assert with_positions > 0.01
    assert found.usual == pytest.approx(trace["encoder.norm"], abs=1e-6)
    other = looked_into(computer, "swap", "人是狗养的", architecture=architecture)
    assert found.usual_swapped[[2, 1, 0, 3, 4]] == pytest.approx(other["encoder.norm"], abs=1e-5)


def test_learned_positions_can_be_taken_away(computer: Computer) -> None:
    """The table rests meanwhile."""
    using, without = looked_into(computer, "swap", position="learned").experiments["swap"].differences()

    assert without < 1e-5 < using
