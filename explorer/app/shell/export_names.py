"""Names of files in the export dialog: what it suggests, its filters, and whether a file is there already."""

from pathlib import Path

from explorer.export.formats import Format
from explorer.picture.kinds import Picture


def file_stem(what: str, picture: Picture, wall_tap: str) -> str:
    """The name that a file, or a folder, is suggested to have: it says what is in it. `wall_tap` is what all heads show."""
    head = None if picture.caption.name else picture.head
    this = picture.caption.file_name + ("" if head is None else f".head{head}")
    named = {"this": this, "film": f"{this}.film", "wall": wall_tap, "each": "heads", "page": "page", "all": "trace"}
    return {**named, "script": "model"}[what]


def filter_of(format_: Format) -> str:
    """The file dialog's filter of a format: "PNG (*.png)"."""
    return f"{format_.name.upper()} (*.{format_.name})"


def is_file(path: Path) -> bool:
    """Whether a file exists. An impossible name counts as no; writing will report it."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
