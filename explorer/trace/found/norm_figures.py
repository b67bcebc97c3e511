"""What every norm of a pass divides by: mean and deviation of each vector that it reads, from the recorded taps.

LayerNorm: y = γ·(x − μ) / √(σ² + ε) + β (Ba et al. 2016). RMSNorm: y = γ·x / √(r² + ε) (Zhang and Sennrich 2019). A norm has no
memory and sees one token alone, so that μ, σ and r of a token say all of what it does to the token's vector.
"""

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.stops import Stop, stop_at
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.tap_names import TapPlace, place_of


@attrs.frozen(eq=False)
class NormFigures:
    """Of one side: the taps of its norms in the order of computation, the tap that each reads, and [norm, position] figures.

    `means` are μ. `deviations` are σ; of a model whose norms subtract no mean ("rms") they are r, the root of the mean square.
    """

    taps: tuple[str, ...]
    reads: tuple[str, ...]
    means: Array
    deviations: Array


@attrs.frozen(eq=False)
class Norms:
    """The figures of each side that has norms whose input was recorded."""

    sides: Mapping[str, NormFigures]


def norms(trace: RecordedPass, stop: Stop | None = None) -> Norms:
    """The figures of every norm of a pass. Raises NotKept, and Superseded as soon as `stop` says so."""
    found = {side.name: norm_inputs(trace, side.name) for side in trace.card.sides}
    return Norms({side: _figures(trace, inputs, stop) for side, inputs in found.items() if inputs})


def norm_inputs(trace: RecordedPass, side: str) -> dict[str, str]:
    """By the tap of each norm of a side the tap that it reads, in the order of computation; norms whose input is not seen lack.

    Under post-norm the side's last tap "norm" is no norm of its own: it shows the last layer's once more.
    """
    stream, found = f"{side}.embedding.output", {}
    for name in trace.names():
        place = place_of(name)
        if place.side == side and place.part.startswith("residual"):
            stream = name
        elif place.side == side and place.part.startswith("norm") and stream in trace and _follows(trace, place, stream):
            found[name] = stream
    return found


def _follows(trace: RecordedPass, norm: TapPlace, stream: str) -> bool:
    """Whether a norm reads the stream that was seen last: nothing that is not seen stands between them."""
    before, n_layers = place_of(stream), trace.card.side(norm.side).n_layers
    if trace.card.norm_placement == "post":
        return norm.layer is not None and (norm.layer, norm.part.replace("norm", "residual")) == (before.layer, before.part)
    entered = -1 if before.layer is None else before.layer  # the layer that made the stream
    if norm.part in ("norm", "norm1") or trace.card.parallel:
        return entered == (n_layers if norm.layer is None else norm.layer) - 1
    # Each sublayer but the first reads the stream behind the addition of the one before.
    addition = f"residual{int(norm.part.removeprefix('norm')) - 1}"
    return (norm.layer, addition) == (before.layer, before.part)


def _figures(trace: RecordedPass, inputs: Mapping[str, str], stop: Stop | None) -> NormFigures:
    made = {}
    for tap in dict.fromkeys(inputs.values()):  # Two norms may read the same stream.
        stop_at(stop)
        made[tap] = figures_of(trace[tap], trace.card.norm_kind)
    means, deviations = (frozen_array(np.stack([made[tap][which] for tap in inputs.values()])) for which in (0, 1))
    return NormFigures(tuple(inputs), tuple(inputs.values()), means, deviations)


def figures_of(x: Array, kind: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[position] mean and deviation of each row of x [position, feature], for a norm of this kind, in float64."""
    # μ[p] = Σ_i x[p,i] / d
    mean = x.mean(axis=1, dtype=np.float64)
    # σ²[p] = Σ_i (x[p,i] − μ[p])² / d; the tutorials' kind divides by d − 1; r²[p] = Σ_i x[p,i]² / d
    apart = x - (0.0 if kind == "rms" else mean[:, None])  # [position, feature] float64
    squares = np.einsum("pi,pi->p", apart, apart, dtype=np.float64)
    return mean, np.sqrt(squares / (x.shape[1] - (1 if kind == "std-eps" else 0)))
