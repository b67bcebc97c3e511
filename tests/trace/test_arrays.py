"""Rows of several passes are one array, however they are cut and joined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.trace.arrays import ArrayParts, Arrays

EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=30)


@given(edits=EDITS, axis=st.sampled_from([1, 2]), ask=st.sets(st.integers(0, 30)))
def test_what_is_cut_and_joined_is_what_numpy_makes_at_once(edits: list[tuple[float, int]], axis: int, ask: set[int]) -> None:
    """Also when somebody has asked for some of the arrays in between, which joins them."""
    numbers = np.random.default_rng(0)

    def part(n: int) -> np.ndarray:
        return numbers.standard_normal((1, 2, n, 3) if axis == 2 else (1, n, 3)).astype(np.float32)

    plain = part(5)
    rows = ArrayParts.of(plain, axis)
    for turn, (share, n_new) in enumerate(edits):
        n, new = int(share * plain.shape[axis]), part(n_new)
        plain = np.concatenate([plain[:, :n] if axis == 1 else plain[:, :, :n], new], axis=axis)
        rows = rows.first(n).followed_by(new)
        assert rows.shape == plain.shape
        if turn in ask:
            assert (rows.joined() == plain).all()
    assert (rows.joined() == plain).all()
    assert rows.joined() is rows.joined()


def test_a_few_rows_do_not_hold_many_in_memory() -> None:
    """Of a thousand rows of which ten are left, ten are in memory."""
    large = np.zeros((1, 1000, 3), np.float32)
    few = ArrayParts.of(large, 1).first(10).joined()
    assert few.base is None
    assert few.nbytes == 10 * 3 * 4


def test_arrays_are_joined_when_they_are_asked_for() -> None:
    """Those that have only the later rows; a map that has all rows stays as it is."""
    before = Arrays({"x": np.ones((1, 4, 2), np.float32), "map": np.zeros((1, 4, 4), np.float32)})
    later = Arrays({"x": np.full((1, 1, 2), 2, np.float32), "map": np.full((1, 4, 4), 3, np.float32)})
    both = later.after(before, 3, {"x": 0})

    assert list(both) == ["x", "map"]
    assert both.shape("x") == (4, 2)
    assert both["x"][:, 0].tolist() == [1, 1, 1, 2]
    assert not both["x"].flags.writeable
    assert (both["map"] == 3).all()
    assert (before["x"] == 1).all()
