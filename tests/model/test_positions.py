"""Positions against the papers' formulas in plain Python."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.model import positions
from tests.model.models import assert_same, noise


def paper(pos: int, feature: int, d_model: int, base: float) -> float:
    """PE(pos, 2i) = sin(pos/base^(2i/d)), PE(pos, 2i+1) = cos(pos/base^(2i/d)): Vaswani et al. 2017, 3.5."""
    angle = pos / base ** (2 * (feature // 2) / d_model)
    return math.sin(angle) if feature % 2 == 0 else math.cos(angle)


def test_four_features_at_place_one_have_the_known_values() -> None:
    """.8415 .5403 .0100 .9999: the tutorials print other numbers."""
    assert positions.sinusoidal(2, 4, 10000.0)[1].tolist() == pytest.approx([0.8415, 0.5403, 0.0100, 0.9999], abs=5e-5)


@pytest.mark.parametrize("base", [2.0, 100.0, 10000.0, 1e6])
@pytest.mark.parametrize("d_model", [8, 9, 64])
def test_sinusoidal_positions_are_the_papers(d_model: int, base: float) -> None:
    """To 1e-5 up to place 8191; an odd last feature is a sine."""
    table = positions.sinusoidal(8192, d_model, base)

    for pos in (0, 1, 2, 63, 1000, 8191):
        expected = [paper(pos, feature, d_model, base) for feature in range(d_model)]
        assert table[pos].tolist() == pytest.approx(expected, abs=1e-5)


def as_tutorial_a_writes_it(n: int, d: int) -> torch.Tensor:
    """Its loop, word for word: i steps by two and is doubled again, and the cosine has an exponent of its own."""
    pe = torch.zeros(n, d)
    for pos in range(n):
        for i in range(0, d, 2):
            pe[pos, i] = torch.sin(torch.tensor(pos) / (10000 ** ((2 * torch.tensor(i)) / d)))
            pe[pos, i + 1] = torch.cos(torch.tensor(pos) / (10000 ** ((2 * (torch.tensor(i) + 1)) / d)))
    return pe


@pytest.mark.parametrize("d_model", [4, 16, 64])
def test_the_doubled_exponent_is_tutorial_as(d_model: int) -> None:
    """Row A1: what its code computes, and that is not the paper's."""
    ours = positions.sinusoidal(80, d_model, 10000.0, kind="sinusoidal-doubled")

    assert_same(ours, as_tutorial_a_writes_it(80, d_model))
    assert not torch.allclose(ours, positions.sinusoidal(80, d_model, 10000.0), atol=0.1)


@pytest.mark.parametrize(
    ("kind", "place", "row"),
    [
        ("sinusoidal-doubled", 1, [0.8415, 0.9999, 0.0001, 1.0000]),  # A1: its true values
        # D3's formula at its word; the text takes 10000^(1/4) for 17.78 and 10000^(3/4) for 5623, which are 10 and 1000.
        ("sinusoidal-per-feature", 1, [0.8415, math.cos(0.1), 0.01, 1]),
        ("sinusoidal-per-feature", 2, [0.9093, math.cos(0.2), 0.02, 1]),
        ("sinusoidal-halved", 1, [0.8415, 0.5403, 0.0998, 0.9950]),  # E3 prints this
        ("sinusoidal-halved", 9, [0.4121, -0.9111, 0.7833, 0.6216]),
        ("sine-only", 1, [0.8415, math.sin(0.1), 0.01, math.sin(0.001)]),
    ],
)
def test_each_variant_gives_the_numbers_of_its_text(kind: str, place: int, row: list[float]) -> None:
    """Four features, base 10000."""
    assert positions.sinusoidal(10, 4, 10000.0, kind=kind)[place].tolist() == pytest.approx(row, abs=6e-5)


@pytest.mark.parametrize("kind", positions.EXPONENTS)
def test_a_later_beginning_is_the_rest_of_the_table(kind: str) -> None:
    """For decoding token by token."""
    assert torch.equal(positions.sinusoidal(12, 7, 50.0, kind=kind)[5:], positions.sinusoidal(7, 7, 50.0, 5, kind))


def test_a_step_is_the_same_rotation_everywhere() -> None:
    """PE(pos + k) = M(k)·PE(pos), a rotation of each pair by k·w: what makes distance easy to learn."""
    d_model, k = 16, 7
    table = positions.sinusoidal(100, d_model, 10000.0).double()
    turn = k * positions.frequencies(d_model // 2, d_model, 10000.0)
    sin, cos = table[:-k, 0::2], table[:-k, 1::2]

    assert_same(table[k:, 0::2], sin * turn.cos() + cos * turn.sin())
    assert_same(table[k:, 1::2], cos * turn.cos() - sin * turn.sin())


@settings(deadline=None)  # a busy machine is no fault of the numbers
@given(st.integers(1, 12), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_a_rotated_product_depends_on_the_distance_only(d_head: int, m: int, n: int, shift: int) -> None:
    """q at m times k at n equals q at m + shift times k at n + shift. Odd sizes too."""
    q, k = noise(d_head).double(), noise(d_head, seed=2).double()
    at_q, at_k = (positions.rotate(v.expand(81, d_head), 10000.0) for v in (q, k))  # [position, feature]

    moved = (at_q[m + shift] @ at_k[n + shift]).item()
    assert (at_q[m] @ at_k[n]).item() == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize("d_head", [1, 2, 7, 8])
def test_rotation_keeps_the_length(d_head: int) -> None:
    """And turns each pair by pos·w_i; the last of an odd number has no partner and stays."""
    x = noise(2, 3, 50, d_head)
    turned = positions.rotate(x, 10000.0)

    assert_same(turned.norm(dim=-1), x.norm(dim=-1))
    assert (turned[..., 0, :] == x[..., 0, :]).all()
    if d_head % 2:
        assert (turned[..., -1] == x[..., -1]).all()
    if d_head > 1:
        w = 1 / 10000 ** (2 * (d_head // 2 - 1) / d_head)
        i = 2 * (d_head // 2 - 1)
        expected = x[..., 9, i] * math.cos(9 * w) - x[..., 9, i + 1] * math.sin(9 * w)
        assert_same(turned[..., 9, i], expected)


def test_rotating_leaves_its_input_alone() -> None:
    """The unrotated tensor may be in use elsewhere."""
    x = noise(4, 8)
    before = x.clone()
    positions.rotate(x, 10000.0)

    assert (x == before).all()


def test_eight_heads_have_slopes_from_a_half_to_1_256th() -> None:
    """Press et al. 2022, section 3: 1/2, 1/4, … 1/256."""
    assert positions.alibi_slopes(8).tolist() == [2.0 ** -(h + 1) for h in range(8)]


def test_alibi_is_minus_slope_times_distance() -> None:
    """Zero on the diagonal, the same in both directions."""
    bias = positions.alibi(8, 5, 5)

    expected = [[[-(0.5 ** (h + 1)) * abs(q - k) for k in range(5)] for q in range(5)] for h in range(8)]
    assert bias.tolist() == expected


def test_sixteen_heads_start_at_the_square_root_of_a_half() -> None:
    """The paper's own example for 16 heads: 1/2^0.5, 1/2^1, 1/2^1.5, …"""
    assert positions.alibi_slopes(16).tolist() == pytest.approx([2 ** (-h / 2) for h in range(1, 17)])


def test_tables_are_float32() -> None:
    """They are worked out in float64 and rounded once."""
    assert positions.sinusoidal(3, 8, 10000.0).dtype == positions.alibi(2, 3, 3).dtype == torch.float32
