"""A picture that belongs to no pass, written to a file in the formats of figures and numbers, with a JSON file beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.export.formats import Format, Pixels, find, formats_of
from explorer.files import make_folder, replacing
from explorer.lang import Words
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Picture
from explorer.picture.theme import LIGHT, Theme
from explorer.version import __version__

_DPI = 192.0


def format_alone(name: str) -> Format:
    """The format of a name, among those that need no pass. Raises UnknownFormat."""
    return find(name, tuple(each for each in formats_of(figure=True, numbers=True) if each.page is None))


def write_alone(
    picture: Picture, out: Path, format_: Format, words: Words, about: Mapping[str, Any], theme: Theme = LIGHT
) -> None:
    """Write the picture, or the numbers that it shows, and beside it `about` with its caption. Raises CannotWrite, DiskFull."""
    make_folder(out.absolute().parent)
    if format_.draw is not None:
        rest = format_.draw(render(picture, words, theme, with_fonts=format_.has_fonts), out, Pixels(_DPI))
        if rest is not None:
            rest()
    else:
        assert format_.write is not None  # `format_alone` offers no other.
        format_.write(out, tables(picture))
    caption = {"picture": picture.caption.title, "note": picture.caption.note, "origin": picture.caption.origin}
    told = {**about, **caption, "versions": {"transformer-explorer": __version__}}
    with replacing(out.with_name(f"{out.name}.json")) as unfinished:
        unfinished.write_bytes((json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace"))
