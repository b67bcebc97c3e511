"""Maps of results over prompts, beside NumPy's own mean and deviation."""

import numpy as np
import pytest

from explorer.lang import LANGUAGES, Words
from explorer.picture.makers.over_prompts import interval_of_prompts, mean_of_prompts, prompt_maps, told_kind, values_of_prompt
from explorer.picture.theme import DARK, LIGHT
from explorer.trace.found.metric_map import MetricMap
from explorer.trace.found.over_prompts import HeadsOverPrompts, MetricEffects, MetricPatching, OverPrompts

WORDS = Words.load("en")
RNG = np.random.default_rng(0)


def effects() -> MetricEffects:
    """Of two attentions; the second has one layer less."""
    values = RNG.standard_normal((5, 2, 3, 4)).astype(np.float32)
    values[:, 1, 2] = np.nan
    axes = {"attention": ("encoder.self_attn", "decoder.cross_attn"), "layer": None, "head": None}
    return MetricEffects(prompts=tuple("abcde"), plain=np.zeros(5, np.float32), maps={"heads": MetricMap(values, axes)})


def patching() -> MetricPatching:
    """Of heads, in texts of three tokens and of two."""
    values = RNG.standard_normal((2, 2, 2, 3)).astype(np.float32)
    values[1, ..., 2] = np.nan
    axes = {"tap": tuple(f"decoder.layers.{n}.self_attn.mixed" for n in range(2)), "head": None, "position": None}
    return MetricPatching(
        prompts=("a b c", "d e"),
        others=("x", "y"),
        plain=np.array([1, 2], np.float32),
        other=np.array([3, 6], np.float32),
        maps={"decoder head": MetricMap(values, axes)},
        tokens={"decoder": (("a", "b", "c"), ("d", "e"))},
    )


def test_rows_are_what_the_model_has_with_mean_and_interval() -> None:
    """Attention and layer along the rows; a layer that an attention lacks has none."""
    found = effects()
    laid = prompt_maps(found, "heads", WORDS, LIGHT)
    mean, interval = mean_of_prompts(laid, WORDS), interval_of_prompts(laid, WORDS)
    assert mean.rows.labels == ("encoder self L0", "encoder self L1", "encoder self L2", "cross L0", "cross L1")
    assert mean.columns.labels == ("H0", "H1", "H2", "H3")
    own = found["heads"].reshape(5, 6, 4)[:, :5].astype(np.float64)
    np.testing.assert_allclose(mean.values, own.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(interval.values, 1.96 * own.std(axis=0, ddof=1) / np.sqrt(5), rtol=1e-5)
    assert mean.scale.centred and not interval.scale.centred and mean.scale.high == pytest.approx(abs(mean.values).max())
    assert dict(mean.beside)["n"].tolist() == [[5.0] * 4] * 5
    assert prompt_maps(found, "heads", WORDS, DARK).scale.colours == DARK.signed_colours


def test_a_prompt_has_its_own_tokens_and_what_is_recovered() -> None:
    """Head by head; where only one text has a position, there is no interval, and the map says why."""
    found = patching()
    laid = prompt_maps(found, "decoder head", WORDS, LIGHT)
    one = values_of_prompt(laid, 1, WORDS)
    assert one.columns.labels == ("d", "e") and one.rows.labels[:2] == ("decoder self L0 H0", "decoder self L0 H1")
    recovered = (found["decoder head"][1] - 2) / (6 - 2)
    np.testing.assert_allclose(one.values, recovered.reshape(4, 3)[:, :2], rtol=1e-5)
    assert (one.scale.low, one.scale.high) == (-1, 1)
    interval = interval_of_prompts(laid, WORDS)
    assert interval.closed is not None and interval.closed[:, 2].all() and not interval.closed[:, :2].any()
    assert "two sentences" in interval.reason


def test_metrics_of_heads_begin_at_zero() -> None:
    """A metric has no other sign."""
    values = RNG.random((3, 1, 2, 2)).astype(np.float32)
    maps = {"entropy": MetricMap(values, {"attention": ("decoder.self_attn",), "layer": None, "head": None})}
    found = HeadsOverPrompts(prompts=tuple("abc"), plain=np.full(3, np.nan, np.float32), maps=maps)
    laid = prompt_maps(found, "entropy", WORDS, LIGHT)
    assert laid.scale.low == mean_of_prompts(laid, WORDS).scale.low == 0 and laid.values.shape == (3, 2, 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_its_words(language: str) -> None:
    """What is ablated, what is patched, paths, and metrics."""
    words = Words.load(language)
    kinds = ("heads", "layers", "feed_forwards", "encoder stream", "decoder head", "decoder feed_forward", "entropy")
    told = [told_kind(kind, words) for kind in (*kinds, "paths to decoder.self_attn.1.2.query")]
    assert len(set(told)) == len(told) and "decoder.self_attn.1.2.query" in told[-1]


def test_layers_and_networks_are_rows_of_an_attention_or_a_side() -> None:
    """The layers stand along the columns."""
    axes = {"side": ("encoder", "decoder"), "layer": None}
    found: OverPrompts = MetricEffects(
        prompts=("a",), plain=np.zeros(1, np.float32), maps={"feed_forwards": MetricMap(np.ones((1, 2, 3), np.float32), axes)}
    )
    made = mean_of_prompts(prompt_maps(found, "feed_forwards", WORDS, LIGHT), WORDS)
    assert made.rows.labels == ("encoder FFN", "decoder FFN") and made.columns.labels == ("L0", "L1", "L2")
