"""The pass that a command asks for with its flags."""

from typing import TYPE_CHECKING, Any

import attrs

from explorer.config import Config
from explorer.errors import EmptyText

if TYPE_CHECKING:
    from explorer.engine.request import Request
    from explorer.trace.trace import Trace


def explored(text: str, given: dict[str, Any], *experiments: str) -> "Trace":
    """The Trace of a text with these flags and experiments. Raises ExplorerError."""
    request = asked(text, given)
    from explorer.engine.compute import Computer  # torch takes a second to load, so the checks come first.

    return Computer()(request.asking(experiments=frozenset(experiments))).trace


def asked(text: str, given: dict[str, Any]) -> "Request":
    """The Request for a text with these flags. Raises ExplorerError."""
    from explorer.engine.request import Request

    fields = attrs.fields_dict(Config)
    turned = {name: value for name, value in given.items() if name in fields and value is not None}
    if not text.strip():
        raise EmptyText
    return Request.from_preset(given["preset"], text, **turned).wishing(
        target=given["target"], adapter=given.get("adapter") or "", chat=bool(given.get("chat"))
    )
