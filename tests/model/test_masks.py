"""Who may look at whom."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from explorer.config import MASK_VALUES, Config
from explorer.model import masks
from explorer.trace.kept_map import closed_cells


def test_a_query_sees_itself_and_what_came_before() -> None:
    """True means: may look."""
    assert masks.causal(3, 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_across_texts_of_other_lengths_it_counts_places() -> None:
    """Each query has at least the first key, so no row is masked whole."""
    assert masks.causal(2, 4).tolist() == [[True, False, False, False], [True, True, False, False]]
    assert masks.causal(4, 2).any(dim=-1).all()


def test_padding_hides_what_lies_beyond_a_sentence() -> None:
    """One row of keys for each sentence, the same for all heads and queries."""
    may_look = masks.padding(torch.tensor([3, 1]), 3)

    assert may_look.shape == (2, 1, 1, 3)
    assert may_look[:, 0, 0].tolist() == [[True, True, True], [True, False, False]]


def test_masks_join() -> None:
    """Causal and padding together: [batch, head 1, query, key]."""
    both = masks.causal(3, 3) & masks.padding(torch.tensor([3, 2]), 3)

    assert both[1, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]


def test_closing_changes_closed_cells_only() -> None:
    """And nothing at all where there is no mask."""
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert masks.close(scores, masks.causal(2, 2), -math.inf).tolist() == [[1.0, -math.inf], [3.0, 4.0]]
    assert masks.close(scores, None, -math.inf) is scores


def test_both_mask_values_are_exact_in_float32() -> None:
    """-1e9 is compared by equality later."""
    assert {name: torch.tensor(value).item() for name, value in MASK_VALUES.items()} == {"-inf": -math.inf, "-1e9": -1e9}


def test_the_knob_offers_the_values_that_are_declared() -> None:
    """Each of them makes a Config."""
    assert [Config(mask_value=name).mask_value for name in MASK_VALUES] == ["-inf", "-1e9"]


NEAR = [
    np.float32(value)
    for value in (-math.inf, -1e9, np.nextafter(np.float32(-1e9), np.float32(0)), -1e8, 1e9, math.inf, math.nan)
]


@given(arrays.arrays(np.float32, arrays.array_shapes(max_dims=4), elements=st.sampled_from(NEAR) | st.floats(width=32)))
def test_tensors_and_arrays_have_the_same_closed_cells(scores: np.ndarray) -> None:
    """Exactly -inf and -1e9: the next float32 above -1e9 is open, and so is what is no number."""
    wanted = [value in (-math.inf, -1e9) for value in scores.ravel().tolist()]

    assert masks.closed_cells(torch.from_numpy(scores)).flatten().tolist() == wanted
    assert closed_cells(scores).ravel().tolist() == wanted


def test_what_is_closed_is_found_closed() -> None:
    """By both values; a checker that knew -inf alone would miss the other."""
    scores, may_look = torch.randn(5, 5), masks.causal(5, 5)
    for value in MASK_VALUES.values():
        assert torch.equal(masks.closed_cells(masks.close(scores, may_look, value)), ~may_look)
    assert not torch.isneginf(masks.close(scores, may_look, MASK_VALUES["-1e9"])).any()


def test_a_mask_read_the_other_way_round_opens_what_was_closed() -> None:
    """1 = masked written, 0 = masked read. No mask stays no mask."""
    causal = masks.causal(3, 3)

    assert torch.equal(masks.handled(causal, "inverted", 3, 3), ~causal)
    assert masks.handled(None, "inverted", 3, 3) is None
    assert masks.handled(causal, "usual", 3, 3) is causal


def test_a_mask_of_zeros_closes_everything() -> None:
    """Rows B7 and E16: then -1e9 leaves each row even, 1/n, and -inf leaves nothing that is a number."""
    closed = masks.handled(None, "zeros", 4, 4)
    scores = torch.randn(4, 4)

    assert not closed.any()
    assert masks.close(scores, closed, -1e9).softmax(-1).tolist() == [[0.25] * 4] * 4
    assert masks.close(scores, closed, float("-inf")).softmax(-1).isnan().all()
