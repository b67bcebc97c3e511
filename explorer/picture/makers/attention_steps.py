"""The steps of one attention head, each with its operands and its result. Vaswani et al. 2017, figure 2."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.mathematics import softmax, softmax_gradient
from explorer.picture.arithmetic import of_stage
from explorer.picture.kinds import Axis, Bars, Caption, Heatmap, Strips
from explorer.picture.makers.heatmaps import caption, scale_for, tap_heatmap, token_axis
from explorer.picture.scales import Scale, robust_scale
from explorer.state.look import ATTENTION_STEPS, Look
from explorer.trace.kept_map import closed_cells
from explorer.trace.measures.measures import entropy_bits
from explorer.trace.trace import Trace

STEPS = ATTENTION_STEPS
_OPERANDS = {
    "query": ("", ""),
    "scores": ("query", "key"),
    "scaled": ("scores", ""),
    "masked": ("scaled", ""),
    "weights": ("masked", ""),
    "dropped": ("weights", ""),
    "mixed": ("dropped", "value"),
    "merged": ("mixed", ""),
    "output": ("merged", ""),
}
_MOST_BANDS = 8


def operands(step: str) -> tuple[str, str]:
    """The names of a step's first and second operand; "" where there is none."""
    return _OPERANDS[step]


def first_operand(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The first operand of the chosen step; for the first step, the vectors that are projected to Q, K and V."""
    name = operands(look.part)[0]
    return _input(trace, look, words) if not name else part(trace, look, words, name)


def second_operand(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The second operand of the chosen step. Steps that have none do not show this picture."""
    return part(trace, look, words, operands(look.part)[1] or "key")


def result(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The result of the chosen step."""
    return part(trace, look, words, look.part)


def part(trace: Trace, look: Look, words: Words, name: str) -> Heatmap:
    """One matrix of the chosen head, with each cell's calculation where one step makes it. Raises UnknownTap, UnknownHead."""
    where = words("picture.head", layer=look.layer, head=look.head)
    if name == "merged":
        return _merged(trace, look, words)
    tap = look.attention_tap(name)
    made = tap_heatmap(trace, tap, look, words, trace.card.head_in(tap, look.head) if trace.axes(tap)[0] == "head" else 0)
    title = made.caption.title if name == "output" else f"{made.caption.title} · {where}"
    return attrs.evolve(made, made_of=of_stage(trace, look, name), caption=attrs.evolve(made.caption, title=title))


def _input(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The vectors x that the attention projects: behind the norm in pre-norm models, the stream itself in post-norm ones."""
    side, _, kind = look.attention.partition(".")
    number = {"self_attn": 1, "cross_attn": 2}[kind]
    if trace.card.norm_placement == "pre":
        tap = f"{side}.layers.{look.layer}.norm{number}"
    elif number == 2:
        tap = f"{side}.layers.{look.layer}.norm1"
    else:
        last = 3 if side == "decoder" and f"{side}.layers.0.norm3" in trace else 2
        tap = f"{side}.layers.{look.layer - 1}.norm{last}" if look.layer else f"{side}.embedding.output"
    made = tap_heatmap(trace, tap, look, words)
    # A row of x is named after the row of Q that it becomes. In cross-attention this is the next token to be generated.
    rows = token_axis(trace, look.attention_tap("query"), "position", words)
    return attrs.evolve(made, rows=rows, caption=attrs.evolve(made.caption, title=words("steps.input"), formula="x"))


def _merged(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The results of all heads side by side [query, d_model], which W_o multiplies next."""
    tap = look.attention_tap("mixed")
    heads = trace[tap]  # [head, query, feature]
    # merged[q] = concat(mixed[1, q], …, mixed[h, q])
    values = np.ascontiguousarray(heads.transpose(1, 0, 2).reshape(heads.shape[1], -1))  # [query, head · feature]
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
    """Q of every head side by side, each [position, d_head]: d_model features are cut into n_heads × d_head."""
    tap = look.attention_tap("query")
    heads = trace[tap]  # [head, position, feature]
    shown = min(len(heads), _MOST_BANDS)
    n, h, d = heads.shape[1], *heads.shape[::2]  # positions, heads, features of a head
    bands = []
    scale = robust_scale(heads, look.signed_colours)  # one for all heads, so that they can be compared
    for head in range(shown):
        band = tap_heatmap(trace, tap, look, words, head)
        bands.append(attrs.evolve(band, scale=scale, caption=attrs.evolve(band.caption, title=f"H{head}")))
    shape = f"[{n}, {h * d}] → [{n}, {h}, {d}] → [{h}, {n}, {d}]"
    note = words("steps.split_some", shown=shown, count=h) if shown < h else ""
    return Strips(
        bands=tuple(bands),
        caption=Caption(
            title=words("steps.split"), tap=tap, shape=shape, note=note, formula="Q → Q<sub>1</sub> … Q<sub>h</sub>"
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
