"""Whole layers against torch's own with the same weights."""

import itertools

import pytest
import torch
from torch import nn

from explorer.engine.recording.recorder import record
from explorer.model import masks
from explorer.model.layers import DecoderLayer, EncoderLayer, FeedForward
from tests.model.models import assert_same, copy_decoder_layer, copy_encoder_layer, noise, randomized, small

EVERY_KIND = list(itertools.product(["pre", "post"], ["relu", "gelu"], [True, False]))


@pytest.mark.parametrize(("placement", "activation", "bias"), EVERY_KIND)
def test_the_encoder_layer_is_torchs(placement: str, activation: str, bias: bool) -> None:
    """nn.TransformerEncoderLayer, norm first and last, ReLU and GELU, with biases and without."""
    ours = randomized(EncoderLayer(small(norm_placement=placement, activation=activation, bias=bias)))
    theirs = nn.TransformerEncoderLayer(
        24, 3, 40, dropout=0, activation=activation, batch_first=True, norm_first=placement == "pre", bias=bias
    )
    copy_encoder_layer(ours, theirs)
    x, may_look = noise(2, 6, 24), masks.causal(6, 6)

    assert_same(ours(x, None), theirs(x))
    assert_same(ours(x, may_look), theirs(x, src_mask=~may_look))


@pytest.mark.parametrize(("placement", "activation", "bias"), EVERY_KIND)
def test_the_decoder_layer_is_torchs(placement: str, activation: str, bias: bool) -> None:
    """nn.TransformerDecoderLayer with a causal mask on itself, and a mask across."""
    ours = randomized(DecoderLayer(small(norm_placement=placement, activation=activation, bias=bias)))
    theirs = nn.TransformerDecoderLayer(
        24, 3, 40, dropout=0, activation=activation, batch_first=True, norm_first=placement == "pre", bias=bias
    )
    copy_decoder_layer(ours, theirs)
    x, memory = noise(2, 5, 24), noise(2, 7, 24, seed=2)
    may_look, across = masks.causal(5, 5), masks.causal(5, 7)

    assert_same(ours(x, memory, may_look, None), theirs(x, memory, tgt_mask=~may_look))
    assert_same(ours(x, memory, may_look, across), theirs(x, memory, tgt_mask=~may_look, memory_mask=~across))


def test_pre_and_post_norm_differ() -> None:
    """The same weights, another order: the comparison with torch would notice a swap."""
    pre, post = (randomized(EncoderLayer(small(norm_placement=each))) for each in ("pre", "post"))
    x = noise(1, 6, 24)

    assert not torch.allclose(pre(x, None), post(x, None), atol=1e-2)


def test_after_post_norm_each_position_has_mean_zero_and_deviation_one() -> None:
    """The last thing a post-norm layer does is to normalize."""
    layer = EncoderLayer(small(norm_placement="post")).eval()
    out = layer(noise(1, 6, 24), None)

    assert_same(out.mean(-1), torch.zeros(1, 6))
    torch.testing.assert_close(out.std(-1, unbiased=False), torch.ones(1, 6), atol=1e-4, rtol=0)


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_dropout_acts_on_each_sublayers_output_before_the_addition(placement: str) -> None:
    """x + dropout(f(x)), Vaswani et al. 2017, 5.4: what was added is zero or twice the output, at p = 0.5."""
    layer = randomized(EncoderLayer(small(dropout=0.5, norm_placement=placement))).train()
    x = noise(1, 6, 24)
    torch.manual_seed(0)
    with record(layer) as recording:
        layer(x, None)
    went_in = {1: x[0].numpy(), 2: recording.arrays["residual1" if placement == "pre" else "norm1"]}

    for number, sublayer in enumerate(("self_attn", "feed_forward"), start=1):
        output = recording.arrays[f"{sublayer}.output"]
        added = recording.arrays[f"residual{number}"] - went_in[number]
        dropped = abs(added) < 1e-5
        assert 0.3 < dropped.mean() < 0.7
        assert added[~dropped] == pytest.approx(2 * output[~dropped], abs=1e-5)


def test_dropout_in_the_feed_forward_acts_on_what_was_activated() -> None:
    """The tap `activated` shows it before dropout; with p = 0.9 the output is another."""
    feed = randomized(FeedForward(small(dropout=0.9)))
    x = noise(1, 6, 24)
    with record(feed) as resting:
        feed(x)
    torch.manual_seed(0)
    with record(feed.train()) as acting:
        feed(x)

    assert (resting.arrays["activated"] == acting.arrays["activated"]).all()
    assert (resting.arrays["output"] != acting.arrays["output"]).any()


def test_without_residuals_only_the_sublayers_are_left() -> None:
    """x + f(x) becomes f(x): what leaves the layer is what its last sublayer computed."""
    layer = randomized(EncoderLayer(small(residual=False)))
    x = noise(1, 4, 24)
    attended = layer.self_attn(*(layer.around_self.normalize(x),) * 2, None)

    assert_same(layer(x, None), layer.feed_forward(layer.around_feed.normalize(attended)))
