"""Every kind of positions against the tables of models that have it."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.model.positions import EXPONENTS
from explorer.trace.found.findings import DECODER_LEARNED, Variants
from tests.engine.experiments.asking import looked_into

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


@pytest.mark.parametrize("kind", [*EXPONENTS, "learned"])
def test_each_variant_is_the_table_of_a_model_with_it(computer: Computer, kind: str) -> None:
    """Whatever the model itself has: the same numbers as when one switches over."""
    found = looked_into(computer, "variants", position="rotary")
    switched = looked_into(computer, "variants", position=kind)
    variants: Variants = found.experiments["variants"]

    assert np.array_equal(variants.tables[kind][:64], switched.places)
    rows = switched.places[1:].astype(np.float64)
    cosine = rows @ rows[0] / np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[0])
    assert variants.against_distance[kind][:63] == pytest.approx(cosine, abs=1e-5)


def test_rotary_and_alibi_are_seen_by_distance(computer: Computer) -> None:
    """The mean of cos(k·w_i) over the pairs; -m·k with the first head's slope 2^(-8/n_heads)."""
    found: Variants = looked_into(computer, "variants", d_model=32, n_heads=2).experiments["variants"]
    k = np.arange(127)
    cosines = np.mean([np.cos(k * 10000.0 ** (-2 * i / 16)) for i in range(8)], axis=0)

    assert found.against_distance["rotary"] == pytest.approx(cosines, abs=1e-5)
    assert found.against_distance["alibi"] == pytest.approx(-k * 2.0**-4, abs=1e-6)


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only", "encoder-only"])
def test_each_side_has_its_own_learned_positions(computer: Computer, architecture: str) -> None:
    """The table of a side begins with what the pass recorded of it, and so does the one that is compared."""
    trace = looked_into(computer, "variants", position="learned", architecture=architecture)
    variants: Variants = trace.experiments["variants"]
    sides = [side for side in ("encoder", "decoder") if f"{side}.norm" in trace]

    for side in sides:
        recorded = trace[f"{side}.embedding.positions"]
        assert np.array_equal(trace.table(side)[: len(recorded)], recorded)
        name = DECODER_LEARNED if side == "decoder" and len(sides) == 2 else "learned"
        assert np.array_equal(variants.tables[name][: len(recorded)], recorded)
    if len(sides) == 2:
        assert not np.array_equal(trace.table("encoder"), trace.table("decoder"))


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_what_learned_positions_would_begin_with_is_the_sides_own(computer: Computer, architecture: str) -> None:
    """Shown beside another kind they are the very table that switching over gives."""
    shown: Variants = looked_into(computer, "variants", architecture=architecture).experiments["variants"]
    switched = looked_into(computer, "variants", position="learned", architecture=architecture)

    name = DECODER_LEARNED if architecture == "encoder-decoder" else "learned"
    assert np.array_equal(shown.tables[name][:64], switched.table("decoder")[:64])
