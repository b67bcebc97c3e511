"""The formats of files, each declared once: dialog, command line, checks and writing follow from this table.

A format of figures is made from the SVG of a picture, one of numbers from its tables. What writes it is imported when it is
first used: Qt, fontTools and safetensors delay neither the window nor the command line.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from explorer.errors import UnknownFormat
from explorer.files import replacing

if TYPE_CHECKING:
    from explorer.picture.tables import Table


@attrs.frozen
class Pixels:
    """How large an image of pixels is: `dpi` dots per inch, or just `width_px` wide."""

    dpi: float = 192.0
    width_px: int | None = None


Draw = Callable[[str, Path, Pixels], Callable[[], None] | None]
"""Writes an SVG to a path in some format; what it returns is still to be done, on whatever thread. Raises CannotWrite."""
Write = Callable[[Path, "Sequence[Table]"], None]
"""Writes tables of numbers to a path. Raises CannotWrite."""


@attrs.frozen(kw_only=True)
class Format:
    """One format: `name` is what it is called and what its files end in. It has `draw` if it holds a figure, else `write`.

    `has_pixels`: a size in pixels means something to it.
    """

    name: str
    draw: Draw | None = None
    write: Write | None = None
    has_pixels: bool = False

    @property
    def is_figure(self) -> bool:
        """Whether it holds a figure, and no numbers."""
        return self.draw is not None


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


def _csv(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_csv

    write_csv(path, tables)


def _npz(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_npz

    write_npz(path, tables)


def _safetensors(path: Path, tables: "Sequence[Table]") -> None:
    from explorer.export.numbers import write_safetensors

    write_safetensors(path, tables)


FORMATS: tuple[Format, ...] = (
    Format(name="png", draw=_png, has_pixels=True),
    Format(name="svg", draw=_svg),
    Format(name="pdf", draw=_pdf),
    Format(name="csv", write=_csv),
    Format(name="npz", write=_npz),
    Format(name="safetensors", write=_safetensors),
)


def names() -> tuple[str, ...]:
    """What all formats are called."""
    return tuple(each.name for each in FORMATS)


def formats_of(*, figure: bool, numbers: bool) -> tuple[Format, ...]:
    """The formats for what can be had as a figure, as numbers, or both."""
    return tuple(each for each in FORMATS if (figure if each.is_figure else numbers))


def find(name: str, among: Sequence[Format]) -> Format:
    """One of these formats by its name. Raises UnknownFormat."""
    for each in among:
        if each.name == name:
            return each
    raise UnknownFormat(name=name, known=", ".join(each.name for each in among))
