"""What stays of each block of a long text lies apart from the memory in which the blocks come and go."""

import pytest
import torch

from explorer.engine.recording.pooling_recorder import Shelf


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bool, torch.bfloat16])
def test_what_is_put_there_is_the_same_and_its_own(dtype: torch.dtype) -> None:
    """Numbers, type and shape; changing the original changes nothing, and no tensor lies on another."""
    shelf = Shelf()
    given = [torch.randn(3, size, 5, generator=torch.Generator().manual_seed(size)).to(dtype) for size in (1, 7, 64)]
    copies = [each.clone() for each in given]
    kept = [shelf.put(each) for each in given]
    for each in given:
        each.zero_()

    for expected, got in zip(copies, kept, strict=True):
        assert (expected.dtype, expected.shape) == (got.dtype, got.shape)
        assert torch.equal(expected, got)


def test_small_tensors_share_one_large_piece_of_memory() -> None:
    """Large enough that the C library asks the system for it; one that is larger still gets its own."""
    shelf = Shelf()
    first, second = shelf.put(torch.ones(1000)), shelf.put(torch.ones(1000))
    large = shelf.put(torch.ones(2**25))
    assert first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    assert first.untyped_storage().nbytes() == 2**26
    assert large.untyped_storage().nbytes() == 2**27


def test_an_empty_tensor_can_be_put_there() -> None:
    """A sentence without tokens has no rows."""
    assert Shelf().put(torch.ones(0, 4)).shape == (0, 4)
