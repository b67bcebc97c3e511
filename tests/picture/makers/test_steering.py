"""Pictures of steering, against numbers made by hand."""

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.change_text import told_change
from explorer.picture.makers.steering import chosen_tap, direction_map, found_steering, steered_rewording, told_lengths, why_not
from explorer.state.look import Look
from explorer.state.steering_sets import MOST_SENTENCES
from explorer.trace.trace import Trace

WORDS = Words.load("en")


@pytest.fixture(scope="module")
def trace() -> Trace:
    request = Request.from_preset("tiny", "你好吗").wishing(toward=("我爱你", "好"), away=("不",))
    return Computer()(request.asking(experiments=frozenset({"steering"}))).trace


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_cell_is_the_cosine_of_a_tokens_stream_and_the_vector(trace: Trace, side: str) -> None:
    """Of every layer with its own vector, in float64."""
    picture, found = direction_map(trace, Look(side=side, layer=1), WORDS), found_steering(trace)
    assert picture is not None and found is not None
    last = {"encoder": 2, "decoder": 3}[side]
    for layer in range(2):
        tap = f"{side}.layers.{layer}.residual{last}"
        for token, x in enumerate(trace[tap].astype(np.float64)):
            v = found.vectors[tap].astype(np.float64)
            assert picture.values[layer, token] == pytest.approx(x @ v / np.sqrt((x @ x) * (v @ v)), abs=1e-6)
    assert picture.taps == tuple(f"{side}.layers.{layer}.residual{last}" for layer in range(2))
    assert picture.caption.origin == "beside" and picture.caption.tap == f"{side}.layers.*.residual{last}"


def test_a_set_without_a_difference_points_nowhere(trace: Trace) -> None:
    """A vector of zeros has no direction, and nothing is divided by it."""
    request = Request.from_preset("tiny", "你好吗").wishing(toward=("我",), away=("我",))
    same = Computer()(request.asking(experiments=frozenset({"steering"}))).trace
    picture, found = direction_map(same, Look(), WORDS), found_steering(same)

    assert picture is not None and (picture.values == 0).all()
    assert found is not None
    change = found.change("encoder.layers.0.residual2", 2.0)
    assert change is not None and found.factor(change) == 0.0


def test_the_chosen_stream_is_that_of_side_and_layer(trace: Trace) -> None:
    """The nearest one where the model has no such layer or side."""
    found = found_steering(trace)
    assert found is not None

    assert chosen_tap(found, Look(side="decoder", layer=1)) == "decoder.layers.1.residual3"
    assert chosen_tap(found, Look(side="encoder", layer=9)) == "encoder.layers.1.residual2"
    encoder = attrs.evolve(found, vectors={tap: v for tap, v in found.vectors.items() if tap.startswith("encoder")})
    assert chosen_tap(encoder, Look(side="decoder", layer=0)) == "encoder.layers.0.residual2"
    assert told_lengths(found, "encoder.layers.0.residual2", WORDS).count(" long") == 1


def test_without_vectors_there_is_a_sentence_and_no_picture() -> None:
    """While they are computed there is neither."""
    request = Request.from_preset("tiny", "你好吗").wishing(toward=("我",) * (MOST_SENTENCES + 1))
    trace = Computer()(request.asking(experiments=frozenset({"steering"}))).trace
    pending = attrs.evolve(trace, experiments={})

    assert direction_map(trace, Look(), WORDS) is None and str(MOST_SENTENCES) in why_not(trace, WORDS)
    assert direction_map(pending, Look(), WORDS) is None and why_not(pending, WORDS) == ""


def test_a_vector_in_the_list_of_changes_is_told_by_its_length(trace: Trace) -> None:
    """√Σ v², and not by hundreds of numbers."""
    found = found_steering(trace)
    assert found is not None
    change = found.change("encoder.layers.1.residual2", 2.0)
    assert change is not None
    length = 2 * float(np.linalg.norm(found.vectors["encoder.layers.1.residual2"].astype(np.float64)))

    assert told_change(change, None, WORDS).endswith(f"+ a vector of length {length:.3g}")


@pytest.mark.slow
def test_before_the_slider_moves_the_card_says_what_to_do() -> None:
    """Afterwards it has the words of both translations; a model that writes none says so."""
    computer = Computer()
    asked = Request.from_preset("translator", "我喜欢书。").asking(experiments=frozenset({"steering", "unchanged"}))
    plain = computer(asked).trace
    found = found_steering(plain)
    assert found is not None
    change = found.change("encoder.layers.1.residual2", 3.0)
    assert change is not None
    steered = computer(asked.wishing(changes=(change,))).trace
    before, after = steered_rewording(plain, Look(), WORDS), steered_rewording(steered, Look(), WORDS)

    assert isinstance(before, Rewording) and before.caption.note == WORDS("steering.nothing_yet")
    assert isinstance(after, Rewording) and [each.after for each in after.words if each.after][:2] == ["She", "likes"]
