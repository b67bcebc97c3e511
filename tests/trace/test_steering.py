"""Steering: the vector against means taken by hand, and what it does when it is added."""

import numpy as np
import pytest

import explorer
from explorer.errors import EmptyText, ExplorerError

TAP = "encoder.layers.1.residual2"
ME, HER = ["我喜欢猫。", "我在那里。", "我是老师。"], ["她喜欢猫。", "她在那里。", "她是老师。"]


def test_the_vector_is_the_difference_of_two_means_over_all_tokens() -> None:
    """Every token counts once, whatever the length of its sentence."""
    vector = explorer.steering(["我爱你", "好"], ["不"], TAP, preset="tiny", tokenizer="characters")
    rows = [
        explorer.explore(text, preset="tiny", tokenizer="characters")[TAP].astype(np.float64) for text in ("我爱你", "好", "不")
    ]

    assert vector == pytest.approx((rows[0].sum(axis=0) + rows[1].sum(axis=0)) / 4 - rows[2].mean(axis=0), abs=1e-6)
    assert vector.shape == (64,) and not vector.flags.writeable


def test_a_vector_that_is_added_moves_the_stream_by_it() -> None:
    """With the factor, at every token of that layer and at no earlier tap."""
    vector = explorer.steering(["我爱你"], ["不"], TAP, preset="tiny")
    plain = explorer.explore("你好吗", preset="tiny")
    change = explorer.Change(TAP, "add", value=2 * vector)
    steered = explorer.explore("你好吗", preset="tiny", changes=[change])

    assert steered[TAP] - plain[TAP] == pytest.approx(np.tile(2 * vector, (len(plain.tokens.source), 1)), abs=1e-5)
    assert np.array_equal(steered["encoder.layers.1.residual1"], plain["encoder.layers.1.residual1"])
    assert not np.array_equal(steered["generator.logits"], plain["generator.logits"])


@pytest.mark.slow
def test_a_translation_is_steered() -> None:
    """On the trained model, from "I" to "She": twice the vector, and nothing at a factor of 0."""
    vector = explorer.steering(HER, ME, TAP)
    changes = [explorer.Change(TAP, "add", value=factor * vector) for factor in (0.0, 2.0)]
    said = [explorer.explore("我喜欢书。", changes=[change]).target for change in changes]

    assert said[0] == explorer.explore("我喜欢书。").target and said[0].startswith("I ")
    assert said[1].startswith("She ")


def test_what_cannot_be_a_vector_is_refused() -> None:
    """An empty set and an unknown tap."""
    with pytest.raises(EmptyText):
        explorer.steering([], ["不"], TAP, preset="tiny")
    with pytest.raises(ExplorerError):
        explorer.steering(["我"], ["不"], "encoder.nothing", preset="tiny")
