"""The explicit attention against torch's own, and what each knob does to it."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from explorer.engine.recording.recorder import record
from explorer.model import masks, positions
from explorer.model.attention import Attention
from tests.model.models import assert_same, copy_attention, noise, randomized, small


def attention(relative: bool = True, **knobs: object) -> Attention:
    return randomized(Attention(small(**knobs), relative=relative))


def test_the_comparison_can_fail() -> None:
    """A difference of 2e-5 in one cell is found, on either side."""
    x = noise(2, 3)
    other = x.clone()
    other[1, 2] += 2e-5

    with pytest.raises(AssertionError):
        assert_same(other, x)
    with pytest.raises(AssertionError):
        assert_same(x, other)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_it_is_multihead_attention(bias: bool, causal: bool) -> None:
    """nn.MultiheadAttention with the same weights gives the same output and the same weights of each head."""
    ours = attention(bias=bias)
    theirs = nn.MultiheadAttention(24, 3, bias=bias, batch_first=True).eval()
    copy_attention(ours, theirs)
    x = noise(1, 6, 24)
    may_look = masks.causal(6, 6) if causal else None

    with record(ours) as recording:
        output = ours(x, x, may_look)
    expected, weights = theirs(x, x, x, attn_mask=None if may_look is None else ~may_look, average_attn_weights=False)

    assert_same(output, expected)
    assert_same(torch.from_numpy(recording.arrays["weights"].copy()), weights[0])


def test_across_it_is_multihead_attention_too() -> None:
    """Queries from one text, keys and values from another."""
    ours = attention(relative=False)
    theirs = nn.MultiheadAttention(24, 3, batch_first=True).eval()
    copy_attention(ours, theirs)
    x, memory = noise(2, 5, 24), noise(2, 7, 24, seed=2)

    assert_same(ours(x, memory, None), theirs(x, memory, memory)[0])


@pytest.mark.parametrize("causal", [True, False])
def test_it_is_the_fused_attention(causal: bool) -> None:
    """torch's scaled_dot_product_attention never makes the weights, and comes to the same."""
    ours = attention()
    q, k, v = (noise(2, 3, 6, 8, seed=seed) for seed in range(3))

    weights = ours.weigh(q, k, masks.causal(6, 6) if causal else None)

    assert_same(weights @ v, scaled_dot_product_attention(q, k, v, is_causal=causal))


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_temperature_divides_the_scores(temperature: float) -> None:
    """softmax(S / (√d_head · T)): torch's `scale` is the factor 1/(√d_head · T)."""
    ours = attention(temperature=temperature)
    q, k, v = (noise(1, 3, 4, 8, seed=seed) for seed in range(3))
    expected = scaled_dot_product_attention(q, k, v, scale=1 / (math.sqrt(8) * temperature))

    assert_same(ours.weigh(q, k, None) @ v, expected)


def test_a_high_temperature_evens_the_weights() -> None:
    """Low is sharp, high is even."""
    q, k = noise(1, 3, 4, 8), noise(1, 3, 4, 8, seed=2)
    cold, warm = (attention(temperature=t).weigh(q, k, None).max() for t in (0.2, 5.0))

    assert cold > warm > 0.25


def test_padding_hides_keys_of_its_own_sentence() -> None:
    """The second sentence is two tokens long; its other keys are masked in every head, as in torch."""
    ours = attention()
    theirs = nn.MultiheadAttention(24, 3, batch_first=True).eval()
    copy_attention(ours, theirs)
    x = noise(3, 4, 24)  # as many sentences as heads: a mask on the wrong axis would go unnoticed in its shape
    may_look = masks.padding(torch.tensor([4, 2, 3]), 4)
    hidden = torch.tensor([[False] * 4, [False, False, True, True], [False, False, False, True]])

    assert_same(ours(x, x, may_look), theirs(x, x, x, key_padding_mask=hidden)[0])


@pytest.mark.parametrize(("mask_value", "number"), [("-inf", -math.inf), ("-1e9", -1e9)])
def test_a_masked_score_is_the_mask_value(mask_value: str, number: float) -> None:
    """And its weight is exactly zero for both values."""
    ours = attention(mask_value=mask_value)
    x = noise(1, 4, 24)

    with record(ours) as recording:
        ours(x, x, masks.causal(4, 4))
    masked, weights = recording.arrays["masked"], recording.arrays["weights"]
    closed = ~masks.causal(4, 4).numpy()

    assert (masked[:, closed] == number).all()
    assert (weights[:, closed] == 0).all()
    assert (masked[:, ~closed] == recording.arrays["scaled"][:, ~closed]).all()


def test_a_row_masked_whole_is_uniform_or_nan() -> None:
    """-1e9 leaves each of four keys a quarter, -inf leaves nothing to divide by."""
    nobody = torch.zeros(4, 4, dtype=torch.bool)
    q, k = noise(1, 3, 4, 8), noise(1, 3, 4, 8, seed=2)

    assert_same(attention(mask_value="-1e9").weigh(q, k, nobody), torch.full((1, 3, 4, 4), 0.25))
    assert attention(mask_value="-inf").weigh(q, k, nobody).isnan().all()


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_alibi_lowers_scores_by_distance(temperature: float) -> None:
    """softmax((S/√d_head - m·|q - k|) / T), as an additive mask for torch."""
    ours = attention(position="alibi", temperature=temperature)
    q, k, v = (noise(1, 3, 5, 8, seed=seed) for seed in range(3))
    bias = positions.alibi(3, 5, 5) / temperature
    expected = scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=1 / (math.sqrt(8) * temperature))

    assert_same(ours.weigh(q, k, None) @ v, expected)


@pytest.mark.parametrize("kind", ["rotary", "alibi"])
def test_relative_positions_do_not_act_across(kind: str) -> None:
    """A query of one text and a key of another have no distance."""
    x, memory = noise(1, 4, 24), noise(1, 6, 24, seed=2)
    across, plain = (attention(relative=False, position=each)(x, memory, None) for each in (kind, "none"))
    within, without = (attention(position=each)(x, x, None) for each in (kind, "none"))

    assert (across == plain).all()
    assert not torch.allclose(within, without)


def test_rotary_turns_queries_and_keys_only() -> None:
    """The recorded query is the rotated one; values have no place."""
    turned, plain = attention(position="rotary"), attention(position="none")
    x = noise(1, 5, 24)

    with record(turned) as with_places:
        turned(x, x, None)
    with record(plain) as without:
        plain(x, x, None)

    for name in ("query", "key"):
        expected = positions.rotate(torch.from_numpy(without.arrays[name].copy()), 10000.0)
        assert_same(torch.from_numpy(with_places.arrays[name].copy()), expected)
        assert (with_places.arrays[name][:, 1:] != without.arrays[name][:, 1:]).any()
    assert (with_places.arrays["value"] == without.arrays["value"]).all()


def test_each_head_has_its_own_slice_of_the_features() -> None:
    """Splitting and merging are each other's inverse; head 1 of three holds features 8 to 15."""
    ours = attention()
    x = noise(2, 5, 24)

    assert (ours.split_heads(x)[:, 1] == x[:, :, 8:16]).all()
    assert (ours.merge_heads(ours.split_heads(x)) == x).all()


def test_weights_are_tapped_before_dropout() -> None:
    """Rows of `weights` sum to 1; `dropped` holds zeros and what was kept, times 1/(1 - p)."""
    ours = attention(dropout=0.5).train()
    x = noise(1, 12, 24)

    with record(ours) as recording:
        ours(x, x, None)
    weights, dropped = recording.arrays["weights"], recording.arrays["dropped"]
    kept = dropped != 0

    assert weights.sum(-1) == pytest.approx(1, abs=1e-6)
    assert 0.3 < kept.mean() < 0.7
    assert dropped[kept] == pytest.approx(weights[kept] / (1 - 0.5), rel=1e-6)


def test_scores_may_stay_undivided() -> None:
    """The knob score_scaling off: softmax(Q·Kᵀ), so that one can see why the paper divides."""
    divided, undivided = (randomized(Attention(small(score_scaling=on), relative=True)) for on in (True, False))
    x = noise(1, 4, 24)
    q, (k, _v) = undivided.queries(x), undivided.keys_and_values(x)

    assert_same(undivided.weigh(q, k, None), (q @ k.transpose(-1, -2)).softmax(-1))
    assert not torch.allclose(undivided(x, x, None), divided(x, x, None), atol=1e-3)
