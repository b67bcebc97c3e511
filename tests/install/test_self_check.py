"""The check of the numbers: it passes here, and finds what is wrong."""

import attrs
import numpy as np
import pytest

from explorer.install import self_check
from explorer.trace.trace import Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return self_check.recorded()


def test_a_recorded_pass_agrees_with_torch_in_float64(trace: Trace) -> None:
    """To what float32 can hold, far below the tolerance."""
    assert 0 < self_check.difference(trace) < self_check.TOLERANCE / 10
    assert self_check.numbers().standing == "well"


@pytest.mark.parametrize(
    "tap",
    [
        "encoder.layers.1.self_attn.weights",
        "encoder.layers.0.residual2",
        "decoder.layers.1.residual3",
        "generator.logits",
        "decoder.embedding.output",
    ],
)
def test_a_single_wrong_number_is_found(trace: Trace, tap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One number of a tap is off by a thousandth, or is none."""
    for wrong in (1e-3, np.nan):
        array = np.array(trace[tap])
        array.reshape(-1)[-1] += wrong
        spoilt = _Spoilt(trace, tap, array)
        monkeypatch.setattr(self_check, "recorded", lambda spoilt=spoilt: spoilt)
        assert self_check.numbers().standing == "fault"


@attrs.frozen(eq=False)
class _Spoilt:
    """A Trace with one other array."""

    trace: Trace
    tap: str
    array: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        return self.array if name == self.tap else self.trace[name]

    def __getattr__(self, name: str) -> object:
        return getattr(self.trace, name)
