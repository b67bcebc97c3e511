"""The command `export`: pictures or numbers of a text, or of each line of the standard input, to files."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from explorer.cli.completing import formats_completed, of_words, taps_completed
from explorer.cli.flags import number_flag, shared_flags, theme_flag
from explorer.cli.passes import asked, computer
from explorer.cli.spoken import SpokenCommand
from explorer.errors import ExplorerError, FlagsExclude, UnknownHead, UnknownLayer
from explorer.export import formats
from explorer.knobs import Knob, Range
from explorer.lang import Words
from explorer.page_list import KEYS

if TYPE_CHECKING:
    from explorer.engine.compute import Computer
    from explorer.engine.request import Detail, Request
    from explorer.export.choice import Choice
    from explorer.picture.figure.print import Print
    from explorer.picture.layout.arranged import Arranged
    from explorer.state.look import Look
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
        """The place for the files of one line: a folder in the folder, or "wall.0003.png" for "wall.png"."""
        number = f"{line:0{_DIGITS}}"
        if self.is_folder:
            return attrs.evolve(self, path=self.path / number)
        stem = self.path.name.removesuffix(f".{self.format}")
        return attrs.evolve(self, path=self.path.with_name(f"{stem}.{number}.{self.format}"))


_BARE = re.compile(r"[+-]?[0-9]*\.?[0-9]*")  # a number without a unit
_WIDTH_PX = Knob(name="--width", kind="int", default=0, group="flag", applies="draw", valid=Range(16, 20_000))
_FONT_PT = Knob(name="--font-size", kind="float", default=8.0, group="flag", applies="draw", valid=Range(5, 24), unit="pt")
_PAGE = Knob(name="--page", kind="choice", default=KEYS[0], group="flag", applies="draw", choices=KEYS)


def _width(_context: click.Context, _option: click.Parameter, value: str | None) -> int | float | None:
    """A width: whole pixels as an int, or millimetres on paper as a float. Raises KnobOutOfRange, NotAWidth."""
    if value is None:
        return None
    if _BARE.fullmatch(value.strip()):
        return int(_WIDTH_PX.check(value))
    from explorer.picture.figure.print import width_of

    return width_of(value)


def _font(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    return None if value is None else float(_FONT_PT.check(value))


def _page_key(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    return None if value is None else str(_PAGE.check(value))


@click.command(cls=SpokenCommand)
@click.argument("text")
@click.option("--tap", metavar="NAME", shell_complete=taps_completed)
@click.option("--parameter", "parameter", metavar="NAME")
@click.option("--head", default="all", show_default=True, metavar="H|all")
@click.option("--layer", metavar="L|all")
@click.option("--out", required=True, metavar="PATH", type=click.Path())
@click.option("--format", "format_", metavar="|".join(formats.all_names()), shell_complete=formats_completed)
@number_flag("--dpi", "dpi", 24.0, 1200.0, default=192.0)
@click.option("--width", metavar="NUMBER|88mm|one-column|two-columns", callback=_width)
@click.option("--font-size", "font_pt", metavar="POINTS", callback=_font)
@click.option("--caption", metavar="TEXT")
@click.option("--no-letters", "unlettered", is_flag=True)
@click.option("--text-as-paths", "outlines", is_flag=True)
@click.option("--page", "page", metavar="KEY", callback=_page_key, shell_complete=of_words(KEYS))
@theme_flag
@shared_flags
@click.pass_obj
def export(words: Words, /, text: str, tap: str | None, out: str, format_: str | None, **given: Any) -> int:
    """Write pictures or numbers of TEXT to PATH: a folder gets one file for each head, a file holds everything.

    With .py, or in a folder with --format py, it is a script of plain PyTorch that repeats the pass, with its weights beside
    it. For "-" each line of the standard input is a text; a line that cannot be used is reported, and the others are written.
    """
    asked = [flag for flag, value in (("--tap", tap), ("--parameter", given["parameter"]), ("--page", given["page"])) if value]
    if len(asked) > 1:
        raise FlagsExclude(first=asked[0], second=asked[1])
    if given["parameter"] is not None and given["layer"] is not None:
        raise FlagsExclude(first="--parameter", second="--layer")
    place = _place(out, format_, given["page"])
    # Refuse a wrong format before the pass.
    formats.find(place.format, _possible(tap or given["parameter"], given["page"]))
    if text != _LINES:
        count, status = _written(computer(), _request(text, given), place, tap, given, words), 0
    else:
        count, status = _each_line(place, tap, given, words)
    click.echo(words("cli.exported", count=count, path=out))
    return status


def _possible(tap: str | None, page: str | None) -> tuple[formats.Format, ...]:
    if page is not None:
        return formats.formats_of(figure=True, numbers=False)
    possible = formats.formats_of(figure=tap is not None, numbers=True, page=True)
    return possible if tap is not None else (*possible, *formats.SCRIPTS)


def _experiments(page: str | None) -> frozenset[str]:
    """The experiments that the pictures of a page need."""
    if page is None:
        return frozenset()
    from explorer.app.pages.arranging import page_class

    return page_class(page).experiments


def _request(text: str, given: dict[str, Any]) -> "Request":
    """The first request of a text; what a page needs besides is requested after its answer."""
    return asked(text, given).asking(experiments=_experiments(given["page"]))


def _answer(computer: "Computer", request: "Request") -> "Trace":
    """The Trace of a request, without experiments that this model cannot have."""
    from explorer.app.session.asking import possible

    return computer(request.asking(experiments=possible(request.wish, request.detail.experiments))).trace


def _each_line(place: _Place, tap: str | None, given: dict[str, Any], words: Words) -> tuple[int, int]:
    """Write the files of each line of the standard input; returns how many, and the exit status."""
    of_all = computer()
    count, status = 0, 0
    for number, line in _lines():
        try:
            count += _written(of_all, _request(line, given), place.of_line(number), tap, given, words)
        except ExplorerError as error:
            click.echo(words("cli.line", line=number, reason=words.error(error)), err=True)
            status = 2
    return count, status


def _lines() -> Iterator[tuple[int, str]]:
    """The non-empty lines of the standard input, numbered from 1."""
    for number, line in enumerate(sys.stdin, start=1):
        if line.strip():
            yield number, line.rstrip("\r\n")


def _place(out: str, format_: str | None, page: str | None) -> _Place:
    path = Path(out)
    named = formats.named(path.name)
    folder = out.endswith(("/", "\\")) or not path.suffix or _is_folder(path)
    chosen = (format_ or ("png" if folder else named)).lower()
    if folder and page is not None:  # A page is one figure, which a folder names after the page.
        return _Place(path / f"{page}.{chosen}", False, chosen)
    if folder and any(chosen == each.name for each in formats.SCRIPTS):  # A pass has one script.
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

    trace = _answer(computer, request)
    common = Export(
        trace=trace,
        out=place.path,
        format=place.format,
        words=words,
        theme=THEMES[given["theme"]],
        dpi=given["dpi"],
        width_px=given["width"] if isinstance(given["width"], int) else None,
        printed=_printed(given),
        outlines=given["outlines"],
    )
    if given["parameter"] is not None:
        from explorer.cli.parameters import parameter_exports

        jobs = parameter_exports(computer, request, common, given["parameter"], given["head"], in_folder=place.is_folder)
        return sum(max(done for done, _of in job.run()) for job in jobs)
    look = opening_look(trace) if tap is None else Look()
    job = attrs.evolve(
        common,
        choice=None if tap is None else _chosen(trace, tap, given["head"], given["layer"]),
        script=_script_parts(computer, request, place),
        several=_several(given["page"], trace, look, words, computer, request),
        one_each=place.is_folder,
        look=look,
    )
    return max(done for done, _of in job.run())


def _script_parts(computer: "Computer", request: "Request", place: _Place) -> "ScriptParts | None":
    """The parts of a script, with the weights written beside it; None for every other format."""
    if not any(place.format == each.name for each in formats.SCRIPTS):
        return None
    from explorer.engine.errands.script_parts import script_parts
    from explorer.export.script_file import weights_beside

    return script_parts(computer.sources, request.wish, weights_beside(place.path))


def _printed(given: dict[str, Any]) -> "Print | None":
    """The Print that the flags describe; None without such a flag. A page is set for the screen unless a flag gives a size."""
    from explorer.picture.figure.print import ON_SCREEN, Print

    width_mm = given["width"] if isinstance(given["width"], float) else None
    sizes = {"width_mm": width_mm, "font_pt": given["font_pt"]}
    asked = {name: value for name, value in sizes.items() if value is not None}
    caption, letters = given["caption"], not given["unlettered"]
    if given["page"] is not None and not asked:
        return attrs.evolve(ON_SCREEN, caption=caption, letters=letters)
    return Print(**asked, caption=caption, letters=letters) if asked or caption is not None else None


def _several(
    page: str | None, trace: "Trace", look: "Look", words: Words, computer: "Computer", request: "Request"
) -> "Arranged | None":
    """The pictures of a page with all its experiments, None without a page. Raises NothingOnPage."""
    if page is None:
        return None
    from explorer.app.pages.arranging import pictures_of_page
    from explorer.export.raster import ensure_widgets

    def answers(detail: "Detail") -> "Trace":
        return _answer(computer, attrs.evolve(request, detail=detail))

    application = ensure_widgets()
    made = pictures_of_page(page, trace, look, words, request.detail, answers)
    application.processEvents()
    return made


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
