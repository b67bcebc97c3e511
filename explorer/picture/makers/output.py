"""Pictures of the model's output: the probabilities of the next symbol."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.kinds import Axis, Bars, Caption, Closed, Heatmap
from explorer.picture.makers.heatmaps import caption, symbol, tap_heatmap
from explorer.picture.scales import Scale
from explorer.state.look import Look
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.sampling import cut_away, mass_cut_away, sampling_probabilities
from explorer.trace.trace import Trace

_TOP = 20


def top_bars(trace: Trace, look: Look, words: Words) -> Bars:
    """The twenty likeliest symbols of the chosen step at the Look's sampling temperature, out of the whole vocabulary.

    `chosen` is the symbol that follows the step; it is appended where it is not among the twenty. Bars keep the
    probabilities from before top-k and top-p cut symbols away.
    """
    step = look.step(trace)
    recorded = trace["generator.probabilities"][step]  # [vocab]
    # At temperature 1 the recorded numbers are shown themselves, since the model has already computed them.
    plain = look.sampling_temperature == 1
    row = recorded if plain else sampling_probabilities(trace["generator.logits"][step], look.sampling_temperature)
    cut = cut_away(row, look.top_k, look.top_p)  # [vocab], True: cut away
    ids = [int(i) for i in np.argsort(-row, kind="stable")[:_TOP]]
    chosen = trace.expected[step] if trace.expected else None
    if chosen is not None and chosen not in ids:
        ids.append(chosen)
    values = row[ids].astype(np.float32)  # [bar]
    return Bars(
        values=values,
        labels=tuple(symbol(trace, i) for i in ids),
        ids=tuple(ids),
        # A whole bar is certainty, so that a temperature is seen to flatten; random weights are never near it.
        scale=Scale(0.0, 1.0 if trace.trained else float(values[0]), look.unit_colours),
        cut=cut[ids] if cut.any() else None,
        chosen=None if chosen is None else ids.index(chosen),
        caption=_bars_caption(trace, step, look, _note(row, cut, words), words),
    )


def _bars_caption(trace: Trace, step: int, look: Look, note: str, words: Words) -> Caption:
    tap = "generator.probabilities"
    made = caption(trace, tap, words, note)
    after = trace.side(tap)[step].text
    title = f"{made.title} · {words('picture.after', token=after)}"
    if look.sampling_temperature == 1:
        return attrs.evolve(made, title=title)
    formula = f"softmax((x W + b) / T),  T = {number(look.sampling_temperature)}"
    return attrs.evolve(made, title=title, tap="generator.logits", formula=formula, origin="computed")


def _note(row: NDArray[Any], cut: Closed, words: Words) -> str:
    """A sentence with the number of symbols kept, the share of probability cut away, and the entropy before cutting."""
    entropy = number(float(entropy_bits(row.astype(np.float32))))
    if not cut.any():
        return words("sampling.all_kept", count=len(row), entropy=entropy)
    share = f"{number(100 * mass_cut_away(row, cut))} %"
    return words("sampling.kept", kept=int((~cut).sum()), count=len(row), share=share, entropy=entropy)


def top_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """Probabilities [position, symbol] of the twenty symbols whose largest probability at any position is highest."""
    tap = "generator.probabilities"
    made = tap_heatmap(trace, tap, look, words)
    # rank symbols by max over positions of P[position, symbol]
    likeliest = np.argsort(-trace[tap].max(axis=0), kind="stable")[:_TOP]  # [symbol], ids
    values = made.values[:, likeliest]  # [position, symbol]
    return attrs.evolve(
        made,
        values=values,
        recorded=None,
        scale=Scale(0.0, float(values.max()), look.unit_colours),
        columns=Axis(words("axis.vocab"), tuple(symbol(trace, int(i)) for i in likeliest)),
    )


def written(trace: Trace, step: int) -> str:
    """The token that a step generates; the token at that position where nothing is expected of the model."""
    if trace.expected:
        return symbol(trace, trace.expected[step])
    return trace.side("generator.probabilities")[step].text
