"""The gradient of the chosen words at the chosen tap, as a map beside the tap's own."""

import numpy as np

from explorer.errors import bare
from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Caption, Heatmap
from explorer.picture.layout.cells import LARGE_CELLS
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import closed_of, closed_reason, masked_values, shape_badge, symbol, token_axis
from explorer.picture.scales import centred_scale
from explorer.picture.sums import unmarked
from explorer.state.look import Look
from explorer.trace.found.effects import classes_of
from explorer.trace.found.experiments import GRADIENTS, ZEROED
from explorer.trace.found.findings import NotMade
from explorer.trace.found.gradients import Gradients, Zeroed
from explorer.trace.levels import levels
from explorer.trace.model_card import LOGITS
from explorer.trace.trace import Trace


def gradient_map(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """∂ log p / ∂x at the chosen tap [row, column]; of a tap with heads, that of the chosen head.

    None while it is computed. Raises LacksTap for a model without an output, UnknownTap for a tap without a gradient.
    """
    refused, found = finding(trace, GRADIENTS.key, NotMade), finding(trace, GRADIENTS.key, Gradients)
    if refused is not None:
        raise bare(refused.error)
    if found is None:
        return None
    tap, head = look.tap, None
    slopes, axes = found[tap], trace.axes(tap)  # g = ∂y / ∂x
    if axes[0] == "head":
        head = min(look.head, len(slopes) - 1)
        slopes, axes = slopes[head], axes[1:]  # from [head, row, column] to [row, column]
    closed = closed_of(trace, tap, head)
    values = masked_values(slopes, closed)
    return Heatmap(
        values=values,
        closed=closed,
        levels=levels(slopes, signed=True) if slopes.size > LARGE_CELLS else None,
        rows=token_axis(trace, tap, axes[0], words),
        columns=token_axis(trace, tap, axes[1], words),
        scale=centred_scale(np.asarray(found[tap]), look.signed_colours),
        reason="" if closed is None else closed_reason(trace, words, tap),
        caption=Caption(
            title=words("gradients.title", word=said(found, words)),
            tap=tap,
            name=f"{tap}.gradient",
            shape=shape_badge(trace, tap),
            formula="∂ log p / ∂x",
            note=_note(trace, found, tap, words),
            origin="beside",
            finding=GRADIENTS.key,
        ),
        head=head,
    )


def words_to_ask(trace: Trace) -> tuple[str, ...]:
    """The words that gradients can be asked of: what a translation wrote, else the likeliest at each place of the output.

    () of a long text, of which not everything was kept: no gradients are computed of it.
    """
    classes, logits = trace.card.classes, "generator.logits"
    if not trace.whole:
        return ()
    if classes is not None:
        return tuple(classes.labels[each] for each in classes_of(trace)) if LOGITS in trace else ()
    ids = trace.expected or (trace[logits].argmax(axis=-1).tolist() if logits in trace else ())
    return tuple(unmarked(symbol(trace, each)) for each in ids)


def said(found: Gradients, words: Words) -> str:
    """The word whose gradients these are, or that it is the whole target."""
    return words("gradients.target") if found.position < 0 else unmarked(found.words[0])


def _note(trace: Trace, found: Gradients, tap: str, words: Words) -> str:
    """What the tensor times its gradient sums to, what zero in its place really costs, and the gap between the two."""
    product, zeroed = found.products[tap], finding(trace, ZEROED.key, Zeroed)
    if zeroed is None or (zeroed.tap, zeroed.position) != (tap, found.position):
        return words("gradients.sum", sum=rough(product))
    gap = rough(abs(product - zeroed.lost))
    return words("gradients.sum_and_zero", sum=rough(product), lost=rough(zeroed.lost), gap=gap)
