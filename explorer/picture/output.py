"""Pictures of the model's output: what it would say next."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.look import Look
from explorer.picture.make import caption, tap_heatmap
from explorer.picture.picture import Axis, Bars, Heatmap
from explorer.picture.scales import Scale
from explorer.trace.trace import Trace

_TOP = 20


def top_bars(trace: Trace, look: Look, words: Words) -> Bars:
    """The twenty likeliest symbols after the chosen token, out of the whole vocabulary."""
    tap = "generator.probabilities"
    row = trace[tap][look.position]
    top = np.argsort(-row, kind="stable")[:_TOP]
    made = caption(trace, tap, words)
    after = trace.side(tap)[look.position].text
    return Bars(
        values=row[top], labels=tuple(symbol(trace, int(i)) for i in top),
        scale=Scale(0.0, float(row[top[0]]), look.unit_colours),
        caption=attrs.evolve(made, title=f"{made.title} · {words('picture.after', token=after)}"),
    )


def top_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """For every position the probabilities of the symbols that are among the likeliest anywhere."""
    tap = "generator.probabilities"
    made = tap_heatmap(trace, tap, look, words)
    likeliest = np.argsort(-trace[tap].max(axis=0), kind="stable")[:_TOP]
    values = made.values[:, likeliest]
    return attrs.evolve(
        made, values=values, scale=Scale(0.0, float(values.max()), look.unit_colours),
        columns=Axis(words("axis.vocab"), tuple(symbol(trace, int(i)) for i in likeliest)),
    )


def symbol(trace: Trace, index: int) -> str:
    """The symbol of an id; a row of the matrix that no symbol uses is shown by its number."""
    return trace.symbols[index] if index < len(trace.symbols) else f"#{index}"
