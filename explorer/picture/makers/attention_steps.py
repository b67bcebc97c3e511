"""The steps of one attention head, each with its operands and its result. Vaswani et al. 2017, figure 2."""

import attrs
import numpy as np

from explorer.errors import NotKept, UnknownTap
from explorer.lang import Words
from explorer.mathematics import softmax, softmax_gradient
from explorer.picture.arithmetic import of_stage
from explorer.picture.causal_kinds import Account
from explorer.picture.kinds import Axis, Bars, Caption, Heatmap, Strips
from explorer.picture.makers.cell_sum import PRODUCTS, cell_sum, opened_cell
from explorer.picture.makers.heatmaps import caption, scale_for, tap_heatmap, token_axis
from explorer.picture.makers.projections import is_projection, matrix, product, rows_read
from explorer.picture.picture import captioned
from explorer.picture.scales import Scale, robust_scale
from explorer.state.look import ATTENTION_STEPS, Look
from explorer.trace.found.projections import concatenated
from explorer.trace.kept_map import closed_cells
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.trace import Trace

STEPS = ATTENTION_STEPS
_OPERANDS = {
    "query": ("read", "matrix"),
    "key": ("read", "matrix"),
    "value": ("read", "matrix"),
    "scores": ("query", "key"),
    "scaled": ("scores", ""),
    "masked": ("scaled", ""),
    "weights": ("masked", ""),
    "dropped": ("weights", ""),
    "mixed": ("dropped", "value"),
    "merged": ("mixed", ""),
    "output": ("merged", "matrix"),
}
_MOST_BANDS = 8


def operands(step: str) -> tuple[str, str]:
    """The names of a step's first and second operand; "" where there is none."""
    return _OPERANDS[step]


def first_operand(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The first operand of the chosen step; for Q, K and V the vectors that are multiplied with a matrix."""
    name = operands(look.part)[0]
    made = rows_read(trace, look, words) if name == "read" else part(trace, look, words, name)
    opened = _opened(trace, look, words)
    return made if opened is None else attrs.evolve(made, chosen_row=opened[0])


def second_operand(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The second operand of the chosen step; None while a matrix of the model is on its way. Raises NoMatrix.

    Steps that have none do not show this picture.
    """
    name = operands(look.part)[1] or "key"
    made = matrix(trace, look, words) if name == "matrix" else part(trace, look, words, name)
    opened = _opened(trace, look, words)
    if made is None or opened is None:
        return made
    column = opened[1]  # Of the scores it is a row of K, which is not transposed on screen.
    if name == "key":
        return captioned(attrs.evolve(made, chosen_row=column), note=words("steps.transposed"))
    return attrs.evolve(made, chosen_column=column)


def result(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The result of the chosen step."""
    made = _made(trace, look, words)
    opened = _opened(trace, look, words)
    if opened is None:
        return made
    return captioned(attrs.evolve(made, chosen_row=opened[0], chosen_column=opened[1]), hint=words("steps.click_hint"))


def opened_sum(trace: Trace, look: Look, words: Words) -> Account | None:
    """The opened cell of the result as a sum of products; None while its factors are on their way. Raises NoMatrix."""
    return cell_sum(trace, look, words, _made(trace, look, words))


def _made(trace: Trace, look: Look, words: Words) -> Heatmap:
    recorded = part(trace, look, words, look.part)
    return product(trace, look, words, recorded) if is_projection(look.part) else recorded


def _opened(trace: Trace, look: Look, words: Words) -> tuple[int, int] | None:
    """Row and column of the opened cell; None where the step is no product, or a part of it is not there."""
    if look.part not in PRODUCTS:
        return None
    try:
        made = _made(trace, look, words)
    except (NotKept, UnknownTap):
        return None
    return opened_cell(made, look) if made.made_of is not None else None


def part(trace: Trace, look: Look, words: Words, name: str) -> Heatmap:
    """One matrix of the chosen head, with each cell's calculation where one step makes it. Raises UnknownTap, UnknownHead."""
    where = words("picture.head", layer=look.layer, head=look.head)
    if name == "merged":
        return _merged(trace, look, words)
    tap = look.attention_tap(name)
    made = tap_heatmap(trace, tap, look, words, trace.card.head_in(tap, look.head) if trace.axes(tap)[0] == "head" else 0)
    title = made.caption.title if name == "output" else f"{made.caption.title} · {where}"
    return attrs.evolve(made, made_of=of_stage(trace, look, name), caption=attrs.evolve(made.caption, title=title))


def _merged(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The results of all heads side by side [query, d_model], which W_o multiplies next."""
    tap = look.attention_tap("mixed")
    values = concatenated(trace[tap])  # [query, head · feature]
    made = caption(trace, tap, words)
    return Heatmap(
        values=values,
        rows=token_axis(trace, tap, "query", words),
        columns=Axis(words("axis.feature")),
        scale=scale_for(trace, tap, look),
        caption=Caption(
            title=words("steps.merged"),
            tap=tap,
            formula="concat(A V)",
            origin="computed",
            shape=f"{made.shape} → [query {values.shape[0]}, feature {values.shape[1]}]",
        ),
    )


def head_split(trace: Trace, look: Look, words: Words) -> Strips:
    """Q, K or V of every head side by side, each [position, d_head]: the features are cut into heads × d_head."""
    name = look.part if look.part in ("query", "key", "value") else "query"
    tap = look.attention_tap(name)
    heads = trace[tap]  # [head, position, feature]
    shown = min(len(heads), _MOST_BANDS)
    n, h, d = heads.shape[1], *heads.shape[::2]  # positions, heads, features of a head
    bands = []
    scale = robust_scale(heads, look.signed_colours)  # one for all heads, so that they can be compared
    for head in range(shown):
        band = tap_heatmap(trace, tap, look, words, head)
        bands.append(attrs.evolve(band, scale=scale, caption=attrs.evolve(band.caption, title=f"H{head}")))
    shape, letter = f"[{n}, {h * d}] → [{n}, {h}, {d}] → [{h}, {n}, {d}]", {"query": "Q", "key": "K", "value": "V"}[name]
    note = words("steps.split_some", shown=shown, count=h) if shown < h else ""
    return Strips(
        bands=tuple(bands),
        caption=Caption(
            title=words("steps.split"),
            tap=tap,
            shape=shape,
            note=note,
            formula=f"{letter} → {letter}<sub>1</sub> … {letter}<sub>h</sub>",
        ),
    )


def why_divide(trace: Trace, look: Look, words: Words) -> Bars:
    """Why scores are divided by √d_head: entropy of the chosen head's rows and size of softmax's gradient, with and without.

    Both are means over the rows, computed from the recorded scores without masked keys. Vaswani et al. 2017, section
    3.2.1, footnote 4.
    """
    scores = trace[look.attention_tap("scores")][look.head].astype(np.float64)  # [query, key]
    may_look = ~closed_cells(trace[look.attention_tap("masked")][look.head])
    may_look |= ~may_look.any(axis=1, keepdims=True)  # A row that may see nothing would be all NaN.
    size = np.sqrt(trace.card.d_head)
    labels, values = [], []
    for name, divisor in (("divided", size), ("undivided", 1.0)):
        # A[q,k] = softmax_k(S[q,k] / divisor). A model whose scores are NaN gives NaN here, without a warning.
        with np.errstate(invalid="ignore"):
            weights = softmax(np.where(may_look, scores / divisor, -np.inf))
        labels += [words(f"steps.entropy_{name}"), words(f"steps.gradient_{name}")]
        values += [float(entropy_bits(weights.astype(np.float32)).mean()), float(softmax_gradient(weights).mean())]
    order = (0, 2, 1, 3)  # both entropies first, then both gradients
    return Bars(
        values=np.array([values[i] for i in order], np.float32),
        labels=tuple(labels[i] for i in order),
        scale=Scale(0.0, 1.0, look.unit_colours),
        caption=Caption(
            title=words("steps.why"),
            tap=look.attention_tap("scores"),
            formula="‖diag(A) − A A<sup>T</sup>‖",
            shape=f"[query {scores.shape[0]}, key {scores.shape[1]}]",
            note=words("steps.why_note"),
            origin="computed",
        ),
    )
