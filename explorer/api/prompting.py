"""What calls about many prompts share: the given prompts, their common Request, and the bar that shows how far they are."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.asking import request_of, request_of_live
from explorer.presets import DEFAULT

if TYPE_CHECKING:
    from torch import nn

    from explorer.engine.request import Request
    from explorer.stops import Progress, Stop
    from explorer.trace.changes import Change

Texts = tuple[str, ...]
_MOST_BYTES = 2**28  # of a file with pairs


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


def prompts_in(prompts: object) -> tuple[Texts, Texts]:
    """The texts, and of pairs the second ones. Raises NotText, NotPrompts, NoPrompts, CannotRead."""
    from explorer.errors import NoPrompts, NotPrompts, NotText

    rows: list[Any] = _lines(Path(prompts)) if isinstance(prompts, str | Path) else _listed(prompts)
    if not rows:
        raise NoPrompts
    if all(isinstance(row, str) for row in rows):
        return tuple(rows), ()
    for number, row in enumerate(rows):
        if isinstance(row, str) != isinstance(rows[0], str):
            raise NotPrompts(number=number)
        if not isinstance(row, str | tuple | list):
            raise NotText(got=type(row).__name__)
        if len(row) != 2 or not all(isinstance(each, str) for each in row):
            raise NotPrompts(number=number)
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


def _listed(prompts: object) -> list[Any]:
    from explorer.errors import NotText

    if isinstance(prompts, bytes) or not isinstance(prompts, Iterable):
        raise NotText(got=type(prompts).__name__)
    return list(prompts)


def _lines(path: Path) -> list[Any]:
    """The pairs of a TSV file: its first two columns. Raises CannotRead, NotAFile; a line with one column is no pair."""
    from explorer.files import read_whole

    text = read_whole(path, _MOST_BYTES).decode("utf-8-sig", errors="replace")
    return [tuple(line.split("\t")[:2]) for line in text.splitlines() if line.strip()]


@contextmanager
def watched() -> "Iterator[tuple[Stop, Progress]]":
    """A Stop that ends the work after Ctrl+C, also where a library swallowed it, and a Progress that shows a bar.

    The bar is tqdm's where it is installed, which a notebook draws as well; else it is the line of the commands.
    """
    from explorer.scanning.pressed import noted

    with noted() as check, _bar() as show:

        def stop() -> bool:
            check()
            return False

        yield stop, show


@contextmanager
def _bar() -> "Iterator[Callable[[float], None]]":
    try:
        from tqdm.auto import tqdm
    except ImportError:
        from explorer.progress_line import ProgressLine

        line = ProgressLine()
        try:
            yield lambda share: line.show(f"{share:.0%}")
        finally:
            line.end()
        return
    with tqdm(total=100, unit="%", leave=False, disable=None, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        yield lambda share: bar.update(round(100 * share) - bar.n)
