"""Pictures of masks: what leaks through a missing mask, and a batch of sentences of different lengths."""

import numpy as np

from explorer.lang import Words
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.makers.findings import finding
from explorer.picture.makers.heatmaps import masked_values
from explorer.picture.makers.pooled import FORMULAS, at_stages
from explorer.picture.scales import Scale, unit_scale
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.findings import Leak, PaddedBatch
from explorer.trace.kept_map import closed_cells
from explorer.trace.trace import Trace


def leak_map(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """How far each output moves when one token is replaced [output, changed token]; None until it is computed."""
    found = finding(trace, "leak", Leak)
    if found is None:
        return None
    tokens = trace.tokens.target if found.side == "target" else trace.tokens.source
    labels = tuple(token.text for token in tokens)[: len(found.changes)]  # of outputs and of changed tokens
    # Movements below rounding noise are not shown: outputs that have collapsed to one vector move by noise alone.
    largest = float(found.changes[np.isfinite(found.changes)].max(initial=0.0))
    top = max(largest, found.noise) or 1.0
    # leak[i, j] for j > i: an output moves although only a later token was replaced.
    later = np.triu(np.ones(found.changes.shape, bool), 1)
    leaks = float(found.changes[later].max(initial=0.0))
    if not np.isfinite(found.changes).all():
        note = words("leak.nan")
    elif largest <= found.noise:
        note = words("leak.still", most=rough(found.noise))
    elif leaks <= max(found.noise, 1e-4 * top):
        note = words("leak.none")
    else:
        note = words("leak.some", most=rough(leaks))
    return Heatmap(
        values=found.changes,
        rows=Axis(words("leak.output"), labels, found.side),
        columns=Axis(words("leak.changed"), labels, found.side),
        scale=Scale(0.0, top, look.unit_colours),
        caption=Caption(
            title=words("leak.title"),
            tap="decoder.norm" if found.side == "target" else "encoder.norm",
            formula="‖y<sub>i</sub>(x) − y<sub>i</sub>(x′)‖",
            origin="beside",
            finding="leak",
            note=note,
            shape=f"[output {len(labels)}, changed {len(labels)}]",
        ),
    )


def batch_map(trace: Trace, look: Look, words: Words, row: int) -> Heatmap | None:
    """The weights [query, key] in one sentence of the batch, padding included; None without that sentence.

    They are those of the chosen head, or the mean or maximum that stands for several.
    """
    found = finding(trace, "batch", PaddedBatch)
    if found is None or row >= len(found.tokens):
        return None
    layer, head = min(look.layer, found.weights.shape[1] - 1), min(look.head, found.weights.shape[2] - 1)
    aligned = at_stages(look).aligned
    values, which = _of_heads(found.weights[row], layer, head, aligned, words)
    # Where a finite mask value closes a whole row, softmax spreads the weight evenly; such cells are shown with their weight.
    closed = closed_cells(found.masked[row, layer, head]) & (found.weights[row, layer, head] == 0)  # [query, key]
    n = found.weights.shape[-1]
    labels = tuple(token.text for token in found.tokens[row]) + ("<pad>",) * (n - len(found.tokens[row]))
    side = ("source" if trace.tokens.source else "target") if row == 0 else ""
    stack = "encoder" if trace.tokens.source else "decoder"
    note = (
        words("batch.note", difference=rough(found.difference, 1), unmasked=rough(found.difference_unmasked))
        if row == 0
        else ""
    )
    return Heatmap(
        values=masked_values(values, closed if closed.any() else None),
        rows=Axis(words("axis.query"), labels, side),
        columns=Axis(words("axis.key"), labels, side),
        scale=unit_scale(look.unit_colours),
        closed=closed if closed.any() else None,
        reason=words("batch.padding"),
        caption=Caption(
            title=f"{words('batch.sentence', number=row + 1, count=len(found.tokens))}{which}",
            tap=f"{stack}.layers.{'*' if aligned.startswith('all') else layer}.self_attn.weights",
            formula=FORMULAS.get(aligned, "A"),
            origin="beside",
            finding="batch",
            shape=f"[batch {len(found.tokens)}, query {n}, key {n}]",
            note=note,
        ),
    )


def _of_heads(weights: Array, layer: int, head: int, aligned: str, words: Words) -> tuple[Array, str]:
    """[query, key] of weights [layer, head, query, key], and a name for what stands for several heads."""
    if aligned == "head":
        return weights[layer, head], ""
    n_layers, n_heads = weights.shape[:2]
    which = words(f"heads.pooled_of.{aligned}", layer=layer, layers=n_layers, heads=n_heads)
    heads = weights[layer] if aligned.startswith("layer") else weights.reshape(-1, *weights.shape[2:])  # [head, query, key]
    # Sums are float64, so that the order of heads does not matter.
    pooled = heads.max(axis=0) if aligned.endswith("_max") else heads.mean(axis=0, dtype=np.float64).astype(np.float32)
    return pooled, f" · {which}"
