"""The changes that are offered at a place of a picture: one declaration, from which every menu is made.

A place is a cell of an attention's map, one of its heads or all of them, or at any other tap the vector of a token or of all
tokens. The numbers of layers and heads are looked up when the change is made.
"""

from collections.abc import Callable
from typing import Literal

import attrs

from explorer.config import Config
from explorer.state.change_intents import AddChanges
from explorer.state.intents import Intent, OnScreen
from explorer.state.state import State
from explorer.trace.changes import Change
from explorer.trace.model_card import SideCard
from explorer.trace.tap_names import ATTENTION_MAP, Cell, cell_in, with_layer

Value = float | str | None
Sizes = Config | SideCard
"""What has `n_layers` and `n_heads`."""


@attrs.frozen
class ChangePlace:
    """The place of a change: row and column of a tap's map; `head` is None if the tap has none.

    A `row` of None means the whole tap, or the whole head.
    """

    tap: str
    head: int | None
    row: int | None = None
    column: int | None = None

    @property
    def cell(self) -> Cell | None:
        """The attention cell here; None where the tap is no attention's map, or no cell of it is meant."""
        if self.row is None or self.column is None:
            return None
        return cell_in(self.tap, self.head, self.row, self.column)


@attrs.frozen
class OfferInput:
    """What an offer asks for before its change can be made: a number between two others, or a text."""

    kind: Literal["number", "text"]
    low: float = 0.0
    high: float = 1.0
    value: float = 0.0


Make = Callable[[ChangePlace, Sizes, Value], tuple[Change, ...]]


@attrs.frozen
class Offer:
    """An entry of the menu: its key in the texts, its group, what makes its changes, and what it asks for first."""

    key: str
    group: str
    make: Make
    asks: OfferInput | None = None


def _at(place: ChangePlace, stage: str) -> str:
    """A tap of the attention that the place lies in."""
    return f"{place.tap.rpartition('.')[0]}.{stage}"


def _rows(place: ChangePlace) -> tuple[int, ...]:
    assert place.row is not None  # These offers are made where there is a row.
    return (place.row,)


def _columns(place: ChangePlace) -> tuple[int, ...]:
    assert place.column is not None  # These offers are made for attention cells alone.
    return (place.column,)


def _all_layers(tap: str, sizes: Sizes) -> tuple[str, ...]:
    return tuple(with_layer(tap, layer) for layer in range(sizes.n_layers))


def _head_off(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "mixed"), "scale", head=place.head, value=0.0),)


def _head_only(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    others = (head for head in range(sizes.n_heads) if head != place.head)
    return tuple(Change(_at(place, "mixed"), "scale", head=head, value=0.0) for head in others)


def _head_mean(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "mixed"), "mean", head=place.head),)


def _head_factor(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "mixed"), "scale", head=place.head, value=value),)


def _layer_off(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "mixed"), "scale", value=0.0),)


def _cell_in_head(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "masked"), "close", head=place.head, rows=_rows(place), columns=_columns(place)),)


def _cell_in_layer(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(_at(place, "masked"), "close", rows=_rows(place), columns=_columns(place)),)


def _cell_everywhere(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    taps = _all_layers(_at(place, "masked"), sizes)
    return tuple(Change(tap, "close", rows=_rows(place), columns=_columns(place)) for tap in taps)


def _key_everywhere(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return tuple(Change(tap, "close", columns=_columns(place)) for tap in _all_layers(_at(place, "masked"), sizes))


def _cell_weight(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    tap = _at(place, "weights")
    return (Change(tap, "set", head=place.head, rows=_rows(place), columns=_columns(place), value=value),)


def _row_patch(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(place.tap, "patch", head=place.head, rows=_rows(place), text=str(value)),)


def _row_off(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(place.tap, "scale", head=place.head, rows=_rows(place), value=0.0),)


def _row_factor(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(place.tap, "scale", head=place.head, rows=_rows(place), value=value),)


def _rows_factor(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(place.tap, "scale", head=place.head, value=value),)


def _rows_mean(place: ChangePlace, sizes: Sizes, value: Value) -> tuple[Change, ...]:
    return (Change(place.tap, "mean", head=place.head),)


_FACTOR = OfferInput("number", -10.0, 10.0, 2.0)
_OF_HEADS: tuple[Offer, ...] = (
    Offer("head_off", "head", _head_off),
    Offer("head_only", "head", _head_only),
    Offer("head_mean", "head", _head_mean),
    Offer("head_factor", "head", _head_factor, _FACTOR),
    Offer("layer_off", "head", _layer_off),
)
_OF_CELLS: tuple[Offer, ...] = (
    *_OF_HEADS,
    Offer("cell_in_head", "cell", _cell_in_head),
    Offer("cell_in_layer", "cell", _cell_in_layer),
    Offer("cell_everywhere", "cell", _cell_everywhere),
    Offer("key_everywhere", "cell", _key_everywhere),
    Offer("cell_weight", "cell", _cell_weight, OfferInput("number", 0.0, 1.0, 1.0)),
)
_OF_LAYERS: tuple[Offer, ...] = (Offer("layer_off", "layer", _layer_off),)
_OF_TAPS: tuple[Offer, ...] = (
    Offer("rows_factor", "tap", _rows_factor, OfferInput("number", -10.0, 10.0, 0.0)),
    Offer("rows_mean", "tap", _rows_mean),
)
_OF_VECTORS: tuple[Offer, ...] = (
    Offer("row_patch", "vector", _row_patch, OfferInput("text")),
    Offer("row_off", "vector", _row_off),
    Offer("row_factor", "vector", _row_factor, _FACTOR),
    *_OF_TAPS,
)


def offers_at(place: ChangePlace) -> tuple[Offer, ...]:
    """What can be changed at a place; nothing at a cell of an attention whose head is not known."""
    if not ATTENTION_MAP.search(place.tap):
        return _OF_TAPS if place.row is None else _OF_VECTORS
    if place.row is None:
        return _OF_LAYERS if place.head is None else _OF_HEADS
    return _OF_CELLS if place.cell is not None else ()


@attrs.frozen
class MakeChange(Intent):
    """Make the change that an offer is about, at a place, with the number or the text that it has asked for."""

    offer: Offer
    place: ChangePlace
    value: Value = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these changes. Raises BadChange."""
        return AddChanges(self.offer.make(self.place, self._sizes(state, shown), self.value)).applied(state, shown)

    def _sizes(self, state: State, shown: OnScreen | None) -> Sizes:
        """The Config's; of a foreign model, which has none, those of the place's side on its card."""
        if shown is not None and shown.trace.config is None and shown.wish.preset == state.wish.preset:
            return shown.trace.card.side(self.place.tap)
        return state.wish.config
