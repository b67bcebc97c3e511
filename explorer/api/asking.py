"""The checks of arguments that all calls share, and the Requests made from them."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.request import Request
    from explorer.trace.changes import Change

_MOST_SHOWN = 40  # characters of what is no row of ids


def request_of(
    text: str, target: str | None, preset: str | Path, trained: bool, changes: "Iterable[Change]", knobs: "Mapping[str, Any]"
) -> "Request":
    """The Request of the arguments that all passes have. Raises ExplorerError."""
    from explorer.engine.request import Request

    turned = dict(knobs)
    adapter = str(turned.pop("adapter", None) or "")  # A folder, not a knob.
    request = Request.from_preset(str(preset), as_text(text), **turned).wishing(adapter=adapter)
    return request.wishing(target=None if target is None else as_text(target), trained=trained, changes=changes)


def request_of_live(
    model: "nn.Module", text: str, target: str | None, changes: "Iterable[Change]", given: frozenset[str]
) -> "Request":
    """The Request of a pass with a live model; `given` names the arguments that the caller passed. Raises ExplorerError."""
    from explorer.api.live import live_wish
    from explorer.engine.request import Request

    request = Request(wish=live_wish(model, given)).wishing(text=as_text(text))
    return request.wishing(target=None if target is None else as_text(target), changes=tuple(changes))


def with_gradients(request: "Request", of: object) -> "Request":
    """The Request that also asks for gradients: of the whole "target" or of the word at a step.

    Any other value asks for the last step, which the caller then finds to be another one.
    """
    from explorer.state.focus import Focus
    from explorer.trace.found.experiments import GRADIENTS

    step = of if type(of) is int and of >= 0 else sys.maxsize
    focus = Focus(position=-1 if of == "target" else step)
    return request.asking(experiments=request.detail.experiments | {GRADIENTS.key}, focus=focus)


def as_ids(ids: object, text: object) -> str:
    """A row of ids as a text of numbers. Raises NotIds, SeveralRows, TextAndIds."""
    from explorer.errors import NotIds, SeveralRows, TextAndIds

    if text:
        raise TextAndIds
    row = ids.tolist() if hasattr(ids, "tolist") else ids  # of torch, NumPy
    if isinstance(row, Sequence) and row and isinstance(row[0], Sequence):
        if len(row) > 1:
            raise SeveralRows(got=len(row))
        row = row[0]
    if not isinstance(row, Sequence) or any(not isinstance(each, int) or each < 0 for each in row):
        raise NotIds(got=str(ids)[:_MOST_SHOWN])
    return " ".join(map(str, row))


def as_text(value: object) -> str:
    """The value, if it is a str. Raises NotText."""
    from explorer.errors import NotText

    if not isinstance(value, str):
        raise NotText(got=type(value).__name__)
    return value
