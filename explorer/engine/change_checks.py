"""Checks of Changes that depend on the model and the sentence. They are made before anything is computed."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import attrs
import torch

from explorer.config import Config
from explorer.errors import CannotClose, ExplorerError, LengthsDiffer, NoHeads, NoMean, OutOfTensor, UnknownHead
from explorer.model.tap import Tap, taps
from explorer.model.transformer import Transformer
from explorer.trace.change_values import WholeValue
from explorer.trace.changes import Change
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import unknown_tap
from explorer.trace.stages import stage_of
from explorer.trace.tap_names import side_name

Shape = tuple[int, ...]


@attrs.frozen
class Lengths:
    """How many tokens the two sides have. A `target` of None is not known yet, and nothing about it is checked."""

    source: int
    target: int | None


# A change is answered in 8 ms in place of 45, because each one asks for the taps.
@lru_cache(maxsize=8)
def own_taps(architecture: str, n_layers: int) -> Mapping[str, Tap]:
    """The taps of a model by name, made without weights. No other knob decides which taps a model has."""
    with torch.device("meta"):
        return taps(Transformer(Config().changed(architecture=architecture, n_layers=n_layers)))


def check_changes(
    changes: Sequence[Change], known: Mapping[str, Tap], card: ModelCard, lengths: Lengths, lent: Mapping[Change, Shape]
) -> None:
    """Refuse changes that a model cannot make in a sentence of these lengths. `known` are its taps by name.

    `lent` has the shapes, [row, column] or [head, row, column], of the arrays that are patched in, as far as they are known.
    Raises UnknownTap, UnknownHead, NoHeads, CannotClose, NoMean, OutOfTensor, LengthsDiffer, each with its `change`.
    """
    for change in changes:
        try:
            _check(change, known, card, lengths, lent)
        except ExplorerError as error:
            error.change = change
            raise


def _check(change: Change, known: Mapping[str, Tap], card: ModelCard, lengths: Lengths, lent: Mapping[Change, Shape]) -> None:
    tap = known.get(change.tap)
    if tap is None:
        raise unknown_tap(change.tap, tuple(known))
    if change.head is not None:
        _check_head(change, tap, card)
    if change.kind == "close" and not tap.closes:
        raise CannotClose(tap=change.tap)
    if change.kind == "mean" and tap.closes:
        raise NoMean(tap=change.tap)
    # The shape is [row, column], with None for a length that is not known yet.
    shape = tuple(_length(card, change.tap, axis, lengths) for axis in tap.axes[-2:])
    for axis, length, places in zip(tap.axes[-2:], shape, (change.rows, change.columns), strict=True):
        if length is not None and places is not None and max(places) >= length:
            raise OutOfTensor(tap=change.tap, axis=axis, got=max(places), last=length - 1)
    if isinstance(change.value, tuple) and change.columns is None and shape[1] not in (None, len(change.value)):
        raise LengthsDiffer(tap=change.tap, axis=tap.axes[-1], wanted=shape[1], got=len(change.value))
    if isinstance(change.value, WholeValue):
        _check_whole(change, change.value.array.shape, tap, shape, card)
    if change in lent:
        _check_lent(change, tap, shape, lent[change])


def _check_head(change: Change, tap: Tap, card: ModelCard) -> None:
    if "head" not in tap.axes:
        raise NoHeads(tap=change.tap)
    n_heads = _n_heads(change.tap, card)
    if not change.head < n_heads:  # type: ignore[operator]  # The caller has checked that the head is not None.
        raise UnknownHead(got=change.head, last=n_heads - 1)


def _n_heads(tap: str, card: ModelCard) -> int:
    side = card.side(tap)
    return side.n_kv_heads if tap.endswith((".key", ".value")) else side.n_heads


def _check_whole(change: Change, got: Shape, tap: Tap, own: tuple[int | None, ...], card: ModelCard) -> None:
    """Check an array: it has the shape of the cells that it is for."""
    axes, sizes = tap.axes[-2:], [length if each is None else len(each) for length, each in _named(change, own)]
    if "head" in tap.axes and change.head is None:
        axes, sizes = ("head", *axes), [_n_heads(change.tap, card), *sizes]
    if len(got) != len(axes):
        raise LengthsDiffer(tap=change.tap, axis=" ".join(axes), wanted=len(axes), got=len(got))
    for axis, wanted, length in zip(axes, sizes, got, strict=True):
        if wanted not in (None, length):
            raise LengthsDiffer(tap=change.tap, axis=axis, wanted=wanted, got=length)


def _named(change: Change, own: tuple[int | None, ...]) -> "zip[tuple[int | None, tuple[int, ...] | None]]":
    return zip(own, (change.rows, change.columns), strict=True)


def _check_lent(change: Change, tap: Tap, own: tuple[int | None, ...], other: Shape) -> None:
    """Check a patch: both texts have the named places, or the same number of places if none are named."""
    for axis, wanted, got, places in zip(tap.axes[-2:], own, other[-2:], (change.rows, change.columns), strict=True):
        fits = wanted in (None, got) if places is None else max(places) < got
        if not fits:
            raise LengthsDiffer(tap=change.tap, axis=axis, wanted=got if wanted is None else wanted, got=got)


def _length(card: ModelCard, name: str, axis: str, lengths: Lengths) -> int | None:
    """How many places a tap has along an axis; None if that depends on a target that is not known yet."""
    if axis == "expert":
        return card.n_experts
    if axis in ("text", "class"):
        return 1 if axis == "text" or card.classes is None else len(card.classes.labels)
    if axis in ("feature", "vocab"):
        sizes = {
            "d_model": card.d_model,
            "d_head": card.head_width(name),
            "d_ff": card.side(name).d_ff,
            "vocab": card.vocab_size,
        }
        return sizes[stage_of(name).width]
    return lengths.source if side_name(name, axis, has_target=lengths.target != 0) == "source" else lengths.target
