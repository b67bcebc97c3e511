"""Attention in blocks of queries: how large the blocks are, and that they change no number."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from explorer.model import blocks, masks
from explorer.model.attention import Attention
from tests.model.models import assert_same, noise, randomized, small


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 queries, as a much longer text has."""
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)


def test_maps_that_fit_are_made_at_once() -> None:
    """8 heads of 2,048 × 2,048 cells are 2²⁵ cells, which still fit; one query more does not."""
    assert blocks.rows_at_once(8, 2048, 2048) == 2048
    assert blocks.rows_at_once(8, 2049, 2048) < 2049


def test_a_block_has_about_16_megabytes_of_maps() -> None:
    """2²² cells of four bytes: 128 queries of 8 heads and 4,096 keys; never fewer than 64, and a multiple of 64."""
    assert blocks.rows_at_once(8, 4096, 4096) == 128
    assert blocks.rows_at_once(8, 4096, 3000) == 128
    assert blocks.rows_at_once(64, 100_000, 100_000) == 64


@pytest.mark.usefixtures("in_blocks")
def test_with_gradients_it_is_always_one_piece() -> None:
    """Without them the same queries are taken in blocks."""
    q = noise(1, 3, 130, 8)

    assert blocks.all_at_once(q, q)
    with torch.inference_mode():
        assert not blocks.all_at_once(q, q)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
def test_blocks_are_torchs_own_attention(kind: str) -> None:
    """130 queries are two blocks of 64 and a rest; a mask with one row for all queries serves every block."""
    q, k, v = (noise(2, 3, n, 8, seed=n) for n in (130, 131, 132))
    k, v = k[..., :120, :], v[..., :120, :]
    may_look = {"none": None, "causal": masks.causal(130, 120, 0), "padding": masks.padding(torch.tensor([120, 70]), 120)}[kind]
    ours, firsts = randomized(Attention(small(), relative=False)), []

    def mix(query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None, first: int | None = None) -> Tensor:
        firsts.append(first)
        return ours.weigh(query, key, seen, first) @ value

    with torch.inference_mode():
        mixed = blocks.block_by_block(mix, q, k, v, may_look)

    assert firsts == [0, 64, 128]
    assert_same(mixed, scaled_dot_product_attention(q, k, v, attn_mask=may_look))


@pytest.mark.usefixtures("in_blocks")
def test_a_wrong_block_would_be_found() -> None:
    """A mix that forgets the scores differs from torch's attention."""
    q = noise(1, 3, 130, 8)

    with torch.inference_mode(), pytest.raises(AssertionError):
        made = blocks.block_by_block(lambda query, *_others: query, q, q, q, None)
        assert_same(made, scaled_dot_product_attention(q, q, q))
