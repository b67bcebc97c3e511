"""What each kind of Change does to the tensor that goes through its tap.

A tensor may come in blocks of queries, and of a translation only the beginning may be written yet: then the places that are
there are changed.

Decision: where some weights of a row are set, the other keys share what is left in proportion to the weights that they had, as
if the softmax had been made without the cells that were set. Rejected: leaving them as they are, for then the head would take
more, or less, than one whole value, and one could not tell an effect of the cell from one of the sum.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.errors import AllClosed, BadFunctionResult
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap
from explorer.trace.change_values import WholeValue, is_function
from explorer.trace.changes import Change


def changed(
    tensor: Tensor, change: Change, tap: Tap, first: int = 0, lent: Tensor | None = None, closed: Tensor | None = None
) -> Tensor:
    """The tensor [batch, (head,) row, column] with one change made; its first row stands at place `first`. Raises AllClosed.

    `lent` is the array of the other text, for a patch. `closed` [batch, head, query, key] is True where a mask has closed a
    cell, for weights that go on summing to 1.
    """
    there = _there(change, tensor.shape[-2], tensor.shape[-1], first)
    if there.rows == [] or there.columns == []:
        return tensor
    made = tensor.clone()
    part = made if change.head is None else made.select(tap.axes.index("head"), change.head)
    lines = part[..., there.rows, :].clone()  # [batch, (head,) row, column] has only the rows that change.
    if change.keeps_sums:
        assert closed is not None  # A Changing notes which cells are closed wherever a change keeps the sums.
        closed = closed if change.head is None else closed.select(tap.axes.index("head"), change.head)
        part[..., there.rows, :] = _set_and_shared(lines, there, change, closed[..., there.rows, :])
    else:
        part[..., there.rows, :] = _MAKE[change.kind](lines, there, change, tap, lent)
    return made


@attrs.frozen
class _There:
    """The places of a change that are in a tensor, which may be a block of rows or the beginning of a text.

    `rows` and `columns` are places in the tensor. `lent_rows` are the same rows in the whole array of another text. `numbers`
    and `row_numbers` are the indices of those of the change's columns and rows that are in the tensor. `first` is the place of
    the tensor's first row.
    """

    rows: slice | list[int]
    lent_rows: slice | list[int]
    row_numbers: slice | list[int]
    columns: slice | list[int]
    numbers: list[int]
    first: int


def _there(change: Change, n_rows: int, n_columns: int, first: int) -> _There:
    rows: slice | list[int] = slice(None)
    lent_rows: slice | list[int] = slice(first, first + n_rows)
    row_numbers = lent_rows
    if change.rows is not None:
        row_numbers = list(range(bisect_left(change.rows, first), bisect_left(change.rows, first + n_rows)))
        lent_rows = [change.rows[n] for n in row_numbers]
        rows = [row - first for row in lent_rows]
    places = change.columns
    if isinstance(change.value, tuple) and places is None:
        places = tuple(range(len(change.value)))
    numbers = [n for n, column in enumerate(places or ()) if column < n_columns]
    columns = slice(None) if places is None else [places[n] for n in numbers]
    return _There(rows, lent_rows, row_numbers, columns, numbers, first)


def _scaled(lines: Tensor, there: _There, change: Change, tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines [batch, (head,) row, column] times the value; cells that a mask has closed stay closed."""
    cells = lines[..., there.columns]
    scaled = cells * _values(change, there, cells)
    lines[..., there.columns] = torch.where(closed_cells(cells), cells, scaled) if tap.closes else scaled
    return lines


def _set_and_shared(lines: Tensor, there: _There, change: Change, closed: Tensor) -> Tensor:
    """Attention weights [batch, (head,) query, key] with the value in the columns; the other keys share the rest."""
    assert isinstance(change.value, float) and isinstance(there.columns, list)  # A change that keeps the sums has both.
    return with_cells_set(lines, there.columns, change.value, closed)


def with_cells_set(weights: Tensor, columns: list[int], value: float, closed: Tensor) -> Tensor:
    """Attention weights [batch, (head,) query, key] with `value` in each of the n `columns`, and rows that sum to 1.

    `closed` has the same shape and is True where a mask has closed the cell. Where the other keys have no weight at all, the
    open ones among them share the rest evenly. Where none of them is open, they keep what they have, so the sum is n·value.
    """
    others = torch.ones_like(weights, dtype=torch.bool)
    others[..., columns] = False
    kept = weights.where(others, 0.0)
    left = kept.sum(dim=-1, keepdim=True)  # [batch, (head,) query, 1] is 1 - a, the weight that the other keys have together.
    rest = 1.0 - value * len(columns)
    open_keys = (others & ~closed).to(weights)
    n_open = open_keys.sum(dim=-1, keepdim=True)  # [batch, (head,) query, 1]
    # A'[k] = A[k] · (1 - n·v) / (1 - a). The division comes first: it is exact enough however little the others had.
    scaled = kept / left.where(left > 0, 1.0) * rest
    shared = open_keys / n_open.clamp(min=1.0) * rest
    made = scaled.where(left > 0, shared.where(n_open > 0, kept))
    return made.where(others, value)


def _set(lines: Tensor, there: _There, change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines with the value in the columns."""
    lines[..., there.columns] = _values(change, there, lines[..., there.columns])
    return lines


def _added(lines: Tensor, there: _There, change: Change, tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines [batch, (head,) row, column] plus the value in the columns; cells that a mask has closed stay closed."""
    cells = lines[..., there.columns]
    added = cells + _values(change, there, cells)
    lines[..., there.columns] = torch.where(closed_cells(cells), cells, added) if tap.closes else added
    return lines


def _values(change: Change, there: _There, cells: Tensor) -> Tensor:
    """The change's number, those of its numbers whose places are in the tensor, or what its function makes of the cells."""
    value = change.value
    if isinstance(value, WholeValue):
        columns = slice(cells.shape[-1]) if change.columns is None else there.numbers
        made: Any = value.array[..., there.row_numbers, :][..., columns]
    elif is_function(value):
        return torch.stack([_of_function(change, one) for one in cells])
    else:
        made = tuple(value[n] for n in there.numbers) if isinstance(value, tuple) else value
    return torch.tensor(made, dtype=cells.dtype, device=cells.device)


def _of_function(change: Change, cells: Tensor) -> Tensor:
    """What a change's function makes of the cells [(head,) row, column] of one sentence. Raises BadFunctionResult."""
    given: Any = change.value  # The caller has seen that it is a function.
    found = given(cells.detach().float().cpu().numpy().copy())
    try:
        made = torch.from_numpy(np.array(found, np.float32)).to(cells)
    except (TypeError, ValueError, RuntimeError) as error:
        raise _bad_result(change, cells, type(found).__name__) from error
    if made.shape != cells.shape or not (made.isfinite() | ~cells.isfinite()).all():
        raise _bad_result(change, cells, f"{list(made.shape)}" if made.shape != cells.shape else "NaN / ∞")
    return made


def _bad_result(change: Change, cells: Tensor, got: str) -> BadFunctionResult:
    return BadFunctionResult(tap=change.tap, wanted=str(list(cells.shape)), got=got)


def _patched(lines: Tensor, there: _There, change: Change, _tap: Tap, lent: Tensor | None) -> Tensor:
    """The lines of the other text in place of these lines, as far as both texts go."""
    assert lent is not None  # A Changing with a patch is made with its array.
    other = (lent if change.head is None else lent[change.head])[..., there.lent_rows, :]  # [(head,) row, column]
    n_rows, n_columns = (min(sizes) for sizes in zip(lines.shape[-2:], other.shape[-2:], strict=True))
    here = lines[..., :n_rows, :n_columns]
    here[..., there.columns] = other[..., :n_rows, :n_columns].to(lines)[..., there.columns]
    return lines


def _mean(lines: Tensor, there: _There, _change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines [batch, (head,) row, column], each the mean of them all in the columns."""
    cells = lines[..., there.columns]
    # x̄[c] = 1/n · Σ_r x[r, c]
    lines[..., there.columns] = cells.mean(dim=-2, keepdim=True).expand_as(cells)
    return lines


def _closed(lines: Tensor, there: _There, change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines [batch, (head,) row, key] with -inf in the columns: a softmax gives them weight 0. Raises AllClosed."""
    made = lines.clone()
    made[..., there.columns] = -torch.inf
    # A row in which the mask has closed every cell stays as it is.
    had_some = ~closed_cells(lines).all(dim=-1, keepdim=True)
    made = torch.where(had_some, made, lines)
    empty = (closed_cells(made).all(dim=-1) & had_some[..., 0]).nonzero()
    if len(empty):
        number = int(empty[0, -1])
        raise AllClosed(tap=change.tap, row=there.first + (number if isinstance(there.rows, slice) else there.rows[number]))
    return made


_MAKE: Mapping[str, Callable[[Tensor, _There, Change, Tap, Tensor | None], Tensor]] = {
    "scale": _scaled,
    "set": _set,
    "close": _closed,
    "patch": _patched,
    "mean": _mean,
    "add": _added,
}
"""For each kind of change the function that changes the rows."""
