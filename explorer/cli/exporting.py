"""The command `export`: pictures or numbers of a text, or of each line of the standard input, to files."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.completing import formats_completed, taps_completed
from explorer.cli.flags import choice_flag, number_flag, shared_flags
from explorer.cli.passes import asked
from explorer.cli.spoken import SpokenCommand
from explorer.errors import ExplorerError, UnknownHead, UnknownLayer
from explorer.export import formats
from explorer.lang import Words

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.engine.request import Request
    from explorer.export.choice import Choice
    from explorer.trace.script_parts import ScriptParts
    from explorer.trace.trace import Trace

_LINES = "-"
_DIGITS = 4  # of a line's number in a file's name


@attrs.frozen
class _Place:
    """Where files go, and in which format; `is_folder` where a file is written for each head."""

    path: Path
    is_folder: bool
    format: str

    def of_line(self, line: int) -> "_Place":
        """The place of one line's files: a folder in the folder, or "wall.0003.png" beside "wall.png"."""
        number = f"{line:0{_DIGITS}}"
        if self.is_folder:
            return attrs.evolve(self, path=self.path / number)
        stem = self.path.name.removesuffix(f".{self.format}")
        return attrs.evolve(self, path=self.path.with_name(f"{stem}.{number}.{self.format}"))


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--tap", metavar="NAME", shell_complete=taps_completed)
@click.option("--head", default="all", show_default=True, metavar="H|all")
@click.option("--layer", metavar="L|all")
@click.option("--out", required=True, metavar="PATH", type=click.Path())
@click.option("--format", "format_", metavar="|".join(formats.all_names()), shell_complete=formats_completed)
@number_flag("--dpi", "dpi", 24.0, 1200.0, default=192.0)
@number_flag("--width", "width_px", 16, 20_000)
@choice_flag("--theme", "theme", ("light", "dark"), default="light")
@shared_flags
@click.pass_obj
def export(words: Words, /, text: str, tap: str | None, out: str, format_: str | None, **given: Any) -> int:
    """Write pictures or numbers of TEXT to PATH: a folder gets one file for each head, a file all in one; with
    .py, or in a folder with --format py, a script of plain PyTorch that makes the pass again, its weights beside it.

    For "-" each line of the standard input is a text. A line that cannot be used is told, the others are written.
    """
    place = _place(out, format_)
    # Refuse a wrong format before the pass.
    possible = formats.formats_of(figure=tap is not None, numbers=True, page=True)
    formats.find(place.format, possible if tap is not None else (*possible, *formats.SCRIPTS))
    if text != _LINES:
        request = asked(text, given)
        count, status = _written(_computer(), request, place, tap, given, words), 0
    else:
        count, status = _each_line(place, tap, given, words)
    click.echo(words("cli.exported", count=count, path=out))
    return status


def _each_line(place: _Place, tap: str | None, given: dict[str, Any], words: Words) -> tuple[int, int]:
    """Write the files of each line of the standard input; returns how many, and the exit status."""
    computer = _computer()
    count, status = 0, 0
    for number, line in _lines():
        try:
            count += _written(computer, asked(line, given), place.of_line(number), tap, given, words)
        except ExplorerError as error:
            click.echo(words("cli.line", line=number, reason=words.error(error)), err=True)
            status = 2
    return count, status


def _computer() -> "Computer":
    from explorer.engine.compute import Computer  # torch takes a second to load, so the checks come first.

    return Computer()


def _lines() -> Iterator[tuple[int, str]]:
    """The lines of the standard input with their numbers from 1; empty ones are left out."""
    for number, line in enumerate(sys.stdin, start=1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def _place(out: str, format_: str | None) -> _Place:
    path = Path(out)
    named = formats.named(path.name)
    folder = out.endswith(("/", "\\")) or not path.suffix or _is_folder(path)
    chosen = (format_ or ("png" if folder else named)).lower()
    if folder and any(chosen == each.name for each in formats.SCRIPTS):  # Of a pass there is one script.
        return _Place(path / f"model.{chosen}", False, chosen)
    return _Place(path, folder, chosen)


def _is_folder(path: Path) -> bool:
    """Whether there is such a folder. An impossible path counts as no; writing will report it."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _written(
    computer: "Computer", request: "Request", place: _Place, tap: str | None, given: dict[str, Any], words: Words
) -> int:
    """Write the files of one text; returns how many. Raises ExplorerError."""
    from explorer.export.job import Export
    from explorer.export.web.whole import opening_look
    from explorer.picture.theme import THEMES
    from explorer.state.look import Look

    trace = computer(request).trace
    job = Export(
        trace=trace,
        out=place.path,
        format=place.format,
        words=words,
        choice=None if tap is None else _chosen(trace, tap, given["head"], given["layer"]),
        script=_script_parts(computer, request, place),
        one_each=place.is_folder,
        look=opening_look(trace) if tap is None else Look(),
        theme=THEMES[given["theme"]],
        dpi=given["dpi"],
        width_px=given["width_px"],
    )
    return max(done for done, _of in job.run())


def _script_parts(computer: "Computer", request: "Request", place: _Place) -> "ScriptParts | None":
    """The parts of a script, with the weights written beside it; None for every other format."""
    if not any(place.format == each.name for each in formats.SCRIPTS):
        return None
    from explorer.export.pytorch.writing import weights_beside

    return computer.script_parts(request.wish, weights_beside(place.path))


def _chosen(trace: "Trace", tap: str, head: str, layer: str | None) -> "Choice":
    """The heads and layers that the flags choose. Raises UnknownTap, UnknownHead, UnknownLayer."""
    from explorer.export.choice import Choice

    side = trace.card.side(tap)
    n_heads = Choice(tap).n_heads(trace) or side.n_heads  # A tap without heads ignores --head but checks it.
    return Choice(tap, _which(head, UnknownHead, n_heads), -1 if layer is None else _which(layer, UnknownLayer, side.n_layers))


def _which(value: str, error: type[ExplorerError], count: int) -> int | None:
    """A head or layer by number, None for "all". Raises UnknownHead, UnknownLayer."""
    if value == "all":
        return None
    known = {str(number): number for number in range(count)}
    if value not in known:
        raise error(got=value, last=count - 1)
    return known[value]
