"""What the norms of somebody's model read: their output is made again from it, for each family."""

from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.trace.found.norm_figures import NormFigures, norms
from explorer.trace.trace import Trace
from tests.foreign.models import NO_STREAM, WHOLE, families, write_model

pytestmark = pytest.mark.slow  # To import transformers takes seconds.


def worst(trace: Trace, found: NormFigures) -> float:
    """How far the norms' outputs are from any γ·(x − μ) / σ + β, as a share of the largest number: both are fitted."""
    apart = 0.0
    for tap, reads, mean, deviation in zip(found.taps, found.reads, found.means, found.deviations, strict=True):
        x, y = trace[reads].astype(np.float64), trace[tap].astype(np.float64)
        centre = 0.0 if trace.card.norm_kind == "rms" else mean[:, None]
        normed = (x - centre) / deviation[:, None]  # [position, feature]
        for feature in range(x.shape[1]):
            asked = np.stack([normed[:, feature], np.ones(len(x))], axis=1)
            fitted = np.linalg.lstsq(asked, y[:, feature], rcond=None)[0]
            apart = max(apart, float(np.abs(asked @ fitted - y[:, feature]).max()) / float(np.abs(y).max()))
    return apart


@pytest.mark.parametrize("name", families(WHOLE))
def test_every_norm_is_one_of_what_it_is_said_to_read(name: str, tmp_path: Path) -> None:
    """Seven tokens and two fitted numbers for each feature: a wrong stream, mean or deviation does not fit."""
    trace = explorer.explore("the fox and the dog and un", preset=str(write_model(tmp_path, name)))
    made = norms(trace)

    assert set(made.sides) == {side.name for side in trace.card.sides}
    for side, found in made.sides.items():
        per_layer = 3 if f"{side}.layers.0.cross_attn.weights" in trace else 2
        if trace.card.parallel and f"{side}.layers.0.norm2" not in trace:  # Both sublayers read one norm.
            per_layer = 1
        assert len(found.taps) == trace.card.side(side).n_layers * per_layer + (trace.card.norm_placement == "pre"), side
        assert worst(trace, found) < 2e-3, side


def test_the_check_can_fail(tmp_path: Path) -> None:
    """With the stream of another layer no norm fits."""
    trace = explorer.explore("the fox and the dog and un", preset=str(write_model(tmp_path, "gpt2")))
    found = norms(trace).sides["decoder"]
    reads = (found.reads[2], *found.reads[1:])

    assert worst(trace, NormFigures(found.taps, reads, found.means[[2, *range(1, len(reads))]], found.deviations)) > 0.05


@pytest.mark.parametrize("name", NO_STREAM)
def test_where_the_stream_is_not_seen_nothing_is_said(name: str, tmp_path: Path) -> None:
    """Models of which attention and output alone are known."""
    trace = explorer.explore("the fox", preset=str(write_model(tmp_path, name)))

    assert norms(trace).sides == {}
