"""The checks of arguments that all calls share, and the Requests made from them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.request import Request
    from explorer.trace.changes import Change


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


def as_text(value: object) -> str:
    """The value, if it is a str. Raises NotText."""
    from explorer.errors import NotText

    if not isinstance(value, str):
        raise NotText(got=type(value).__name__)
    return value
