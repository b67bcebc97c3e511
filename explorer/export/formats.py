"""The file formats, each declared once: the dialog, the command line, checks and writing use this table.

Figures are made from a picture's SVG, files of numbers from its tables. Writers are imported at their first use, so that
Qt, fontTools and safetensors delay neither the window nor the command line.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from explorer.errors import UnknownFormat
from explorer.files import replacing

if TYPE_CHECKING:
    from explorer.lang import Words
    from explorer.picture.figure.film import Film
    from explorer.picture.kinds import Picture
    from explorer.picture.tables import Table
    from explorer.trace.script_parts import ScriptParts
    from explorer.trace.trace import Trace


@attrs.frozen
class Pixels:
    """The size of an image: `dpi` dots per inch, or exactly `width_px` pixels wide."""

    dpi: float = 192.0
    width_px: int | None = None


Draw = Callable[[str, Path, Pixels], Callable[[], None] | None]
"""Writes an SVG to a path in some format. It may return the rest of the work, for any thread. Raises CannotWrite."""
Write = Callable[[Path, "Sequence[Table]"], None]
"""Writes tables of numbers to a path. Raises CannotWrite."""
Page = Callable[["Sequence[Picture]", "Trace", Path, "Words"], None]
"""Writes pictures of a Trace to one interactive page. Raises CannotWrite."""
Run = Callable[["Film", Path, Pixels], Iterator[list[Path]]]
"""Writes a film frame by frame, and gives the files that each frame has finished. Raises CannotWrite."""
Repeat = Callable[["Trace", "ScriptParts", Path, "Words"], None]
"""Writes a program that repeats the pass of a Trace. Raises CannotWrite."""


@attrs.frozen(kw_only=True)
class Format:
    """One format. `name` is also the suffix of its files.

    It has one of these: `draw` or `page` if it holds a figure, `write` for numbers, `run` for a film, `repeat` for a program. A
    `page` can hold a whole pass, and is light or dark as the reader's system is.

    `has_pixels` is True if a size in pixels has a meaning, `has_fonts` if a figure contains its letters and another program
    draws it, `in_folder` if it is a folder of files.
    """

    name: str
    draw: Draw | None = None
    write: Write | None = None
    page: Page | None = None
    run: Run | None = None
    repeat: Repeat | None = None
    has_pixels: bool = False
    has_fonts: bool = False
    in_folder: bool = False

    @property
    def is_figure(self) -> bool:
        """Whether the format holds a figure or a film; otherwise it holds numbers or a program."""
        return self.write is None and self.repeat is None

    @property
    def has_theme(self) -> bool:
        """Whether light or dark is chosen for the file."""
        return self.is_figure and self.page is None


def _svg(svg: str, path: Path, _pixels: Pixels) -> None:
    with replacing(path) as unfinished:
        unfinished.write_text(svg, encoding="utf-8")


def _png(svg: str, path: Path, pixels: Pixels) -> Callable[[], None]:
    from explorer.export import raster

    raster.ensure_application()
    return raster.png_job(svg, path, pixels.dpi, pixels.width_px)


def _pdf(svg: str, path: Path, _pixels: Pixels) -> None:
    from explorer.export import raster

    raster.ensure_application()
    raster.write_pdf(svg, path)


def _html(pictures: "Sequence[Picture]", trace: "Trace", path: Path, words: "Words") -> None:
    from explorer.export.web.page import page

    with replacing(path) as unfinished:
        unfinished.write_text(page(pictures, trace, words), encoding="utf-8")


def _csv(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_csv

    write_csv(path, tables)


def _long_csv(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_long_csv

    write_long_csv(path, tables)


def _npz(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_npz

    write_npz(path, tables)


def _safetensors(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_safetensors

    write_safetensors(path, tables)


def _apng(film: "Film", path: Path, pixels: Pixels) -> Iterator[list[Path]]:
    from explorer.export.raster import write_apng

    return write_apng(film, path, pixels.width_px)


def _frames(film: "Film", path: Path, pixels: Pixels) -> Iterator[list[Path]]:
    from explorer.export.raster import write_frames

    return write_frames(film, path, pixels.width_px)


def _py(trace: "Trace", parts: "ScriptParts", path: Path, words: "Words") -> None:
    from explorer.export.pytorch.script import pytorch_script

    script = pytorch_script(trace, parts, words, path)
    with replacing(path) as unfinished:
        # A path may hold bytes that are no UTF-8, which Python too writes as backslash escapes.
        unfinished.write_bytes(script.encode("utf-8", "backslashreplace"))


FORMATS: tuple[Format, ...] = (
    Format(name="png", draw=_png, has_pixels=True),
    Format(name="svg", draw=_svg, has_fonts=True),
    Format(name="pdf", draw=_pdf),
    Format(name="html", page=_html),
    Format(name="csv", write=_csv),
    Format(name="npz", write=_npz),
    Format(name="safetensors", write=_safetensors),
    Format(name="long.csv", write=_long_csv),
)


FILMS: tuple[Format, ...] = (
    Format(name="apng", run=_apng, has_pixels=True),
    Format(name="png", run=_frames, has_pixels=True, in_folder=True),
)
"""The formats of pictures that move: one file, or a folder with a file for each frame."""

SCRIPTS: tuple[Format, ...] = (Format(name="py", repeat=_py),)
"""The formats of programs that repeat a pass; its weights stand beside them."""


def names() -> tuple[str, ...]:
    """The names of all formats."""
    return tuple(each.name for each in FORMATS)


def all_names() -> tuple[str, ...]:
    """The names of all formats, and of those of programs."""
    return (*names(), *(each.name for each in SCRIPTS))


def named(file_name: str) -> str:
    """The format of a file's name: the longest name that it ends in, else its suffix. "a.long.csv" is "long.csv"."""
    lower = file_name.lower()
    ends = [each for each in names() if lower.endswith(f".{each}")]
    return max(ends, key=len, default=Path(lower).suffix[1:])


def formats_of(*, figure: bool, numbers: bool, page: bool = False) -> tuple[Format, ...]:
    """The formats that fit: those of figures if `figure`, those of numbers if `numbers`, those of a whole pass if `page`."""
    return tuple(each for each in FORMATS if ((figure or (page and each.page is not None)) if each.is_figure else numbers))


def find(name: str, among: Sequence[Format]) -> Format:
    """The format with this name among `among`. Raises UnknownFormat."""
    for each in among:
        if each.name == name:
            return each
    raise UnknownFormat(name=name, known=", ".join(each.name for each in among))
