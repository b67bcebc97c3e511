"""Changes put into a model: what each of them does to the tensor that goes through its tap.

    with changing.inside_of_pass(model), record(model) as recording:
        model(source, target)

Changes act before the recorder, so a Trace shows the numbers that the pass went on with. A tensor may come in blocks of
queries, and of a translation only the beginning may be written yet: then the places that are there are changed. `change_checks`
checks that all places exist in the end.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.row_sums import with_cells_set
from explorer.errors import AllClosed, BadChange, NeverReached, NotForLongTexts
from explorer.model.hooks import hooked
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap, first_of
from explorer.model.transformer import Transformer
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.tap_names import ATTENTION_MAP, mask_of_all_layers, masked_of

Masks = dict[str, NDArray[np.bool_]]


class Changing:
    """The changes of one answer, ready to be put into its model.

    `lent` has by change the arrays that are patched in, [row, column] or [head, row, column]. `key` stands for all that these
    changes depend on, so that answers can be kept by it.
    """

    def __init__(self, changes: tuple[Change, ...] = (), lent: Mapping[Change, Array] | None = None, key: object = ()) -> None:
        self.changes, self.key = changes, key
        self._lent = {change: torch.from_numpy(np.array(array)) for change, array in (lent or {}).items()}
        self._by_tap: dict[str, list[Change]] = {}
        for change in changes:
            self._by_tap.setdefault(change.tap, []).append(change)
        self._reached: set[str] = set()
        self._begin = 0  # the position of the first row that goes through the decoder: in a step of decoding, the new token's
        # The taps `masked` of attentions whose rows go on summing to 1, and the cells that are closed there in this pass.
        self._masks = {masked_of(change.tap) for change in changes if change.keeps_sums}
        self._closed: dict[str, Tensor] = {}

    @property
    def in_whole_passes(self) -> bool:
        """Whether each step of decoding must be a pass over all tokens that are written so far.

        If each row is changed by itself, a further token leaves the earlier rows as they are, and decoding can go on token
        by token.
        """
        return not all(change.tap.startswith("encoder.") or _by_rows(change) for change in self.changes)

    @property
    def taps(self) -> frozenset[str]:
        """The taps that are changed."""
        return frozenset(self._by_tap)

    @property
    def at_encoder(self) -> bool:
        """Whether any change is made in the encoder."""
        return any(tap.startswith("encoder.") for tap in self._by_tap)

    def lent_shapes(self) -> dict[Change, tuple[int, ...]]:
        """The shapes of the arrays that are patched in."""
        return {change: tuple(tensor.shape) for change, tensor in self._lent.items()}

    def at_maps_of(self, attention: str) -> bool:
        """Whether any change is made to the maps of an attention, from its scores to its weights."""
        return any(tap.rpartition(".")[0] == attention and ATTENTION_MAP.search(tap) for tap in self._by_tap)

    @contextmanager
    def inside(self, model: nn.Module) -> Iterator[None]:
        """Inside the block, the model computes with these changes."""
        if not self.changes:  # A model without hooks may be computed in faster ways.
            yield
            return
        with self._noting_begin(model), hooked(model, self._changed, at=self._by_tap.keys() | self._masks):
            yield

    @contextmanager
    def _noting_begin(self, model: nn.Module) -> Iterator[None]:
        """Inside the block, note where the first row of a step of decoding stands: the decoder's embedding is told so."""

        def note(_embedding: nn.Module, args: tuple[Any, ...]) -> None:
            self._begin = args[1] if len(args) > 1 else 0

        self._begin = 0
        if not isinstance(model, Transformer) or model.decoder is None:
            yield
            return
        handle = model.decoder.embedding.register_forward_pre_hook(note)
        try:
            yield
        finally:
            handle.remove()

    @contextmanager
    def inside_of_pass(self, model: nn.Module) -> Iterator[Masks]:
        """As `inside`, for one whole pass. Yields the masks [query, key] by attention as they are without the changes.

        The masks are complete after the block. Only those of attentions whose first layer is changed at its tap `masked` are
        there: elsewhere, the recorded first layer shows the mask of all layers and heads.
        """
        masks: Masks = {}
        seen: dict[str, list[Tensor]] = {}

        def note(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
            seen.setdefault(mask_of_all_layers(tap.name), []).append(closed_cells(tensor[0, 0]))

        with hooked(model, note, at=filter(mask_of_all_layers, self._by_tap)), self.inside(model):
            yield masks
        masks.update({attention: torch.cat(parts).cpu().numpy() for attention, parts in seen.items()})

    def check_reached(self) -> None:
        """Raises NeverReached for a change at a tap that no pass has come through."""
        for tap, changes in self._by_tap.items():
            if tap not in self._reached:
                error = NeverReached(tap=tap)
                error.change = changes[0]
                raise error

    def _changed(self, tap: Tap, args: tuple[Any, ...], tensor: Tensor) -> Tensor:
        """The tensor at a tap after all changes at this tap, in their order: a forward hook."""
        self._reached.add(tap.name)
        first = first_of(args)
        begin = self._begin if first is None and not tap.name.startswith("encoder.") else first or 0
        for change in self._by_tap.get(tap.name, ()):
            try:
                if change.kind == "mean" and first is not None:
                    raise NotForLongTexts(tap=tap.name)
                closed = self._closed[masked_of(tap.name)] if change.keeps_sums else None
                tensor = changed(tensor, change, tap, begin, self._lent.get(change), closed)
            except BadChange as error:
                error.change = change
                raise
        if tap.name in self._masks:
            self._closed[tap.name] = closed_cells(tensor)
        return tensor


def _by_rows(change: Change) -> bool:
    """Whether a change in the decoder treats each row by itself, at a tap that a step of decoding comes through."""
    if change.kind in ("patch", "mean") or change.tap.startswith("generator."):
        return False
    # The maps of the decoder's self-attention get a further column with each token; those of cross-attention have all keys.
    alone = ".self_attn." not in change.tap or ATTENTION_MAP.search(change.tap) is None
    return alone or (change.kind == "scale" and change.columns is None)


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
    are the indices of those of the change's columns that are in the tensor. `first` is the place of the tensor's first row.
    """

    rows: slice | list[int]
    lent_rows: slice | list[int]
    columns: slice | list[int]
    numbers: list[int]
    first: int


def _there(change: Change, n_rows: int, n_columns: int, first: int) -> _There:
    rows: slice | list[int] = slice(None)
    lent_rows: slice | list[int] = slice(first, first + n_rows)
    if change.rows is not None:
        lent_rows = list(change.rows[bisect_left(change.rows, first) : bisect_left(change.rows, first + n_rows)])
        rows = [row - first for row in lent_rows]
    places = change.columns
    if isinstance(change.value, tuple) and places is None:
        places = tuple(range(len(change.value)))
    numbers = [n for n, column in enumerate(places or ()) if column < n_columns]
    columns = slice(None) if places is None else [places[n] for n in numbers]
    return _There(rows, lent_rows, columns, numbers, first)


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


def _set(lines: Tensor, there: _There, change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines with the value in the columns."""
    lines[..., there.columns] = _values(change, there, lines)
    return lines


def _added(lines: Tensor, there: _There, change: Change, tap: Tap, _lent: Tensor | None) -> Tensor:
    """The lines [batch, (head,) row, column] plus the value in the columns; cells that a mask has closed stay closed."""
    cells = lines[..., there.columns]
    added = cells + _values(change, there, cells)
    lines[..., there.columns] = torch.where(closed_cells(cells), cells, added) if tap.closes else added
    return lines


def _values(change: Change, there: _There, like: Tensor) -> Tensor:
    """The change's number, or those of its numbers whose columns are in the tensor."""
    value = change.value
    made = tuple(value[n] for n in there.numbers) if isinstance(value, tuple) else value
    return torch.tensor(made, dtype=like.dtype, device=like.device)


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
