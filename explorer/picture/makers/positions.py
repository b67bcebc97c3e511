"""Waves: some features of the model's position vectors, each as a curve over the positions."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.mathematics import wave
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Between, Waves
from explorer.picture.makers.heatmaps import caption, places_note
from explorer.state.look import Look
from explorer.trace.stages import SINUSOIDS
from explorer.trace.trace import Trace

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
