"""What a command's flags ask for: the knobs, the Request, and the Computer that answers it."""

from typing import TYPE_CHECKING, Any

import attrs

from explorer.config import Config
from explorer.errors import EmptyText

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.engine.request import Request
    from explorer.trace.trace import Trace


def explored(text: str, given: dict[str, Any], *experiments: str) -> "Trace":
    """The Trace of a text with these flags and experiments. Raises ExplorerError."""
    request = asked(text, given)
    return computer()(request.asking(experiments=frozenset(experiments))).trace


def computer() -> "Computer":
    """A Computer. It loads torch, which takes a second, so a command checks its flags first."""
    from explorer.engine.compute import Computer

    return Computer()


def asked(text: str, given: dict[str, Any]) -> "Request":
    """The Request for a text with these flags. Raises ExplorerError."""
    from explorer.engine.request import Request

    if not text.strip():
        raise EmptyText
    return Request.from_preset(given["preset"], text, **turned_knobs(given)).wishing(
        target=given["target"],
        adapter=given.get("adapter") or "",
        chat=bool(given.get("chat")),
        by_ids=bool(given.get("by_ids")),
    )


def turned_knobs(given: dict[str, Any]) -> dict[str, Any]:
    """The knobs of the model that the flags turn."""
    fields = attrs.fields_dict(Config)
    return {name: value for name, value in given.items() if name in fields and value is not None}
