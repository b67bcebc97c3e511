"""The file of a Trace that another program recorded: safetensors or NPZ, with a tensor for each tap and a JSON card.

The card says what the tensors do not: it stands in the file ("card" among the texts of a safetensors header, "card.json" in an
NPZ archive) or beside it, as FILE.json. Nothing is ever unpickled.

    {"recorded_by": "some engine 1.2", "model": "Qwen2 7B", "source": "我爱北京", "target": "",
     "tokens": {"source": ["我", "爱", "北京"]}, "symbols": ["<pad>", …], "axes": {"router": "position feature"},
     "card": {"position": "rotary", "parameters": 7615616512}}

All of it may be left out, also the axes of this program's own taps; a batch axis of size 1 may stand before them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs
import numpy as np

from explorer.errors import BadAxes, BadCard, BadRecording, BadTensor, CannotRead, ExplorerError, NoAxes, NotAFile, NotATrace
from explorer.files import read_whole
from explorer.json_text import read_json_text
from explorer.tokens.token import Token
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.files.agreement import check_agreement
from explorer.trace.files.seen_card import card_of_seen, numbered_tokens
from explorer.trace.files.tensor_file import Tensors, read_tensors
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.stages import axes_of

Made = TypeVar("Made", bound=RecordedPass)
_MOST_BYTES = 2**24  # of a card
_FIELDS = {
    "recorded_by": str,
    "model": str,
    "source": str,
    "target": str,
    "tokens": dict,
    "symbols": list,
    "axes": dict,
    "card": dict,
}
_FOUND = ("name", "sides", "absent", "remakes_maps", "with_attention")  # fields of a ModelCard that follow from the tensors
_TOLD = {field.name for field in attrs.fields(ModelCard)} - set(_FOUND)
_TOKEN = {"text": str, "id": int, "start": int, "end": int, "known": bool, "special": bool}
_SIDES = ("source", "target")


def read_recorded(path: Path, make: Callable[..., Made]) -> Made:
    """What `make` makes of the fields of a Trace that another program recorded; see `read_trace`.

    Raises NotATrace, of which BadRecording says what is wrong; CannotRead.
    """
    try:
        tensors = read_tensors(path)
        card = _card_of(path, tensors)
        return trace_of(tensors, card, make, name=path.stem, preset=str(path))
    except (NotATrace, CannotRead, NotAFile):
        raise
    except ExplorerError as error:
        raise BadRecording(path=str(path), reason=error) from error
    except Exception as error:  # A foreign file can raise anything in the readers.
        raise NotATrace(path=str(path)) from error


def _card_of(path: Path, tensors: Tensors) -> dict[str, Any]:
    """The card in the file, else the one beside it, else an empty one. Raises BadCard, CannotRead."""
    text, beside = tensors.card, path.with_suffix(".json")
    if text is None and beside != path and beside.is_file():
        text = read_whole(beside, _MOST_BYTES).decode("utf-8", "replace")
    try:
        card = read_json_text(text or "{}")
    except ValueError as error:
        raise BadCard(field="JSON", got=str(error)) from error
    if not isinstance(card, dict):
        raise BadCard(field="JSON", got=type(card).__name__)
    for name, value in card.items():
        if name not in _FIELDS or not isinstance(value, _FIELDS[name]):
            raise BadCard(field=name, got=value)
    return card


def trace_of(tensors: Tensors, card: Mapping[str, Any], make: Callable[..., Made], *, name: str, preset: str = "") -> Made:
    """What `make` makes of tensors and a card; `name` is the model's where the card has none.

    Raises NoAxes, BadAxes, BadTensor, BadCard, DoNotAgree.
    """
    axes = {name: _axes(name, shape, card.get("axes", {})) for name, shape in tensors.shapes.items()}
    if not axes:
        raise BadTensor(name="", got="0")
    arrays = {name: _without_batch(name, axes[name], tensors.take(name)) for name in axes}
    shapes = {name: array.shape for name, array in arrays.items()}
    model = card.get("model") or name
    made = _model_card(model, axes, shapes, card.get("card", {}))
    symbols = tuple(_text("symbols", each) for each in card.get("symbols", []))
    found = numbered_tokens(axes, shapes)
    texts, rows = (
        _by_side({side: card[side] for side in _SIDES if side in card}, found),
        _by_side(card.get("tokens", {}), found),
    )
    for side, row in rows.items():
        found[side] = _tokens(row, texts.get(side, ""), symbols)
    trace = make(
        arrays=arrays,
        axis_names=axes,
        tokens=found,
        config=None,
        card=made,
        places=frozen_array(np.zeros((0, made.d_model))),
        source=texts.get("source", ""),
        target=texts.get("target", ""),
        preset=preset or name,
        symbols=symbols,
        recorded_by=card.get("recorded_by") or "?",
    )
    check_agreement(trace)
    return trace


def _model_card(
    model: str, axes: Mapping[str, tuple[str, ...]], shapes: Mapping[str, Any], told: Mapping[str, Any]
) -> ModelCard:
    """The card with the fields that the file tells. Raises BadCard."""
    for name, value in told.items():
        if name not in _TOLD:
            raise BadCard(field=f"card.{name}", got=value)
    try:
        return card_of_seen(model, axes, shapes, **{"family": model, **told})
    except (TypeError, ValueError) as error:
        raise BadCard(field="card", got=str(error)) from error


def _axes(name: str, shape: tuple[int, ...], told: Mapping[str, Any]) -> tuple[str, ...]:
    """The axes of a tensor without its batch, as the card or the table of taps says. Raises NoAxes, BadAxes, BadCard."""
    said = told.get(name)
    if said is None:
        found = axes_of(name)
        if not found:
            raise NoAxes(tap=name)
    else:
        found = tuple(said.split() if isinstance(said, str) else said if isinstance(said, list) else ())
        if not found or not all(isinstance(each, str) and each for each in found) or "batch" in found:
            raise BadCard(field=f"axes.{name}", got=said)
    if len(shape) not in (len(found), len(found) + 1) or (len(shape) > len(found) and shape[0] != 1):
        raise BadAxes(tap=name, axes=" ".join(found), shape=str(list(shape)))
    return found


def _by_side(told: Mapping[str, Any], found: Mapping[str, tuple[Token, ...]]) -> dict[str, Any]:
    """What the card says of each side. A model with one side may use either name. Raises BadCard."""
    for side, value in told.items():
        if side not in _SIDES or not isinstance(value, str | list):
            raise BadCard(field="tokens", got=side)
    there = [side for side in _SIDES if found[side]]
    if len(there) == 1 and len(told) == 1:
        return {there[0]: next(iter(told.values()))}
    return dict(told)


def _without_batch(name: str, axes: tuple[str, ...], array: Array) -> Array:
    if not array.size:
        raise BadTensor(name=name, got=str(list(array.shape)))
    return array if array.ndim == len(axes) else array[0]


def _tokens(rows: Any, text: str, symbols: tuple[str, ...]) -> tuple[Token, ...]:
    """The tokens of a side: texts alone are looked for in the typed text, one after the other. Raises BadCard."""
    if not isinstance(rows, list):
        raise BadCard(field="tokens", got=rows)
    ids = {symbol: number for number, symbol in enumerate(symbols)}
    found, at = [], 0
    for number, row in enumerate(rows):
        told = {"text": row} if isinstance(row, str) else row
        if not isinstance(told, dict) or not isinstance(told.get("text"), str) or not _are_token_fields(told):
            raise BadCard(field="tokens", got=row)
        start = text.find(told["text"], at)
        place = {"start": start, "end": start + len(told["text"])} if start >= 0 else {"start": 0, "end": 0}
        at = max(at, place["end"])
        usual: dict[str, Any] = {"id": ids.get(told["text"], number), "known": True, "special": start < 0} | place
        token = Token(**(usual | told))
        if not (token.id >= 0 and 0 <= token.start <= token.end <= len(text)):
            raise BadCard(field="tokens", got=row)
        found.append(token)
    return tuple(found)


def _are_token_fields(told: Mapping[str, Any]) -> bool:
    return all(type(value) is _TOKEN.get(name) for name, value in told.items())


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadCard(field=field, got=value)
    return value
