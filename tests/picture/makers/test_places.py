"""The difference of two passes at each place of any tap."""

import attrs
import numpy as np
import pytest

from explorer.lang import Words
from explorer.picture.makers.places import place_difference
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example

WEIGHTS = "decoder.layers.1.self_attn.weights"
MASKED = "decoder.layers.1.self_attn.masked"


def beside(text: str = "我爱北京天安门", **knobs: object) -> Trace:
    return attrs.evolve(example(), compared_with=example(text=text, **knobs))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tap", [WEIGHTS, "encoder.layers.0.norm1", "generator.logits"])
def test_each_cell_is_now_minus_then(language: str, tap: str) -> None:
    """Of the chosen head, or of a tap without heads; the note has the largest."""
    trace, words = beside(temperature=0.5), Words.load(language)
    made = place_difference(trace, Look(tap=tap), words, 1)
    other = trace.compared_with
    assert made is not None and other is not None
    wanted = trace[tap] - other[tap]
    wanted = wanted[1] if wanted.ndim == 3 else wanted
    shown = np.where(np.isnan(made.values), np.float32(0), made.values)

    np.testing.assert_array_equal(shown, wanted)
    assert made.caption.note == words("compare.largest", difference=f"{np.abs(wanted).max():.3g}")
    assert (made.caption.origin, made.head) == ("computed", 1 if tap == WEIGHTS else None)


def test_cells_closed_in_both_passes_are_closed() -> None:
    """They are no difference of 0, and where one of the passes looks ahead they are open."""
    both = place_difference(beside(seed=3), Look(tap=MASKED), Words.load("en"))
    one = place_difference(beside(causal_mask=False), Look(tap=WEIGHTS), Words.load("en"))

    assert both is not None and both.closed is not None and np.isnan(both.values[0, 1:]).all()
    assert one is not None and one.closed is None and (one.values[0, 1:] < 0).all()


def test_other_tokens_are_named_then_and_now() -> None:
    """Places are compared and not words, which the labels say."""
    made = place_difference(beside(text="我爱上海天安门"), Look(tap="encoder.norm"), Words.load("en"))

    assert made is not None
    assert "上海→北京" in made.rows.labels and "我" in made.rows.labels


def test_where_nothing_agrees_there_is_no_picture() -> None:
    """Neither without a second pass, nor for another number of tokens."""
    look, words = Look(tap="encoder.norm"), Words.load("en")

    assert place_difference(example(), look, words) is None
    assert place_difference(beside(text="我爱"), look, words) is None
