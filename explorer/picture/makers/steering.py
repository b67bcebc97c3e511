"""Pictures of steering: the translation before and after, and how far each token's stream points the vector's way."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.makers import changed
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import token_axis
from explorer.picture.scales import Scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.steering import Steering
from explorer.trace.trace import Trace


def found_steering(trace: Trace) -> Steering | None:
    """The vectors; None while they are computed, and where there are none."""
    return finding(trace, "steering", Steering)


def chosen_tap(found: Steering, look: Look) -> str:
    """The stream behind the layer that is looked at, of the side that is looked at; the nearest one that there is."""
    begin = f"{look.side}.layers."
    taps = [tap for tap in found.vectors if tap.startswith(begin)] or list(found.vectors)
    return taps[min(look.layer, len(taps) - 1)]


def steered_rewording(trace: Trace, look: Look, words: Words) -> Rewording | None:
    """The translation before and after all changes, as on the page of changes; before any, what is to be done first."""
    made = changed.rewording(trace, look, words)
    if made is None or changed.is_changed(trace) or not trace.expected:
        return made
    told = attrs.evolve(made.caption, note=words("steering.nothing_yet"), hint=words("steering.nothing_hint"))
    return attrs.evolve(made, caption=told)


def direction_map(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """[layer, token] the cosine of the angle between a token's stream and the vector, behind every layer of one side."""
    found = found_steering(trace)
    if found is None:
        return None
    chosen = chosen_tap(found, look)
    begin = chosen.partition(".layers.")[0]
    taps = tuple(tap for tap in found.vectors if tap.startswith(f"{begin}.layers."))
    values = np.stack([_cosines(trace[tap], found.vectors[tap]) for tap in taps])  # [layer, token]
    return Heatmap(
        values=values,
        rows=Axis(words("patching.layer"), tuple(f"L{layer}" for layer in range(len(taps))), numbered=False),
        columns=token_axis(trace, chosen, "position", words),
        scale=Scale(-1.0, 1.0, look.signed_colours),
        taps=taps,
        caption=Caption(
            title=words("steering.direction"),
            tap=chosen.replace(f".layers.{taps.index(chosen)}.", ".layers.*."),
            name="steering",
            shape=f"[layer {values.shape[0]}, token {values.shape[1]}]",
            formula="x·v / (‖x‖ ‖v‖)",
            note=words("steering.direction_note"),
            origin="beside",
        ),
    )


def _cosines(stream: Array, vector: Array) -> Array:
    """[token] cos(x, v) of the vectors x of a stream [token, feature]; 0 where one of them is zero."""
    x, v = stream.astype(np.float64), vector.astype(np.float64)
    lengths = np.linalg.norm(x, axis=-1) * np.linalg.norm(v)  # [token]
    # cos = x·v / (‖x‖ ‖v‖)
    cosines: Array = np.divide(x @ v, lengths, out=np.zeros(len(x)), where=lengths > 0).astype(np.float32)
    return cosines


def told_lengths(found: Steering, tap: str, words: Words) -> str:
    """How long the vector is beside those that it is added to."""
    length = float(np.linalg.norm(found.vectors[tap].astype(np.float64)))
    return words("steering.lengths", vector=rough(length), stream=rough(found.lengths[tap]))
