"""What one step looks at, held against the recorded weights."""

import attrs
import numpy as np
import pytest

from explorer.errors import UnknownTap
from explorer.picture import cell_text as describe
from explorer.picture.makers.attention import step_cross, step_self
from explorer.state.look import Look
from tests.picture.examples import LANGUAGES, asked, example, words

EN = words("en")


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_across_a_row_is_a_heads_weights_of_that_step(layer: int, position: int) -> None:
    """Head by head, over the source's tokens; the last row is their mean in float64; nothing is closed."""
    trace = asked()
    made = step_cross(trace, Look(layer=layer, position=position), EN)
    recorded = trace[f"decoder.layers.{layer}.cross_attn.weights"]
    assert made.values.shape == (5, 4) and made.closed is None
    for head in range(4):
        np.testing.assert_array_equal(made.values[head], recorded[head, position])
    np.testing.assert_allclose(made.values[4], recorded[:, position].astype(float).sum(0) / 4, rtol=1e-6)
    np.testing.assert_allclose(made.values.sum(axis=1), 1, rtol=1e-5)
    assert made.rows.labels == ("0", "1", "2", "3", "mean")
    assert (made.columns.labels, made.columns.side) == (("我", "爱", "北京", "天安门"), "source")
    assert (made.scale.low, made.scale.high) == (0, 1)


@pytest.mark.parametrize("mask_value", ["-inf", "-1e9"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_later_tokens_are_closed_in_the_steps_own_row(position: int, mask_value: str) -> None:
    """NaN and hatched in every head and in the mean, with the reason; the last step has nothing later."""
    trace = asked(mask_value=mask_value)
    made = step_self(trace, Look(position=position), EN)
    later = [key > position for key in range(3)]
    assert (made.closed is None) == (position == 2)
    for row in range(5):
        assert np.isnan(made.values[row]).tolist() == later
        assert made.closed is None or made.closed[row].tolist() == later
    assert bool(made.reason) == (position < 2)
    recorded = trace["decoder.layers.0.self_attn.weights"][:, position, : position + 1]
    np.testing.assert_array_equal(made.values[:4, : position + 1], recorded)
    assert made.columns.labels == ("<bos>", *(token.text for token in trace.tokens.target[1:]))


def test_without_a_mask_nothing_is_closed() -> None:
    """The mask that counts is the recorded one."""
    assert step_self(asked(causal_mask=False), Look(position=0), EN).closed is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_title_says_step_token_and_layer(language: str) -> None:
    """What the step writes where it is asked for it, the position's own token elsewhere."""
    trace, look = asked(), Look(position=0, layer=1)
    for make, kind in ((step_cross, "cross_attn"), (step_self, "self_attn")):
        title = make(trace, look, words(language)).caption.title
        assert title.startswith(words(language)(f"attention.decoder.{kind}"))
        assert words(language)("step.where", step=0, number=1, token=trace.symbols[trace.expected[0]], layer=1) in title
    plain = step_cross(example(), look, words(language)).caption
    assert words(language)("step.where_position", step=0, token="我", layer=1) in plain.title
    assert (plain.tap, plain.shape) == ("decoder.layers.1.cross_attn.weights", "[head 4, key 4]")


def test_a_cell_is_told_by_head_and_token() -> None:
    """The head once, the mean as a mean, a closed cell by its reason."""
    made = step_self(asked(), Look(position=1), EN)
    assert "head 2  →  key 0 <bos>" in describe.cell(made, 2, 0, EN)
    assert "head mean  →  key 1" in describe.cell(made, 4, 1, EN)
    assert describe.cell(made, 4, 2, EN).startswith(EN("mask.future"))


def test_each_architecture_shows_what_it_has() -> None:
    """An encoder alone its own attention; without a source there is nothing across."""
    look = Look(position=1)
    assert step_self(example("encoder-only"), look, EN).caption.tap == "encoder.layers.0.self_attn.weights"
    assert step_self(example("decoder-only"), look, EN).caption.tap == "decoder.layers.0.self_attn.weights"
    with pytest.raises(UnknownTap):
        step_cross(example("decoder-only"), look, EN)


def test_the_colours_are_the_looks() -> None:
    """Like those of every other map of weights."""
    assert step_cross(asked(), attrs.evolve(Look(), unit_colours="viridis"), EN).scale.colours == "viridis"
