"""The special pieces of a folder by the names that chat templates use, such as `bos_token`, read as transformers reads them."""

from collections.abc import Mapping
from typing import Any

Special = tuple[tuple[str, str | tuple[str, ...]], ...]
_ENDING = "_token"
_FURTHER, _BY_NAME = "additional_special_tokens", "extra_special_tokens"


def special_pieces(about: Mapping[str, Any], mapped: Mapping[str, Any]) -> Special:
    """The pieces that tokenizer_config.json names, and those of special_tokens_map.json where the first is an older file.

    A piece that is not named stays undefined in a template, which may ask for that.
    """
    # Since files list their added tokens, the map beside them is a copy for older programs and may be out of date.
    told = dict(about) if "added_tokens_decoder" in about else {**about, **mapped}
    extra = told.get(_BY_NAME)
    by_name: dict[str, Any] = extra if isinstance(extra, dict) else {}
    told |= by_name
    named = {name: each for name, each in told.items() if name.endswith(_ENDING) or name in by_name}
    found: dict[str, str | tuple[str, ...]] = {
        name: piece for name, each in named.items() if (piece := _piece(each)) is not None
    }
    further = told.get(_FURTHER)
    if isinstance(further, list):
        found[_FURTHER] = tuple(piece for each in further if (piece := _piece(each)) is not None)
    return tuple(found.items())


def _piece(told: object) -> str | None:
    """A special piece, which may stand in a table; None where there is none."""
    piece = told.get("content") if isinstance(told, dict) else told
    return piece if isinstance(piece, str) else None
