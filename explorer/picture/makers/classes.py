"""Pictures of a classifier's output: the probability of each class, for the text or for one token, and a row of all tokens."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Axis, Bars, Heatmap
from explorer.picture.makers.heatmaps import caption, tap_heatmap
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale, unit_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.model_card import ClassHead
from explorer.trace.trace import Trace

TOP = 20
"""The most classes that are shown."""


def tells_classes(trace: Trace) -> bool:
    """Whether the model of a Trace is a classifier, whose numbers are there."""
    head = trace.card.classes
    return head is not None and head.tap in trace.arrays


def class_bars(trace: Trace, look: Look, words: Words) -> Bars:
    """The likeliest classes of the text or of the chosen token, at most twenty, largest first."""
    head, row = _head(trace), token_chosen(trace, look)
    values = trace[head.tap][row]  # [class]
    first = np.argsort(-values, kind="stable")[:TOP]  # [bar], the numbers of the classes
    made = caption(trace, head.tap, words, _note(head, words))
    if head.of == "tokens":
        made = attrs.evolve(made, title=f"{made.title} · {trace.side(head.tap)[row].text}")
    return Bars(
        values=values[first].astype(np.float32),
        labels=tuple(head.labels[each] for each in first),
        scale=unit_scale(look.unit_colours),
        caption=made,
    )


def class_row(trace: Trace, look: Look, words: Words) -> Timeline:
    """Each token with its likeliest class, and the probability of that class [position]."""
    head = _head(trace)
    rows = trace[head.tap]  # [position, class]
    best, values = rows.argmax(axis=-1), rows.max(axis=-1)  # [position]
    tokens = [token.text for token in trace.side(head.tap)]
    labels = [head.labels[each] for each in best]
    return Timeline(
        labels=tuple(f"{token} · {label}" for token, label in zip(tokens, labels, strict=True)),
        probabilities=values.astype(np.float32),
        chosen=token_chosen(trace, look),
        caption=attrs.evolve(
            caption(trace, head.tap, words),
            title=words("classes.row"),
            note=words("classes.row_note"),
            hint=words("classes.row_hint"),
        ),
        side=trace.side_name(head.tap, "position"),
        scale=unit_scale(look.unit_colours),
        alike=True,
        told=tuple(
            words("classes.told", token=token, label=label, value=number(float(value)))
            for token, label, value in zip(tokens, labels, values, strict=True)
        ),
    )


def class_map(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The numbers of all tokens [position, class], or those of the text [text, class]; of many classes the twenty largest."""
    head = _head(trace)
    made = tap_heatmap(trace, head.tap, look, words)
    made = captioned(made, note=_note(head, words))
    if len(head.labels) <= TOP:
        return made
    # rank classes by max over rows of P[row, class]
    largest = np.sort(np.argsort(-trace[head.tap].max(axis=0), kind="stable")[:TOP])  # [class]
    values: Array = made.values[:, largest]  # [row, class]
    columns = Axis(made.columns.name, tuple(head.labels[each] for each in largest))
    scale = made.scale if made.scale.centred else Scale(0.0, float(values.max()), look.unit_colours)
    return attrs.evolve(made, values=values, recorded=None, scale=scale, columns=columns)


def token_chosen(trace: Trace, look: Look) -> int:
    """The row that is looked at: that of the chosen token, at first of the first one that is not special; 0 for a text."""
    head = _head(trace)
    tokens = trace.side(head.tap)
    if head.of == "text" or 0 <= look.position < len(tokens):
        return 0 if head.of == "text" else look.position
    return next((place for place, token in enumerate(tokens) if not token.special), 0)


def _head(trace: Trace) -> ClassHead:
    head = trace.card.classes
    assert head is not None  # Callers have asked `tells_classes`.
    return head


def _note(head: ClassHead, words: Words) -> str:
    return words(f"classes.{head.by}", count=len(head.labels))
