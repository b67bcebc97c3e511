"""The cells of one head, each masked in turn: the effect on the chosen word."""

import math

import numpy as np

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.layout.effect_map import plain, signed
from explorer.picture.makers.effects import chosen_word, sliced
from explorer.picture.makers.findings import finding, why_not_made
from explorer.picture.makers.heatmaps import symbol, token_axis
from explorer.picture.scales import Scale, ladder_end
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.found.effects import LEAST, Edges, largest, measured_words
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace


def found_edges(trace: Trace, look: Look) -> Edges | None:
    """The edges of the chosen head; None while they are computed."""
    found = finding(trace, "edges", Edges)
    return found if found is not None and found.is_of(look.attention, look.layer, look.head) else None


def edge_map(trace: Trace, look: Look, words: Words) -> Heatmap | None:
    """[query, key] the change in log-probability of the chosen word when that one cell is masked."""
    if not trace.whole or look.attention not in trace.card.attentions or why_not_made(trace, words, "edges", "effects"):
        return None
    tap = Cell(look.attention, look.layer, look.head, 0, 0).tap("masked")
    found, word = found_edges(trace, look), chosen_word(trace, look)
    weights = trace.head(tap.replace(".masked", ".weights"), look.head)  # [query, key]
    rows, columns = token_axis(trace, tap, "query", words), token_axis(trace, tap, "key", words)
    values = np.full(weights.shape, np.nan, np.float32) if found is None else sliced(found.values, word)
    # The scale is that of all words, so that another word changes no colour's meaning.
    end = ladder_end(math.nan if found is None else _reach(found.values))
    nothing = None if found is None else found.closed | found.alone
    estimated = None
    if found is not None and not found.exact:
        estimated = np.zeros(values.shape, bool)
        estimated[found.exact_rows :] = ~nothing[found.exact_rows :] if nothing is not None else True
    name = f"{words(f'attention_short.{look.attention}')} L{look.layer} H{look.head}"
    return Heatmap(
        values=np.ascontiguousarray(values),
        rows=rows,
        columns=columns,
        scale=Scale(-end, end, look.signed_colours),
        closed=nothing if nothing is not None and nothing.any() else None,
        closed_by=words("effects.not_closed"),
        reason=words("effects.nothing_to_close"),
        reasons=()
        if found is None
        else ((words("effects.alone"), found.alone), (words("effects.closed_already"), found.closed)),
        beside=((words("why.weight"), weights),),
        estimated=estimated,
        head=look.head,
        least=LEAST,
        pending=found is None,
        caption=Caption(
            title=words("effects.edges", head=name, word=_named(trace, word, words)),
            tap=tap,
            name=f"effects.{tap.rpartition('.')[0]}.head{look.head}",
            shape=f"[query {weights.shape[0]}, key {weights.shape[1]}]",
            note=_note(found, values, rows, columns, words),
            hint="" if found is None or not np.isfinite(values).any() else words("effects.click_cell"),
            origin="beside",
            finding="edges",
        ),
    )


def _named(trace: Trace, word: int, words: Words) -> str:
    """The chosen word, or the sentence."""
    ids, _measured = measured_words(trace.tokens.source, trace.tokens.target, trace.expected)
    return words("effects.sentence") if word < 0 else symbol(trace, ids[word])


def _reach(values: Array) -> float:
    both = np.abs(np.concatenate([values, values.sum(axis=-1, keepdims=True)], axis=-1))
    return float(np.nanmax(both)) if np.isfinite(both).any() else math.nan


def _note(found: Edges | None, values: Array, rows: Axis, columns: Axis, words: Words) -> str:
    """A sentence with the cell of the largest effect, or that no cell has one, and whether some are estimates."""
    if found is None:
        return words("status.computing")
    if not np.isfinite(values).any():
        return words("effects.no_numbers" if (~found.closed & ~found.alone).any() else "effects.nothing_to_close")
    query, key = largest(values)
    strongest = float(values[query, key])
    cell = f"{rows.labels[query]} → {columns.labels[key]}"
    if abs(strongest) >= LEAST:
        told = words("effects.strongest_edge", cell=cell, value=signed(strongest))
    else:
        told = words("effects.no_edge", least=plain(LEAST), cell=cell, value=f"{strongest:+.2g}".replace("-", "\N{MINUS SIGN}"))
    estimated = "" if found.exact else f" {words('effects.estimated')}"
    return f"{told}{estimated}"
