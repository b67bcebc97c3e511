"""Pictures of norms and residuals. Ba et al. 2016; Ioffe and Szegedy 2015; He et al. 2016; Xiong et al. 2020.

The mean and the deviation of a norm's input: Ba et al. 2016; Zhang and Sennrich 2019.
"""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.mathematics import batch_norm, layer_norm
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Bars, Caption, Heatmap, Strips, Waves
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import robust_band, tap_heatmap, token_axis
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale, centred_scale, robust_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.findings import Copies, Depth
from explorer.trace.found.norm_figures import NormFigures, Norms
from explorer.trace.found.stream_parts import added_tap
from explorer.trace.tap_names import place_of
from explorer.trace.trace import Trace

_DEVIATIONS = {
    "rms": "r = √(Σ<sub>i</sub> x<sub>i</sub>² / d)",
    "std-eps": "σ = √(Σ<sub>i</sub> (x<sub>i</sub> − μ)² / (d − 1))",
}
_DEVIATION = "σ = √(Σ<sub>i</sub> (x<sub>i</sub> − μ)² / d)"
_MEAN = "μ = Σ<sub>i</sub> x<sub>i</sub> / d"
_NORM_FORMULAS = {
    "rms": "γ · x / √(Σ<sub>i</sub> x<sub>i</sub>² / d + ε)",
    "std-eps": "γ · (x − μ) / (σ<sub>n−1</sub> + ε) + β",
}
_NORM_FORMULA = "γ · (x − μ) / √(σ² + ε) + β"


def stream(trace: Trace, look: Look, words: Words) -> Strips:
    """One layer of the chosen side: its input, what each sublayer adds, and the stream after each addition.

    Each band is [position, feature]; all share one scale. The note holds the mean length of each band's rows.
    """
    base = f"{look.side}.layers.{look.layer}"
    adds = [f"{block}.output" for block in trace.card.blocks(look.side, look.layer)]
    bands = [_band(trace, _entering(trace, look), look, words, "x")]
    for place, add in enumerate(adds, 1):
        tap = added_tap(trace, f"{base}.{add.removesuffix('.output')}")
        bands.append(_band(trace, tap, look, words, f"+ {words(f'layers.{add}')}"))
        if trace.card.parallel and place < len(adds):
            continue  # Parallel parts are added together.
        bands.append(_band(trace, f"{base}.residual{place}", look, words, f"= {words('layers.stream')}"))
        if trace.card.norm_placement == "post":
            # In a post-norm model the next sublayer reads the normalized stream.
            bands.append(_band(trace, f"{base}.norm{place}", look, words, words("layers.normalized")))
    scale = robust_scale(np.concatenate([band.values.ravel() for band in bands]), look.signed_colours)
    # length = mean over positions of ‖x[position]‖
    lengths = [float(np.linalg.norm(band.values.astype(np.float64), axis=-1).mean()) for band in bands]
    told = " · ".join(
        f"{band.caption.title.lstrip('+= ')} {rough(length)}" for band, length in zip(bands, lengths, strict=True)
    )
    return Strips(
        bands=tuple(attrs.evolve(band, scale=scale) for band in bands),
        caption=Caption(
            title=f"{words('layers.residual')} · {words('picture.layer', layer=look.layer)}",
            tap=f"{base}.residual{len(adds) if trace.card.parallel else 1}",
            formula="x + f(x)" if trace.card.residual else "f(x)",
            shape=_shape(bands[0]),
            note=words("layers.lengths_note", told=told),
        ),
    )


def norms(trace: Trace, look: Look, words: Words) -> Strips:
    """A norm's input and its output, beside LayerNorm and BatchNorm of the same input; each band is [position, feature].

    The formula is that of the model's own norm. The other two are shown without γ and β.

    LayerNorm takes mean and variance over the features of one token; BatchNorm takes them over the tokens of one feature.
    """
    before, after = _norm_taps(trace, look)
    bands = [
        _band(trace, before, look, words, words("layers.before")),
        _band(trace, after, look, words, words("layers.model_norm")),
    ]
    # Both norms are (x − μ) / √(σ² + ε). They differ only in the axis over which μ and σ are taken.
    x = trace[before].astype(np.float64)  # [position, feature]
    for name, values in (("layer_norm", layer_norm(x)), ("batch_norm", batch_norm(x))):
        bands.append(
            attrs.evolve(
                bands[0],
                values=values.astype(np.float32),
                caption=Caption(title=words(f"layers.{name}"), tap="", shape="", origin="computed"),
            )
        )
    scale = robust_scale(np.concatenate([band.values.ravel() for band in bands[1:]]), look.signed_colours)
    row = x[0]  # [feature], the first token
    note = words(
        "layers.norm_note",
        mean=_short(row.mean()),
        biased=_short(row.std()),
        unbiased=_short(row.std(ddof=1)),
        across=_short(x[:, 0].mean()),
        token=_first(trace, before),
    )
    return Strips(
        bands=(robust_band(bands[0]), *(attrs.evolve(band, scale=scale) for band in bands[1:])),
        caption=Caption(
            title=f"{words('layers.norms')} · {words('picture.layer', layer=look.layer)}",
            tap=after,
            shape=_shape(bands[0]),
            formula=_NORM_FORMULAS.get(trace.card.norm_kind, _NORM_FORMULA),
            origin="computed",  # This holds for two of the four bands; each band says its own origin.
            note=note,
        ),
    )


def dead_units(trace: Trace, look: Look, words: Words) -> Bars:
    """The share of feed-forward units that are 0 at every position of this sentence [layer]."""
    taps = [f"{look.side}.layers.{layer}.feed_forward.activated" for layer in range(trace.card.side(look.side).n_layers)]
    # share[l] = |{unit: f(x W1 + b1)[p, unit] ≤ 0 for all p}| / d_ff
    shares = np.array([float((trace[tap] <= 0).all(axis=0).mean()) for tap in taps], np.float32)
    return Bars(
        values=shares,
        labels=tuple(words("picture.layer", layer=layer) for layer in range(len(taps))),
        scale=Scale(0.0, 1.0, look.unit_colours),
        caption=Caption(
            title=words("layers.dead"),
            tap=taps[look.layer],
            formula="f(x W<sub>1</sub> + b<sub>1</sub>) = 0",
            shape=f"[layer {len(taps)}]",
            origin="computed",
            note=words.or_other(f"layers.dead_by.{trace.card.activation}"),
        ),
    )


def depth_lengths(trace: Trace, look: Look, words: Words) -> Waves | None:
    """The length of the vectors along the layers, with and without residual connections; None until it is computed."""
    return _depth(trace, look, words, "lengths")


def depth_gradients(trace: Trace, look: Look, words: Words) -> Waves | None:
    """The length of the loss's gradient along the layers, with and without residuals; None until it is computed."""
    return _depth(trace, look, words, "gradients")


def copies_note(trace: Trace, words: Words) -> str:
    """A sentence that says whether the layers' weights are copies of one another; "" until it is computed."""
    found = finding(trace, "copies", Copies)
    if found is None or len(found.differences) < 2:
        return ""
    most = float(found.differences.max())
    return words("layers.copies" if most == 0 else "layers.no_copies", difference=rough(most))


def _depth(trace: Trace, look: Look, words: Words, which: str) -> Waves | None:
    found = finding(trace, "depth", Depth)
    if found is None:
        return None
    values: Array = np.stack([getattr(found, which), getattr(found, f"{which}_without")])  # [curve, place]
    # The experiment has the places of both sides in one row; keep those of the chosen side.
    mine = [place for place, tap in enumerate(found.taps) if tap.startswith(look.side)]
    values = values[:, mine]  # [curve, place of the chosen side]
    if which == "gradients":  # The losses differ, with residuals and without: what counts is how much arrives further down.
        last = values[:, -1:]
        values = (values / np.where(last > 0, last, 1)).astype(np.float32)
    return Waves(
        values=values,
        main=0,
        names=(words("layers.with"), words("layers.without")),
        n_marked=0,
        x_name=words("layers.place"),
        caption=Caption(
            title=words(f"layers.{which}"),
            tap=found.taps[mine[-1]],
            shape=f"[place {values.shape[1]}]",
            origin="beside",
            finding="depth",
            formula="‖x‖" if which == "lengths" else "‖∂L/∂x‖ ÷ ‖∂L/∂x<sub>last</sub>‖",
            note=copies_note(trace, words) if which == "lengths" else words("layers.loss"),
        ),
    )


def _entering(trace: Trace, look: Look) -> str:
    """The tap of the stream that enters the chosen layer."""
    if look.layer == 0:
        return f"{look.side}.embedding.output"
    before = f"{look.side}.layers.{look.layer - 1}"
    last = 3 if f"{before}.residual3" in trace else 2
    return f"{before}.{'residual' if trace.card.norm_placement == 'pre' else 'norm'}{last}"


def _norm_taps(trace: Trace, look: Look) -> tuple[str, str]:
    """The taps before and behind the layer's first norm."""
    base = f"{look.side}.layers.{look.layer}"
    return (_entering(trace, look) if trace.card.norm_placement == "pre" else f"{base}.residual1"), f"{base}.norm1"


def _band(trace: Trace, tap: str, look: Look, words: Words, title: str) -> Heatmap:
    made = tap_heatmap(trace, tap, look, words)
    return captioned(made, title=title)


def _shape(band: Heatmap) -> str:
    return f"[position {band.values.shape[0]}, feature {band.values.shape[1]}]"


def _first(trace: Trace, tap: str) -> str:
    return trace.side(tap)[0].text


def _short(value: float) -> str:
    return rough(value, 4)


def has_norms(trace: Trace, side: str) -> bool:
    """Whether a side has norms whose input was recorded, or may have some until the experiment is done."""
    found = finding(trace, "norms", Norms)
    return side in found.sides if found is not None else trace.whole and not trace.recorded_by


def subtracts_mean(trace: Trace) -> bool:
    """Whether the model's norms subtract the mean; an RMSNorm does not, and its mean says nothing."""
    return trace.card.norm_kind != "rms"


def norm_means(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """μ of the input of each norm of the chosen side [norm, token]; None until it is computed."""
    found = _found(trace, look)
    if found is None:
        return None
    scale = centred_scale(found.means, look.signed_colours)
    told = _norm_caption(trace, found, words("layers.norm_means"), _MEAN, f"{look.side}.norms.mean")
    return _norm_map(trace, found, found.means, ("σ", found.deviations), scale, told, words)


def norm_deviations(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """σ (r for a norm that subtracts no mean) of the input of each norm of the chosen side [norm, token]; None as above."""
    found = _found(trace, look)
    if found is None:
        return None
    scale = Scale(0.0, float(found.deviations.max()) or 1.0, look.unit_colours)
    formula = _DEVIATIONS.get(trace.card.norm_kind, _DEVIATION)
    title = words("layers.norm_deviations" if subtracts_mean(trace) else "layers.norm_squares")
    told = _norm_caption(trace, found, title, formula, f"{look.side}.norms.deviation")
    return _norm_map(trace, found, found.deviations, ("μ", found.means), scale, told, words)


def _found(trace: Trace, look: Look) -> NormFigures | None:
    found = finding(trace, "norms", Norms)
    return None if found is None else found.sides.get(look.side)


def _norm_caption(trace: Trace, found: NormFigures, title: str, formula: str, name: str) -> Caption:
    shape = f"[norm {len(found.taps)}, position {found.means.shape[1]}]"
    return Caption(title=title, tap=found.reads[0], shape=shape, formula=formula, origin="computed", name=name)


def _norm_map(
    trace: Trace, found: NormFigures, values: Array, other: tuple[str, Array], scale: Scale, caption: Caption, words: Words
) -> Heatmap:
    names = tuple(_norm_name(tap) for tap in found.taps)
    return Heatmap(
        values=values,
        rows=Axis(words("layers.norm_axis"), names, numbered=False),
        columns=token_axis(trace, found.reads[0], "position", words),
        scale=scale,
        caption=caption,
        taps=found.reads,
        beside=(other,),
    )


def _norm_name(tap: str) -> str:
    """ "1 · norm2" for the second norm of layer 1, "norm" for the one behind all layers."""
    place = place_of(tap)
    return place.part if place.layer is None else f"{place.layer} · {place.part}"
