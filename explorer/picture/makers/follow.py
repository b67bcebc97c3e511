"""The way of one attention cell, of the chosen head, as it was recorded. Vaswani et al. 2017, section 3.2.1."""

import attrs
import numpy as np

from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.mathematics import Numbers, alibi, alibi_slope, attention_step
from explorer.picture.follow_text import headline
from explorer.picture.followed import Followed
from explorer.picture.kinds import Caption, Follow
from explorer.picture.makers.heatmaps import closed_reason, token_axis
from explorer.state.look import Look
from explorer.trace.arrays import Array
from explorer.trace.kept_map import closed_cells
from explorer.trace.measures.measures import telling_cell
from explorer.trace.recorded_pass import unknown_tap
from explorer.trace.remake_heads import can_be_remade
from explorer.trace.tap_names import Cell
from explorer.trace.trace import Trace

_WITHOUT_BIAS = ("sinusoidal", "learned", "rotary", "none")
_ROUNDING = 1e-3  # a difference between masked and scaled scores that is a bias of its own
_MOST_SEARCHED = 512  # queries of a map in which the most telling cell is searched


def follow(trace: Trace, look: Look, words: Words) -> Follow | None:
    """The chosen cell in six beats; None where the model has no attention that could be followed.

    Raises NotKept where a long text left no room for Q, K, V or, after a change inside the pass, for the head's map,
    UnknownTap where a pass from elsewhere has no tensor of a stage.
    """
    if look.attention_tap("weights") not in trace:
        return None
    made = followed(trace, cell_of(trace, look), words)
    tap = made.cell.tap("weights")
    return Follow(
        followed=made,
        signed_colours=look.signed_colours,
        head=made.cell.head,
        caption=Caption(
            title=headline(made, words),
            tap=tap,
            shape=_place_badge(made.cell),
            # Products, powers and the weights without a mask are computed; all else was recorded.
            origin="computed",
        ),
    )


def _place_badge(cell: Cell) -> str:
    """The place of the cell in its tap, counted from 0: "[head 6, query 3, key 2]"."""
    return f"[head {cell.head}, query {cell.query}, key {cell.key}]"


def cell_of(trace: Trace, look: Look) -> Cell:
    """The chosen cell, or the most telling one of the chosen head where none was chosen."""
    query, key = look.cell_query, look.cell_key
    if min(query, key) < 0:
        query, key = _telling(trace, look)
    return Cell(look.attention, look.layer, look.head, query, key)


def _telling(trace: Trace, look: Look) -> tuple[int, int]:
    """A cell worth following: a large weight in a row of high entropy, away from the diagonal of self-attention."""
    weights = trace.map(look.attention_tap("weights")).head(look.head)
    return (0, 0) if weights is None else telling_cell(weights[:_MOST_SEARCHED], own=look.attention.endswith("self_attn"))


def followed(trace: Trace, cell: Cell, words: Words) -> Followed:
    """The recorded numbers of a cell's row. Raises NotKept."""
    card, row = trace.card, _Row(trace, cell)
    scaled, masked = row.stage("scaled"), row.stage("masked")
    closed, value, weights, passed = closed_cells(masked), row.part("value"), row.stage("weights"), row.stage("dropped")
    mixed = _one_head(trace, cell.tap("mixed"), cell.head)
    return Followed(
        cell=cell,
        query=row.part("query")[cell.query],
        key=row.part("key")[cell.key],
        scores=row.stage("scores"),
        scaled=scaled,
        bias=_bias(trace, cell, scaled, masked),
        masked=masked,
        weights=weights,
        passed=passed,
        value=value,
        # O[q] = Σ_k A[q,k]·V[k], where a long text left no room for it
        mixed=passed @ value if mixed is None else mixed[cell.query],
        closed=closed,
        queries=token_axis(trace, cell.tap("weights"), "query", words),
        keys=token_axis(trace, cell.tap("weights"), "key", words),
        kv_head=card.head_in(cell.tap("value"), cell.head),
        divisor=card.score_divisor,
        d_head=card.d_head,
        temperature=card.temperature,
        scales=card.score_scaling,
        scores_over=card.scores_over,
        reason=closed_reason(trace, words, cell.tap("weights")) if closed.any() else "",
        rotary=card.position == "rotary" and cell.attention.endswith("self_attn"),
        remade=frozenset(row.remade | ({"mixed"} if mixed is None else set())),
    )


class _Row:
    """The row of a cell's query, stage by stage; what was not kept is made again from Q and K."""

    def __init__(self, trace: Trace, cell: Cell) -> None:
        self.trace, self.cell = trace, cell
        self.remade: set[str] = set()

    def part(self, part: str) -> Array:
        """[position, feature] Q, K or V of the cell's head. Raises NotKept, UnknownTap."""
        tap = self.cell.tap(part)
        array = _one_head(self.trace, tap, self.trace.card.head_in(tap, self.cell.head))
        if array is None:
            raise self._lacks(tap, -1)
        return array

    def stage(self, stage: str) -> Array:
        """[key] the row at a stage of the attention. Raises NotKept, UnknownTap."""
        tap, head = self.cell.tap(stage), self.cell.head
        kept = _one_head(self.trace, tap, head)
        if kept is not None:
            row: Array = kept[self.cell.query]
            return row
        if not can_be_remade(self.trace, tap):
            raise self._lacks(tap, head)
        self.remade.add(stage)
        return self._made(stage)

    def _lacks(self, tap: str, head: int) -> ExplorerError:
        """The error for a missing tensor: a long text left no room for it, or another program did not record it."""
        trace = self.trace
        elsewhere = trace.recorded_by and tap not in trace
        return unknown_tap(tap, trace.axis_names) if elsewhere else trace.not_kept(tap, head)

    def _made(self, stage: str) -> Array:
        trace, cell = self.trace, self.cell
        mask = trace.map(cell.tap("masked")).closed if cell.tap("masked") in trace else None
        bias = _alibi(trace, cell, len(self.part("key")))
        with np.errstate(invalid="ignore"):  # A row that has only -inf becomes NaN.
            made: Array = attention_step(
                "weights" if stage == "dropped" else stage,  # Without dropout the two are equal.
                self.part("query")[cell.query : cell.query + 1],
                self.part("key"),
                divisor=trace.card.score_divisor,
                bias=None if bias is None else bias[None],
                closed=None if mask is None else mask[cell.query : cell.query + 1],
                mask_value=trace.card.mask_value,
            )[0]  # [query 1, key] to [key]
        return made


def _one_head(trace: Trace, tap: str, head: int) -> Array | None:
    """[row, column] one head of a tap; None where the model lacks the tap or the head was not kept."""
    return trace.map(tap).head(head) if tap in trace else None


def _alibi(trace: Trace, cell: Cell, n_keys: int) -> Numbers | None:
    """[key] ALiBi's bias -m·|q - k| / temperature; None in attentions without it. Press et al. 2022."""
    card = trace.card
    if card.position != "alibi" or not cell.attention.endswith("self_attn"):
        return None
    # Softmax's temperature divides the bias too.
    slope = alibi_slope(cell.head, card.side(cell.attention).n_heads) / card.temperature
    bias: Numbers = alibi(slope, 1, n_keys, cell.query)[0]  # [query 1, key] to [key]
    return bias


def _bias(trace: Trace, cell: Cell, scaled: Array, masked: Array) -> Numbers | None:
    """[key] what the model adds to the scaled scores before the mask; None where it adds nothing.

    For a kind of positions that is unknown here, it is read off the unmasked cells, and NaN in masked ones.
    """
    known = _alibi(trace, cell, len(scaled))
    kind = trace.card.position.partition("-")[0]
    if known is not None or kind in (*_WITHOUT_BIAS, "sine") or cell.attention.endswith("cross_attn"):
        return known
    # B[q,k] = M[q,k] - S[q,k] / divisor, where the cell is open
    with np.errstate(invalid="ignore"):
        gap: Numbers = np.where(closed_cells(masked), np.nan, masked.astype(np.float64) - scaled)
    return gap if np.nanmax(np.abs(gap), initial=0.0) > _ROUNDING else None


def at(trace: Trace, look: Look) -> Look:
    """The Look with the cell that the page follows written out, so that a map can mark it."""
    cell = cell_of(trace, look)
    return attrs.evolve(look, cell_query=cell.query, cell_key=cell.key)
