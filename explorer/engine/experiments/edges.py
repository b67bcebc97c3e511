"""One head's cells, each closed in a pass of its own before the softmax; where that takes long, an estimate comes first.

The estimate is exact as far as the head's own output goes: closing a cell gives its row new weights, and so a new O. What
follows from that is taken along the gradient, as a straight line.
"""

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, stop_if
from explorer.engine.experiments.effects import is_long
from explorer.engine.experiments.gradients import seen_at, wanting_gradients
from explorer.engine.experiments.lacking import check_has
from explorer.engine.experiments.trials import Trial, Trials
from explorer.engine.speed.threads import pass_work
from explorer.mathematics import softmax
from explorer.state.focus import Focus
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.changes import Change
from explorer.trace.found.edges import Edges
from explorer.trace.found.effects import measured_words
from explorer.trace.kept_map import closed_cells
from explorer.trace.tap_names import Cell


def edges(bench: Bench, focus: Focus) -> Edges | None:
    """The effects of all cells of the head in focus; of many cells they are estimates. None without such a head.

    A Focus without an attention means the first head of the last attention. Raises Superseded.
    """
    card = bench.card
    focus = attrs.evolve(focus, attention=focus.attention or card.attentions[-1])
    if focus.attention not in card.attentions or focus.layer >= card.side(focus.attention).n_layers:
        return None
    if focus.head >= card.side(focus.attention).n_heads:
        return None
    assert bench.trace is not None  # `findings` gives it.
    check_has(card, "effects", "generator.logits", "self_attn.masked")
    closed = closed_cells(bench.trace[_tap(focus, "masked")][focus.head])  # [query, key]
    alone = ~closed & ((~closed).sum(axis=1, keepdims=True) == 1)
    ids, _measured = measured_words(bench.tokens.source, bench.tokens.target, bench.expected)
    made = Edges(
        attention=focus.attention,
        layer=focus.layer,
        head=focus.head,
        words=tuple(bench.symbols[each] if each < len(bench.symbols) else f"#{each}" for each in ids),
        word_ids=ids,
        values=frozen_array(np.full((*closed.shape, len(ids)), np.nan, np.float32)),
        closed=closed,
        alone=alone,
        exact_rows=0,
    )
    n_tokens = max(len(bench.tokens.source), len(bench.tokens.target))
    mixing_seen = not card.why_absent("self_attn.mixed")
    if mixing_seen and is_long(int((~closed & ~alone).sum()) * pass_work(card, n_tokens)):
        return attrs.evolve(made, values=_estimated(bench, made))
    return exact_rows(bench, made, len(closed))


def exact_rows(bench: Bench, made: Edges, upto: int) -> Edges:
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


def _estimated(bench: Bench, made: Edges) -> Array:
    """[query, key, word] the estimates; NaN where there is nothing to close. Raises Superseded."""
    assert bench.trace is not None  # The caller has checked.
    masked = bench.trace[_tap(made, "masked")][made.head].astype(np.float64)  # [query, key]
    value = bench.trace[_tap(made, "value")][made.head].astype(np.float64)  # [key, feature]
    gradients = _gradients(bench, made).double().numpy()  # [word, query, feature]
    values = np.full(made.values.shape, np.nan, np.float32)
    n_keys = masked.shape[1]
    for q, row in enumerate(masked):
        stop_if(bench.stop)
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
