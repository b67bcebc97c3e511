"""Mean and deviation of what every norm reads, for each token: Ba et al. 2016; Zhang and Sennrich 2019."""

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.makers.heatmaps import token_axis
from explorer.picture.scales import Scale, centred_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.norm_figures import NormFigures, Norms
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace

_DEVIATIONS = {
    "rms": "r = √(Σ<sub>i</sub> x<sub>i</sub>² / d)",
    "std-eps": "σ = √(Σ<sub>i</sub> (x<sub>i</sub> − μ)² / (d − 1))",
}
_DEVIATION = "σ = √(Σ<sub>i</sub> (x<sub>i</sub> − μ)² / d)"
_MEAN = "μ = Σ<sub>i</sub> x<sub>i</sub> / d"


def has_norms(trace: Trace, side: str) -> bool:
    """Whether a side has norms whose input was recorded, or may have some that are still looked for."""
    found = trace.experiments.get("norms")
    return side in found.sides if isinstance(found, Norms) else trace.whole and not trace.recorded_by


def subtracts_mean(trace: Trace) -> bool:
    """Whether the model's norms subtract the mean; an RMSNorm does not, and its mean says nothing."""
    return trace.card.norm_kind != "rms"


def norm_means(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """μ of what each norm of the chosen side reads [norm, token]; None until it is worked out."""
    found = _found(trace, look)
    if found is None:
        return None
    scale = centred_scale(found.means, look.signed_colours)
    told = _caption(trace, found, words("layers.norm_means"), _MEAN, f"{look.side}.norms.mean")
    return _map(trace, found, found.means, ("σ", found.deviations), scale, told, words)


def norm_deviations(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """σ (r, of a norm that subtracts no mean) of what each norm of the chosen side reads [norm, token]; None as above."""
    found = _found(trace, look)
    if found is None:
        return None
    scale = Scale(0.0, float(found.deviations.max()) or 1.0, look.unit_colours)
    formula = _DEVIATIONS.get(trace.card.norm_kind, _DEVIATION)
    title = words("layers.norm_deviations" if subtracts_mean(trace) else "layers.norm_squares")
    told = _caption(trace, found, title, formula, f"{look.side}.norms.deviation")
    return _map(trace, found, found.deviations, ("μ", found.means), scale, told, words)


def _found(trace: Trace, look: Look) -> NormFigures | None:
    found = trace.experiments.get("norms")
    return found.sides.get(look.side) if isinstance(found, Norms) else None


def _caption(trace: Trace, found: NormFigures, title: str, formula: str, name: str) -> Caption:
    shape = f"[norm {len(found.taps)}, position {found.means.shape[1]}]"
    return Caption(title=title, tap=found.reads[0], shape=shape, formula=formula, origin="computed", name=name)


def _map(
    trace: Trace, found: NormFigures, values: Array, other: tuple[str, Array], scale: Scale, caption: Caption, words: Words
) -> Heatmap:
    names = tuple(_name(tap) for tap in found.taps)
    return Heatmap(
        values=values,
        rows=Axis(words("layers.norm_axis"), names, numbered=False),
        columns=token_axis(trace, found.reads[0], "position", words),
        scale=scale,
        caption=caption,
        taps=found.reads,
        beside=(other,),
    )


def _name(tap: str) -> str:
    """ "1 · norm2" for the second norm of layer 1, "norm" for the one behind all layers."""
    place = place_of(tap)
    return place.part if place.layer is None else f"{place.layer} · {place.part}"
