"""Mean and deviation of what every norm reads: with them the norm's own output is made again."""

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.found.norm_figures import figures_of, norm_inputs, norms
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, example

_EPS = {"layer": 1e-5, "std-eps": 1e-6}


def made_again(trace: Trace, side: str) -> None:
    """γ is 1 and β is 0 in untrained weights: y = (x − μ) / √(σ² + ε), or (x − μ) / (σ + ε) of the tutorials' kind."""
    found, kind = norms(trace).sides[side], trace.card.norm_kind
    for tap, reads, mean, deviation in zip(found.taps, found.reads, found.means, found.deviations, strict=True):
        x, s = trace[reads].astype(np.float64), deviation.astype(np.float64)[:, None]
        below = np.sqrt(s**2 + _EPS[kind]) if kind == "layer" else s + _EPS[kind]
        np.testing.assert_allclose((x - mean[:, None]) / below, trace[tap], atol=2e-5, err_msg=tap)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("kind", ["torch", "std-eps"])
def test_the_norm_is_made_again_from_its_figures(architecture: str, placement: str, kind: str) -> None:
    """Of every norm of both sides, before and behind the additions, with torch's formula and the tutorials'."""
    trace = example(architecture, norm_placement=placement, norm_kind=kind)
    for side in trace.card.sides:
        made_again(trace, side.name)
        n = side.n_layers * (3 if f"{side.name}.layers.0.norm3" in trace else 2)
        assert len(norms(trace).sides[side.name].taps) == n + (placement == "pre")


def test_another_input_does_not_make_it_again() -> None:
    """The check above can fail: with the stream of a layer before it does."""
    trace = example()
    swapped = {**trace.arrays, "encoder.layers.0.residual1": trace["encoder.layers.1.residual1"]}
    with pytest.raises(AssertionError):
        made_again(attrs.evolve(trace, arrays=swapped), "encoder")


def test_what_is_not_seen_is_not_made_up() -> None:
    """Where the additions of a layer were not recorded, it is not known what the norms behind them read."""
    trace = example()
    lacking = {name: axes for name, axes in trace.axis_names.items() if ".residual" not in name}
    found = norm_inputs(attrs.evolve(trace, axis_names=lacking), "encoder")

    assert found == {"encoder.layers.0.norm1": "encoder.embedding.output"}
    assert norms(attrs.evolve(trace, axis_names={"generator.logits": trace.axes("generator.logits")})).sides == {}


def test_a_root_of_the_mean_square_subtracts_nothing() -> None:
    """Of 3 and 4 it is √12.5, of the kinds that subtract 3.5 it is a half, or √½ where it is divided by n − 1."""
    x = np.array([[3, 4]], np.float32)

    assert [figures_of(x, kind)[1][0] for kind in ("rms", "layer", "std-eps")] == pytest.approx([12.5**0.5, 0.5, 0.5**0.5])
    assert [figures_of(x, kind)[0][0] for kind in ("rms", "layer", "std-eps")] == [3.5] * 3


def test_they_are_those_of_the_pass_on_screen() -> None:
    """With its changes: an experiment that needs no further pass, and gives way to a request."""
    off = Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
    request = Request.from_preset("tiny", "我爱北京天安门").wishing(changes=(off,)).asking(experiments=frozenset({"norms"}))
    found = Computer()(request).trace
    made = norms(found).sides["encoder"]

    assert found.changes and not np.array_equal(made.means, norms(example()).sides["encoder"].means)
    np.testing.assert_array_equal(found.experiments["norms"].sides["encoder"].means, made.means)
    with pytest.raises(Superseded):
        norms(found, lambda: True)
