"""One head's cells, each masked in a pass of its own before the softmax; where that takes long, an estimate comes first.

The estimate is exact as far as the head's own output goes: masking a cell gives its row new weights, and so a new O. What
follows from that is taken along the gradient, as a straight line.
"""

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.taking_gradients import seen_at, wanting_gradients
from explorer.engine.experiments.trials import Trial, Trials, is_long
from explorer.engine.speed.threads import pass_work
from explorer.mathematics import softmax
from explorer.state.focus import Focus
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import Change
from explorer.trace.found.effects import Edges, measured_words
from explorer.trace.kept_map import closed_cells
from explorer.trace.tap_names import Cell


def edges(inquiry: Inquiry) -> Edges | None:
    """The effects of all cells of the head in focus; of many cells they are estimates, and turn exact row by row.

    None where there is no such head. A Focus without an attention means the first head of the last attention. Raises
    Superseded.
    """
    cells = inquiry.before if isinstance(inquiry.before, Edges) else _begun(inquiry)
    upto = inquiry.focus.edge_rows
    if cells is None or cells.exact_rows >= min(upto, len(cells.values)):
        return cells
    return _exact_rows(inquiry, cells, upto)


def _begun(inquiry: Inquiry) -> Edges | None:
    """All cells of the head in focus: where they are many, estimates. None without such a head. Raises Superseded."""
    card, focus = inquiry.card, inquiry.focus
    focus = attrs.evolve(focus, attention=focus.attention or card.attentions[-1])
    if focus.attention not in card.attentions or focus.layer >= card.side(focus.attention).n_layers:
        return None
    if focus.head >= card.side(focus.attention).n_heads:
        return None
    closed = closed_cells(inquiry.trace[_tap(focus, "masked")][focus.head])  # [query, key]
    alone = ~closed & ((~closed).sum(axis=1, keepdims=True) == 1)
    ids, _measured = measured_words(inquiry.tokens.source, inquiry.tokens.target, inquiry.expected)
    made = Edges(
        attention=focus.attention,
        layer=focus.layer,
        head=focus.head,
        words=tuple(map(inquiry.symbol, ids)),
        word_ids=ids,
        values=frozen_array(np.full((*closed.shape, len(ids)), np.nan, np.float32)),
        closed=closed,
        alone=alone,
        exact_rows=0,
    )
    n_tokens = max(len(inquiry.tokens.source), len(inquiry.tokens.target))
    mixing_seen = not card.why_absent("self_attn.mixed")
    if mixing_seen and is_long(int((~closed & ~alone).sum()) * pass_work(card, n_tokens)):
        return attrs.evolve(made, values=_estimated(inquiry, made))
    return _exact_rows(inquiry, made, len(closed))


def _exact_rows(bench: Bench, made: Edges, upto: int) -> Edges:
    """The same with exact effects in the rows of all queries before `upto`. Raises Superseded."""
    upto = min(upto, len(made.values))
    rows = range(made.exact_rows, upto)
    cells = [(q, int(k)) for q in rows for k in np.flatnonzero(~made.closed[q] & ~made.alone[q])]
    tap = _tap(made, "masked")
    trials: list[Trial] = [(Change(tap, "close", head=made.head, rows=[q], columns=[k]),) for q, k in cells]
    values = made.values.copy()
    with torch.inference_mode():
        found = Trials(bench).effects(trials)  # [cell, word]
    for cell, effect in zip(cells, found, strict=True):
        values[cell] = fetched(effect).numpy()
    return attrs.evolve(made, values=frozen_array(values), exact_rows=upto)


def _tap(of: Focus | Edges, stage: str) -> str:
    return Cell(of.attention, of.layer, of.head, 0, 0).tap(stage)


def _estimated(inquiry: Inquiry, made: Edges) -> Array:
    """[query, key, word] the estimates; NaN where there is nothing to mask. Raises Superseded."""
    masked = inquiry.trace[_tap(made, "masked")][made.head].astype(np.float64)  # [query, key]
    value = inquiry.trace[_tap(made, "value")][made.head].astype(np.float64)  # [key, feature]
    gradients = _gradients(inquiry, made).double().numpy()  # [word, query, feature]
    values = np.full(made.values.shape, np.nan, np.float32)
    n_keys = masked.shape[1]
    for q, row in enumerate(masked):
        stop_if(inquiry.stop)
        some = np.flatnonzero(~made.closed[q] & ~made.alone[q])
        without = np.broadcast_to(row, (len(some), n_keys)).copy()  # [closed key, key]
        without[np.arange(len(some)), some] = -np.inf
        # ΔO[q] = Σ_j (A'[q,j] − A[q,j])·V[j], where A' is the row without the cell
        moved = (softmax(without) - softmax(row[None])) @ value  # [closed key, feature]
        # Δ log p ≈ ΔO[q] · ∂log p / ∂O[q]
        values[q, some] = moved @ gradients[:, q].T  # [closed key, word]
    return frozen_array(values)


def _gradients(bench: Bench, made: Edges) -> Tensor:
    """[word, query, feature] of each word's log-probability with respect to what the head mixes. Raises Superseded."""
    tap = _tap(made, "mixed")
    with torch.inference_mode(False), torch.enable_grad(), wanting_gradients(bench.model):
        with seen_at(bench.model, (tap,), keep=True) as seen:
            logits = bench.runs.logits(1)[0, : len(made.word_ids)]  # [word, vocab]
        ids = torch.tensor(made.word_ids, device=logits.device)
        log_p = logits.log_softmax(dim=-1).gather(-1, ids[:, None])[:, 0]  # [word]
        rows = []
        for word in log_p:
            stop_if(bench.stop)
            (gradient,) = torch.autograd.grad(word, [seen[tap]], retain_graph=True, allow_unused=True)
            rows.append(torch.zeros_like(seen[tap][0, made.head]) if gradient is None else gradient[0, made.head])
        return fetched(torch.stack(rows))


MAKE = edges
