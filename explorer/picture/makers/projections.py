"""Where Q, K, V and the output of one head come from: the rows that are read, the matrix, its bias, and their product.

Vaswani et al. 2017, section 3.2.2. The matrices are parameters of the model, which the experiment "attention_weights" lends.
"""

from typing import Any, cast

import attrs
import numpy as np

from explorer.errors import ExplorerError, LacksTap, NoMatrix, bare
from explorer.lang import Words
from explorer.picture.arithmetic import Arithmetic
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.layout.cells import LARGE_CELLS
from explorer.picture.makers.heatmaps import tap_heatmap, token_axis
from explorer.picture.picture import captioned
from explorer.picture.scales import centred_scale, robust_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.experiments import ATTENTION_WEIGHTS
from explorer.trace.found.findings import NotMade
from explorer.trace.found.projections import MADE, AttentionWeights, Made, Projection, projection, read_by
from explorer.trace.levels import levels
from explorer.trace.trace import Trace

LETTERS: dict[Made, str] = {"query": "Q", "key": "K", "value": "V", "output": "O"}


def is_projection(step: str) -> bool:
    """Whether a step of the attention is a product with one of the model's matrices."""
    return step in MADE


def behind(trace: Trace, look: Look) -> Projection | None:
    """The product behind the chosen step, which is one of MADE; None while the matrix is on its way.

    Raises NoMatrix where the program does not find it in this model, NotKept and UnknownTap where the rows are missing.
    """
    made, found = cast(Made, look.part), trace.experiments.get(ATTENTION_WEIGHTS.key)
    tap = look.attention_tap(made)
    if isinstance(found, NotMade):
        raise NoMatrix(tap=tap, why=found.error.values["why"]) if isinstance(found.error, LacksTap) else bare(found.error)
    if not isinstance(found, AttentionWeights) or found.block != tap.rpartition(".")[0]:
        return None
    if made in found.lacking:
        raise NoMatrix(tap=tap, why=found.lacking[made])
    return projection(trace, found, made, look.head)


def rows_read(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The vectors x that the attention multiplies with a matrix; K and V of cross-attention read what the encoder gives out."""
    made = cast(Made, look.part)
    tap = look.attention_tap(made)
    read = tap_heatmap(trace, read_by(trace, tap.rpartition(".")[0], made), look, words)
    across = look.attention.endswith("cross_attn")
    title = "steps.input" if not across else "steps.input_across" if made == "query" else "steps.memory"
    # A row of x is named after the row that it becomes. A query of cross-attention is the next token to be generated.
    named = attrs.evolve(read, rows=token_axis(trace, tap, "position", words))
    return captioned(named, title=words(title), formula="")


def matrix(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The matrix of the chosen step [in, out], of the chosen head; W_O belongs to all heads."""
    found = behind(trace, look)
    if found is None:
        return None
    return captioned(_parameter(trace, look, words, "W", found.weight), note=_shared(trace, look, words))


def bias(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """The bias that is added to each row of the product, as one row; None where there is none, or while it is on its way."""
    found = behind(trace, look)
    if found is None or found.bias is None:
        return None
    return _parameter(trace, look, words, "b", found.bias[None])


def has_bias(trace: Trace, look: Look) -> bool:
    """Whether a bias is added to the product of the chosen step, and is there."""
    try:
        found = behind(trace, look) if is_projection(look.part) else None
    except ExplorerError:  # The cards say what is missing.
        return False
    return found is not None and found.bias is not None


def _parameter(trace: Trace, look: Look, words: Words, letter: str, values: Array) -> Heatmap:
    made = cast(Made, look.part)
    tap = look.attention_tap(made)
    block, head = tap.rpartition(".")[0], trace.card.head_in(tap, look.head)
    title = f"{letter}_{LETTERS[made]}"
    of_head = made != "output"
    where = words("picture.head", layer=look.layer, head=head) if of_head else words("picture.layer", layer=look.layer)
    feature = Axis(words("axis.feature"))
    return Heatmap(
        values=values,
        rows=feature,
        columns=feature,
        levels=levels(np.ascontiguousarray(values), signed=True) if values.size > LARGE_CELLS else None,
        scale=robust_scale(values, look.signed_colours),
        caption=Caption(
            title=f"{title} · {where}",
            tap="",
            name=f"{block}.{title}" + (f".{head}" if of_head else ""),
            shape="[" + ", ".join(f"feature {size}" for size in values.shape if size > 1) + "]",
            origin="parameter",
        ),
    )


def _shared(trace: Trace, look: Look, words: Words) -> str:
    """That several heads share a head of K and V; "" where each has its own."""
    side = trace.card.side(look.attention)
    group = side.n_heads // side.n_kv_heads
    if group == 1 or look.part not in ("key", "value"):
        return ""
    head = look.head // group
    return words("steps.shared", head=head, count=group, first=head * group, last=(head + 1) * group - 1)


def product(trace: Trace, look: Look, words: Words, recorded: Heatmap) -> Heatmap:
    """The result of the chosen step: the recorded map, or the product itself where the pass goes on with it before its tap.

    While the matrix is on its way, or where it is not found, it is the recorded map without the calculation of its cells; where
    it is not found, also without the formula, which may be another one.
    """
    try:
        found = behind(trace, look)
    except NoMatrix:
        return captioned(recorded, formula="")
    if found is None:
        return recorded
    of = Arithmetic(kind="product", left=found.x, right=found.weight, bias=found.bias)
    letter = LETTERS[cast(Made, look.part)]
    formula = f"{'concat(A V)' if letter == 'O' else letter + ' = x'} W<sub>{letter}</sub>"
    fields: dict[str, Any] = {"formula": f"{formula} + b<sub>{letter}</sub>" if found.bias is not None else formula}
    if found.direct:
        return captioned(attrs.evolve(recorded, made_of=of), **fields)
    values = found.product
    key = "norm_and_turn" if found.norm and found.turn else "norm" if found.norm else "turn"
    return captioned(
        attrs.evolve(recorded, values=values, recorded=None, scale=centred_scale(values, look.signed_colours), made_of=of),
        title=words(f"steps.before_{key}", title=recorded.caption.title),
        note=words(f"steps.then_{key}"),
        origin="computed",
        **fields,
    )
