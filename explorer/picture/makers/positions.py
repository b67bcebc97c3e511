"""Positions: the model's table as waves, the kinds of positions side by side, M(k), and two swapped words."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.mathematics import best_map, wave
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Between, Caption, Heatmap, Strips, Waves
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import caption, places_note
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale, robust_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.findings import DECODER_LEARNED, Swap, Variants
from explorer.trace.stages import SINUSOIDS
from explorer.trace.trace import Trace

_ROWS, _FEATURES = 64, 32
_MOST_PLACES = 512  # positions that are compared in pairs; all pairs of thousands take a second
_FEWEST_PLACES = 8  # positions; a map fitted to fewer would fit by chance
_FROM_PAPER = ("sinusoidal", *(kind for kind in SINUSOIDS if kind != "sinusoidal"), "learned")
_CURVES = 8
_PER_PLACE = 8  # points of a smooth curve for each position; the fastest wave turns by one radian in a position
_SAME = 1e-4  # smaller differences are rounding of float32
_MOST_SMOOTH = 256  # positions that have smooth curves; a screen shows no more of them apart


def waves(trace: Trace, look: Look, words: Words) -> Waves:
    """Up to eight features of the model's own table of positions, spread evenly from the fastest to the slowest.

    The curves go on beyond the text, because four tokens alone would show no wave; the text's positions are marked.
    """
    table = trace.table(look.side)  # [position, feature]
    n, d_model = table.shape
    # Features 2i and 2i + 1 are one wave, and waves grow longer with i. Spread features show the whole range.
    chosen = np.unique(np.linspace(0, d_model - 1, min(_CURVES, d_model)).astype(int))
    tap = f"{look.side}.embedding.positions"
    made = Waves(
        values=table[:, chosen].T,  # [curve, position]
        names=tuple(_name(trace, int(i), words) for i in chosen),
        n_marked=len(trace.side(tap)),
        x_name=words("axis.position"),
        caption=attrs.evolve(
            caption(trace, tap, words, places_note(trace, look.side, words)),
            title=words("picture.waves"),
            changes=0,  # It is the table of the model, whatever a pass changes.
            origin="beside",  # The table is longer than the recorded text.
            shape=f"[position {n}, feature {d_model}]",
        ),
    )
    return _smoothed(made, trace, chosen) if trace.card.position in SINUSOIDS else made


def _smoothed(made: Waves, trace: Trace, chosen: NDArray[np.int_]) -> Waves:
    """The waves with their formula evaluated between the positions, for which the model's own table has no numbers.

    A model whose table is not the formula's keeps its plain waves.
    """
    card, last = trace.card, min(made.values.shape[1], _MOST_SMOOTH) - 1
    between = _formula(card.position, tuple(chosen.tolist()), last, card.d_model, card.position_base)
    off = np.abs(between.values[:, ::_PER_PLACE] - made.values[:, : last + 1]).max()
    return attrs.evolve(made, between=between) if off < _SAME else made


def _formula(kind: str, features: tuple[int, ...], last: int, d_model: int, base: float) -> Between:
    """These features of sinusoidal positions from position 0 to `last`, at every position and between."""
    places = np.linspace(0, last, last * _PER_PLACE + 1)  # [place], every eighth of which is a position
    curves = np.stack([wave(kind, feature, places, d_model, base) for feature in features])  # [curve, place]
    return Between(places, curves.astype(np.float32))


def _name(trace: Trace, feature: int, words: Words) -> str:
    """The feature's name; for sinusoidal positions also the length of its wave in positions."""
    name = words("picture.feature", feature=feature)
    if trace.card.position != "sinusoidal":
        return name
    # wavelength of features 2i and 2i + 1 = 2π · base^(2i / d_model); Vaswani et al. 2017, section 3.5
    length = 2 * np.pi * trace.card.position_base ** (2 * (feature // 2) / trace.card.d_model)
    return words("picture.wavelength", name=name, length=rough(float(length)))


def variants_strips(trace: Trace, look: Look, words: Words) -> Strips | None:
    """The table [position, feature] that each kind of positions adds, all on one scale; None until it is computed."""
    found = finding(trace, "variants", Variants)
    if found is None:
        return None
    bands = []
    for kind in _FROM_PAPER:
        table = found.tables[_of_side(found, kind, look)][:_ROWS]  # [position, feature]
        bands.append(
            Heatmap(
                values=table,
                rows=Axis(words("axis.position"), tuple(map(str, range(len(table)))), numbered=False),
                columns=Axis(words("axis.feature")),
                scale=Scale(-1.0, 1.0, look.signed_colours),
                caption=Caption(title=words(f"choice.position.{kind}"), tap="", shape="", origin="beside"),
            )
        )
    n, d = found.tables["sinusoidal"][:_ROWS].shape
    return Strips(
        bands=tuple(bands),
        caption=Caption(
            title=words("positions.variants"),
            tap="embedding.positions",
            shape=f"[position {n}, feature {d}]",
            note=words("positions.variants_note"),
            origin="beside",
            finding="variants",
        ),
    )


def _of_side(found: Variants, kind: str, look: Look) -> str:
    """The name of a kind's table for the chosen side: encoder and decoder each have a learned table of their own."""
    own = kind == "learned" and look.side == "decoder" and DECODER_LEARNED in found.tables
    return DECODER_LEARNED if own else kind


def against_distance(trace: Trace, look: Look, words: Words) -> Waves | None:
    """How alike two positions look at each distance [kind, distance]; None until it is computed.

    Curves are cosines, except for ALiBi: its curve is the factor by which distance multiplies a weight.
    """
    found = finding(trace, "variants", Variants)
    if found is None:
        return None
    # The model's own kind comes first.
    kinds = sorted((*_FROM_PAPER, "rotary", "alibi", "none"), key=lambda kind: kind != trace.card.position)
    n = min(_ROWS, len(found.against_distance["rotary"]))
    curves = {kind: found.against_distance[_of_side(found, kind, look)][:n] for kind in kinds if kind != "none"}
    # Without positions all places are alike: their cosine is 1 at every distance.
    curves["none"] = np.ones(n, np.float32)
    # ALiBi subtracts m·k from a score, so the weight before normalization is multiplied by e^(−m·k).
    curves["alibi"] = np.exp(curves["alibi"])
    return Waves(
        values=np.stack([curves[kind] for kind in kinds]),  # [kind, distance]
        names=tuple(words("positions.alibi" if kind == "alibi" else f"choice.position.{kind}") for kind in kinds),
        n_marked=0,
        main=0,
        x_name=words("positions.distance"),
        caption=Caption(
            title=words("positions.against_distance"),
            tap="embedding.positions",
            formula="cos(PE[1], PE[1 + k])",
            shape=f"[distance {n}]",
            origin="beside",
            finding="variants",
        ),
    )


def rotation_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """M(k) [feature, feature]: the linear map that carries each position vector k positions on, and its error.

    It is fitted to the model's own table, for each pair of features, by least squares. For sinusoidal positions it is a
    rotation by k·w_i. Vaswani et al. 2017, section 3.5.
    """
    table = trace.table(look.side)[:_MOST_PLACES].astype(np.float64)  # [position, feature]
    k = min(max(1, look.shift), max(1, len(table) // 2))
    # PE(pos + k) ≈ M(k) PE(pos)
    matrix, off = best_map(table, k)
    shown = matrix[:_FEATURES, :_FEATURES].astype(np.float32)  # [feature, feature], the first 32 of each
    names = tuple(map(str, range(len(shown))))
    if len(table) < _FEWEST_PLACES:
        note = words("positions.too_few")
    elif not np.any(table):
        note = words("positions.no_table")
    elif off < 1e-4:
        note = words("positions.rotates", k=k, error=rough(off, 1), count=len(table) - k)
    else:
        note = words("positions.rotates_not", k=k, error=rough(off))
    return Heatmap(
        values=shown,
        rows=Axis(words("axis.feature"), names, numbered=False),
        columns=Axis(words("axis.feature"), names, numbered=False),
        scale=Scale(-1.0, 1.0, look.signed_colours),
        caption=Caption(
            title=f"M({k})",
            tap=f"{look.side}.embedding.positions",
            formula="PE(pos + k) = M(k) PE(pos)",
            origin="computed",
            changes=0,  # It is fitted to the table of the model, whatever a pass changes.
            shape=f"[feature {len(shown)}, feature {len(shown)}]",
            note=note,
        ),
    )


def nearest_places(table: Array) -> tuple[float, int, int]:
    """The smallest distance between two rows of a table [position, feature], and the two positions."""
    wide = table.astype(np.float64)
    squares = (wide**2).sum(1)  # [position]
    # ‖a − b‖² = ‖a‖² + ‖b‖² − 2 a·b
    apart = squares[:, None] + squares[None, :] - 2 * wide @ wide.T  # [position, position]
    np.fill_diagonal(apart, np.inf)  # A position is not its own neighbour.
    first, second = (int(i) for i in np.unravel_index(int(np.argmin(apart)), apart.shape))
    return float(np.sqrt(max(0.0, float(apart[first, second])))), min(first, second), max(first, second)


def swap_strips(trace: Trace, look: Look, words: Words) -> Strips | None:
    """Outputs of the sentence and of the same sentence with two words swapped, with and without positions.

    Each band is [position, feature], and its rows are the same words in both sentences. None until it is computed.
    """
    found = finding(trace, "swap", Swap)
    if found is None:
        return None
    side = trace.tokens.source or trace.tokens.target
    labels = tuple(token.text for token in side)
    # difference = y(sentence) − y(sentence with two words swapped), rows matched by word
    arrays = (
        found.usual,
        found.usual_swapped,
        found.usual - found.usual_swapped,
        found.without,
        found.without_swapped,
        found.without - found.without_swapped,
    )
    scale = robust_scale(np.stack(arrays), look.signed_colours)
    keys = ("usual", "swapped", "difference")
    titles = [
        f"{words(f'positions.{which}')} · {words(f'positions.{key}')}" for which in ("using", "not_using") for key in keys
    ]
    bands = tuple(
        Heatmap(
            values=np.ascontiguousarray(array),
            rows=Axis(words("axis.position"), labels, "source" if trace.tokens.source else "target"),
            columns=Axis(words("axis.feature")),
            scale=scale,
            caption=Caption(title=titles[place], tap="", shape="", origin="beside"),
        )
        for place, array in enumerate(arrays)
    )
    using, without = found.differences()
    if not (np.isfinite(using) and np.isfinite(without)):
        note = words("positions.swap_nan")
    elif [token.id for token in found.tokens] == [token.id for token in side]:
        note = words("positions.swap_same")
    else:
        key = "swap_rows" if without < _SAME else "swap_masked" if trace.card.architecture == "decoder-only" else "swap_other"
        note = words(f"positions.{key}", using=rough(using), without=rough(without, 1))
    sentence, swapped = "".join(labels), "".join(token.text for token in found.tokens)
    return Strips(
        bands=bands,
        caption=Caption(
            title=words("positions.swap", first=sentence, second=swapped),
            origin="beside",
            finding="swap",
            tap="encoder.norm" if trace.tokens.source else "decoder.norm",
            shape=f"[position {len(labels)}, feature {found.usual.shape[1]}]",
            note=note,
        ),
    )


def with_nearest(made: Heatmap, trace: Trace, look: Look, words: Words) -> Heatmap:
    """The map of positions with a note about the two positions that are hardest to tell apart."""
    places = trace.table(look.side)[:_MOST_PLACES]
    if not np.any(places) or len(places) < 2:
        return made
    apart, first, second = nearest_places(places)
    steps = np.linalg.norm(np.diff(places.astype(np.float64), axis=0), axis=1)  # [position − 1], from each to the next
    if second - first == 1 and float(np.ptp(steps)) < 1e-3 * apart:
        # All neighbours are equally far apart, as with sinusoids, so no single pair is worth naming.
        note = words("positions.neighbours", distance=rough(apart))
        return captioned(made, note=made.caption.noted(note))
    note = words("positions.nearest", count=len(places), distance=rough(apart), first=first, second=second)
    return captioned(made, note=made.caption.noted(note))
