"""One cell in words."""

import numpy as np
import pytest

from explorer.picture import cell_text as describe
from explorer.picture.makers import attention, output
from explorer.picture.makers.heatmaps import tap_heatmap
from explorer.state.look import Look
from tests.picture.examples import LANGUAGES, example, words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.25, "0.25"),
        (-1.23456, "−1.235"),
        (1e-5, "1.000e−05"),
        (123456.0, "1.235e+05"),
        (float("nan"), "NaN"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
    ],
)
def test_a_number_is_short_and_typographic(value: float, text: str) -> None:
    """Four figures, a real minus, words for what is no number."""
    assert describe.number(value) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cell_says_value_tokens_tap_and_shape(language: str) -> None:
    """In both languages, and the axes are named in them."""
    trace = example("encoder-decoder")
    made = attention.head_map(trace, Look(attention="decoder.self_attn", head=2), words(language))
    said = describe.cell(made, 3, 1, words(language))
    value = describe.number(float(trace["decoder.layers.0.self_attn.weights"][2, 3, 1]))
    query, key = words(language)("axis.query"), words(language)("axis.key")
    for part in (value, f"{query} 3 天安门", f"{key} 1 爱", "decoder.layers.0.self_attn.weights", "[head 4, query 4, key 4]"):
        assert part in said


def test_a_closed_cell_says_why() -> None:
    """Not NaN, which would be a riddle."""
    made = attention.head_map(example(), Look(attention="decoder.self_attn"), words("en"))
    said = describe.cell(made, 0, 3, words("en"))
    assert "a later token" in said and "NaN" not in said


def test_a_feature_is_named_by_its_number() -> None:
    """It has no token."""
    made = tap_heatmap(example(), "encoder.norm", Look(), words("en"))
    assert "position 1 爱  →  feature 63\nencoder.norm [position 4, feature 64]" in describe.cell(made, 1, 63, words("en"))


def test_a_token_of_the_vocabulary_is_named() -> None:
    """Columns of the most probable tokens have names of their own."""
    made = output.top_map(example(), Look(), words("en"))
    assert f"token 0 {made.columns.labels[0]}" in describe.cell(made, 0, 0, words("en"))


def test_a_thumbnails_cell_says_layer_and_head_too() -> None:
    """The layer by its own number, not by its place in the picture."""
    trace = example()
    made = attention.head_wall(trace, Look(attention="decoder.self_attn"), words("en"), layers=(1,))
    said = describe.grid_cell(made, 0, 3, 2, 1, words("en"))
    assert "L1 H3: query 2 北京  →  key 1 爱" in said
    assert describe.number(float(trace["decoder.layers.1.self_attn.weights"][3, 2, 1])) in said
    assert "a later token" in describe.grid_cell(made, 0, 0, 0, 1, words("en"))


def test_a_value_that_is_no_number_is_said() -> None:
    """A NaN that no mask made is a finding."""
    made = attention.mask_map(example(), Look(), words("en"))
    made.values.setflags(write=True)
    made.values[0, 0] = np.nan
    assert describe.cell(made, 0, 0, words("en")).startswith("NaN")


@pytest.mark.parametrize("stage", ["scores", "scaled", "weights"])
def test_a_thumbnails_cell_has_the_arithmetic_of_its_own_head(stage: str) -> None:
    """The same words as in the map of that head, for every head and layer."""
    trace = example()
    for layer in (0, 1):
        for head in range(4):
            look = Look(attention="decoder.self_attn", layer=layer, head=head, stage=stage)
            alone = describe.cell(attention.head_map(trace, look, words("en")), 2, 1, words("en")).split("\n")[0]
            wall = attention.head_wall(trace, look, words("en"))
            assert describe.grid_cell(wall, layer, head, 2, 1, words("en")).split("\n")[0] == alone
            assert " = " in alone


def test_a_tip_has_no_arithmetic_and_says_how_to_follow() -> None:
    """Three lines; where the numbers are computed, a fourth says it."""
    made = attention.head_map(example(), Look(attention="decoder.self_attn", head=2), words("en"))
    lines = describe.cell_tip(made, 3, 1, words("en"), follows=True).split("\n")
    assert len(lines) == 3 and "e^" not in lines[0] and lines[2].endswith(words("en")("follow.how"))
    assert not describe.cell_tip(made, 3, 1, words("en"), follows=False).endswith(words("en")("follow.how"))
    mask = attention.mask_map(example(), Look(), words("en"))
    assert describe.cell_tip(mask, 0, 0, words("en"), follows=False).split("\n")[3] == words("en")("picture.origin.computed")
