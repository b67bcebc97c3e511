"""The attention of one decoding step: the weights of every head of the chosen layer at that step."""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Heatmap
from explorer.picture.makers.heatmaps import caption, closed_of, closed_reason, masked_values, scale_for, token_axis
from explorer.picture.makers.output import written
from explorer.state.look import Look
from explorer.trace.trace import Trace


def step_cross(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The step's weights over the source [head + 1, key]; the last row is the mean. Raises UnknownTap without a source."""
    return _step_map(trace, "decoder.cross_attn", look, words)


def step_self(trace: Trace, look: Look, words: Words) -> Heatmap:
    """The step's weights over the tokens before it [head + 1, key]; the last row is the mean and later tokens are closed.

    Without a decoder, the weights of the encoder's self-attention. Raises UnknownTap for an unknown layer.
    """
    return _step_map(trace, "decoder.self_attn" if trace.card.has("decoder") else "encoder.self_attn", look, words)


def _step_map(trace: Trace, attention: str, look: Look, words: Words) -> Heatmap:
    tap = attrs.evolve(look, attention=attention).attention_tap("weights")
    step = look.step(trace)
    weights = trace[tap][:, step]  # [head, key]
    n_heads, n_keys = weights.shape
    # Ā[k] = Σ_h A[h,k] / n_heads
    rows = np.vstack([weights, weights.mean(axis=0, dtype=np.float64)]).astype(np.float32)  # [head + 1, key]
    mask = closed_of(trace, tap)
    # All heads share the mask's row of this step.
    closed = None if mask is None or not mask[step].any() else np.broadcast_to(mask[step], rows.shape)
    key = "step.where" if trace.expected else "step.where_position"
    where = words(key, step=step, number=step + 1, token=written(trace, step), layer=look.layer)
    return Heatmap(
        values=masked_values(rows, closed),
        closed=closed,
        query=step,
        rows=Axis(words("axis.head"), (*map(str, range(n_heads)), words("step.mean")), numbered=False),
        columns=token_axis(trace, tap, "key", words),
        scale=scale_for(trace, tap, look),
        caption=attrs.evolve(
            caption(trace, tap, words),
            title=f"{words(f'attention.{attention}')} · {where}",
            shape=f"[head {n_heads}, key {n_keys}]",
            origin="computed",  # The last row is a mean.
        ),
        reason="" if closed is None else closed_reason(trace, words, tap),
    )
