"""What calls about many prompts share: the given prompts, their common Request, and the file of what was found."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from explorer.api.asking import as_ids, request_of, request_of_live
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.request import Request
    from explorer.trace.changes import Change
    from explorer.trace.found.over_prompts import OverPrompts
    from explorer.trace.measures.scan_table import ScanTable


def shared_request(
    preset: str | Path, trained: bool, changes: "Iterable[Change]", knobs: "dict[str, Any]", model: "nn.Module | None"
) -> "tuple[Request, nn.Module | None]":
    """The Request of the arguments that all prompts share, and the live model, if one was given. Raises ExplorerError."""
    if model is None:
        return request_of("", None, preset, trained, changes, knobs), None
    from explorer.api.passes import load_model
    from explorer.foreign.held import is_held

    if is_held(model):
        model, knobs = load_model(model, **knobs), {}
    given = {name for name, value in knobs.items() if value is not None}
    given |= {name for name, is_given in (("preset", preset != DEFAULT), ("trained", not trained)) if is_given}
    return request_of_live(model, "", None, changes, frozenset(given)), model


@attrs.frozen
class GivenPrompts:
    """The texts of some prompts, and of pairs the second ones; `by_ids` where they are rows of ids."""

    texts: tuple[str, ...]
    others: tuple[str, ...] = ()
    by_ids: bool = False


def prompts_in(prompts: object) -> GivenPrompts:
    """What was given: texts, rows of ids, or pairs of either. Raises NotText, NotPrompts, BadPrompt, NoPrompts, CannotRead."""
    from explorer.errors import NoPrompts, NotPrompts

    rows: list[Any] = _lines(Path(prompts)) if isinstance(prompts, str | Path) else _listed(prompts)
    if not rows:
        raise NoPrompts
    told = [_told(row, number) for number, row in enumerate(rows)]
    shape = len(told[0][0]), told[0][1]
    for number, (parts, by_ids) in enumerate(told):
        if (len(parts), by_ids) != shape:
            raise NotPrompts(number=number)
    texts, *others = zip(*(parts for parts, _by_ids in told), strict=True)
    return GivenPrompts(texts, others[0] if others else (), by_ids=shape[1])


def _told(row: Any, number: int) -> tuple[tuple[str, ...], bool]:
    """A prompt's text, or both of a pair, and whether they are ids. Raises NotText, NotPrompts, BadPrompt."""
    from explorer.errors import BadPrompt, NotIds, NotPrompts, NotText

    row = _plain(row)
    if isinstance(row, str):
        return (row,), False
    if not isinstance(row, list):
        raise NotText(got=type(row).__name__)
    parts = [_plain(part) for part in row]
    if len(parts) == 2 and all(isinstance(part, str) for part in parts):
        return tuple(parts), False
    if any(isinstance(part, str) for part in parts):
        raise NotPrompts(number=number)
    pair = [part for part in parts if isinstance(part, list)]
    if pair and not len(pair) == len(parts) == 2:
        raise NotPrompts(number=number)
    try:
        return tuple(as_ids(ids, "") for ids in pair or [parts]), True
    except NotIds as error:
        raise BadPrompt(number=number, reason=str(error)) from error


def _plain(value: Any) -> Any:
    """A list of a tuple, a tensor or an array; anything else as it is."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, tuple) else value


def _listed(prompts: object) -> list[Any]:
    from explorer.errors import NotText

    if isinstance(prompts, bytes) or not isinstance(prompts, Iterable):
        raise NotText(got=type(prompts).__name__)
    return list(prompts)


def _lines(path: Path) -> list[Any]:
    """The lines of a file, or the pairs in the first two columns of a TSV. Raises CannotRead, NotAFile, NoSentences."""
    from explorer.state.held_out import columns_in

    rows = columns_in(path)
    return [row[0] for row in rows] if all(len(row) == 1 for row in rows) else [row[:2] for row in rows]


def check_out(out: str | Path | None, *, has_table: bool = True) -> None:
    """Refuse a file that results over prompts cannot be written to. Raises UnknownFormat, ExtraMissing.

    `has_table` is False for those that are no table of a scan.
    """
    from explorer.errors import UnknownFormat
    from explorer.scanning.table_file import SUFFIXES, check_suffix
    from explorer.trace.found.prompts_file import SUFFIX

    if out is None or Path(out).suffix.lower() == SUFFIX:
        return
    known = (SUFFIX, *SUFFIXES) if has_table else (SUFFIX,)
    if Path(out).suffix.lower() not in known:
        raise UnknownFormat(name=Path(out).suffix or Path(out).name, known=", ".join(known))
    check_suffix(Path(out))


def write_out(out: str | Path, found: "OverPrompts", table: "Callable[[], ScanTable] | None" = None) -> None:
    """Write results over prompts, or as the table of a scan, as the file's suffix says. Raises CannotWrite, DiskFull."""
    from explorer.scanning.table_file import SUFFIXES, write_table

    if table is not None and Path(out).suffix.lower() in SUFFIXES:
        write_table(Path(out), table())
    else:
        found.save(out)
