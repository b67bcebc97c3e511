"""Changes put into a model: what each of them does to the tensor that goes through its tap.

    with changing.inside_of_pass(model), record(model) as recording:
        model(source, target)

They act before anybody who records, so a Trace shows what was computed on. Of a tensor that comes in blocks of queries, or
of a translation of which only the beginning is written, the places that are there are changed; that all of them are there
in the end is checked by `change_checks`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from explorer.engine.recording.pooling_recorder import mask_of_all_layers
from explorer.errors import AllClosed, NeverReached
from explorer.model.hooks import hooked
from explorer.model.masks import closed_cells
from explorer.model.tap import Tap
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.tap_names import ATTENTION_MAP

Masks = dict[str, NDArray[np.bool_]]


class Changing:
    """The changes of one answer, ready to be put into its model. `lent` has what is patched in, [row, column] or
    [head, row, column]; `key` says for whoever remembers an answer what all this depends on.
    """

    def __init__(self, changes: tuple[Change, ...] = (), lent: Mapping[Change, Array] | None = None, key: object = ()) -> None:
        self.changes, self.key = changes, key
        self._lent = {change: torch.from_numpy(np.array(array)) for change, array in (lent or {}).items()}
        self._by_tap: dict[str, list[Change]] = {}
        for change in changes:
            self._by_tap.setdefault(change.tap, []).append(change)
        self._reached: set[str] = set()

    @property
    def in_whole_passes(self) -> bool:
        """Whether a translation must be found by passes over all of its tokens that are written.

        Where each row is changed alike and by itself, a further token leaves all earlier ones as they are.
        """
        return not all(change.tap.startswith("encoder.") or _by_rows(change) for change in self.changes)

    def lent_shapes(self) -> dict[Change, tuple[int, ...]]:
        """Of what is patched in."""
        return {change: tuple(tensor.shape) for change, tensor in self._lent.items()}

    def at_maps_of(self, attention: str) -> bool:
        """Whether anything is changed between the scores of an attention and its weights."""
        return any(tap.rpartition(".")[0] == attention and ATTENTION_MAP.search(tap) for tap in self._by_tap)

    @contextmanager
    def inside(self, model: nn.Module) -> Iterator[None]:
        """The model computes under these changes for as long as the block lasts."""
        with hooked(model, self._changed, at=self._by_tap):
            yield

    @contextmanager
    def inside_of_pass(self, model: nn.Module) -> Iterator[Masks]:
        """As `inside`, for one whole pass. Yields the masks [query, key] by attention as they are without the changes,
        complete after the block, as far as the first layer's are changed: the mask of all layers and heads is told there.
        """
        masks: Masks = {}
        seen: dict[str, list[Tensor]] = {}

        def note(tap: Tap, tensor: Tensor, _first: int | None) -> None:
            seen.setdefault(mask_of_all_layers(tap.name), []).append(closed_cells(tensor[0, 0]))

        with hooked(model, note, at=filter(mask_of_all_layers, self._by_tap)), self.inside(model):
            yield masks
        masks.update({attention: torch.cat(parts).cpu().numpy() for attention, parts in seen.items()})

    def check_reached(self) -> None:
        """Raises NeverReached for a change whose tap no pass came through."""
        for tap in self._by_tap:
            if tap not in self._reached:
                raise NeverReached(tap=tap)

    def _changed(self, tap: Tap, tensor: Tensor, first: int | None) -> Tensor:
        """What the changes at a tap make of its tensor, in their order."""
        self._reached.add(tap.name)
        for change in self._by_tap[tap.name]:
            tensor = changed(tensor, change, tap, first or 0, self._lent.get(change))
        return tensor


def _by_rows(change: Change) -> bool:
    """Whether a change in the decoder does to each row the same, whatever stands before and behind it, at a tap that a step
    of decoding comes through.
    """
    if change.kind == "patch" or change.rows is not None or change.tap.startswith("generator."):
        return False
    alone = ".self_attn." not in change.tap or ATTENTION_MAP.search(change.tap) is None  # no keys are still to come
    return alone or (change.kind == "scale" and change.columns is None)


def changed(tensor: Tensor, change: Change, tap: Tap, first: int = 0, lent: Tensor | None = None) -> Tensor:
    """[batch, (head,) row, column] with one change made; the first row stands at place `first`. Raises AllClosed."""
    there = _there(change, tensor.shape[-2], tensor.shape[-1], first)
    if there.rows == [] or there.columns == []:
        return tensor
    made = tensor.clone()
    part = made if change.head is None else made.select(tap.axes.index("head"), change.head)
    lines = part[..., there.rows, :].clone()  # [batch, (head,) row, column] the rows that change
    part[..., there.rows, :] = _MAKE[change.kind](lines, there, change, tap, lent)
    return made


@attrs.frozen
class _There:
    """The places of a change that are in a tensor, which may be a block of rows or the beginning of a text.

    `rows` and `columns` are places in the tensor, `lent_rows` the same rows in that of another text, `numbers` says which of
    the change's columns are there, and `first` where the tensor's first row stands.
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
    """Lines [batch, (head,) row, column] times the value; what a mask has closed stays closed."""
    cells = lines[..., there.columns]
    scaled = cells * _values(change, there, cells)
    lines[..., there.columns] = torch.where(closed_cells(cells), cells, scaled) if tap.closes else scaled
    return lines


def _set(lines: Tensor, there: _There, change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """Lines with the value in the columns."""
    lines[..., there.columns] = _values(change, there, lines)
    return lines


def _values(change: Change, there: _There, like: Tensor) -> Tensor:
    """A change's number, or of its row of numbers those whose columns are there."""
    value = change.value
    made = tuple(value[n] for n in there.numbers) if isinstance(value, tuple) else value
    return torch.tensor(made, dtype=like.dtype, device=like.device)


def _patched(lines: Tensor, there: _There, change: Change, _tap: Tap, lent: Tensor | None) -> Tensor:
    """Lines with those of the other text in their place, as far as both go."""
    assert lent is not None  # whoever made the Changing has fetched it
    other = (lent if change.head is None else lent[change.head])[..., there.lent_rows, :]  # [(head,) row, column]
    n_rows, n_columns = (min(sizes) for sizes in zip(lines.shape[-2:], other.shape[-2:], strict=True))
    here = lines[..., :n_rows, :n_columns]
    here[..., there.columns] = other[..., :n_rows, :n_columns].to(lines)[..., there.columns]
    return lines


def _closed(lines: Tensor, there: _There, change: Change, _tap: Tap, _lent: Tensor | None) -> Tensor:
    """Lines [batch, (head,) row, key] with -inf in the columns, so that a softmax leaves them no weight. Raises AllClosed."""
    made = lines.clone()
    made[..., there.columns] = -torch.inf
    had_some = ~closed_cells(lines).all(dim=-1, keepdim=True)  # a row that the mask has left nothing stays as it is
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
}
"""What each kind of change makes of the rows that change."""
