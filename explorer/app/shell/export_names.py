"""Names of files in the export dialog: its filters, what somebody has typed, and whether a file is there already."""

from pathlib import Path

from explorer.export.formats import FILMS, Format, all_names, named


def filter_of(format_: Format) -> str:
    """The file dialog's filter of a format: "PNG (*.png)"."""
    return f"{format_.name.upper()} (*.{format_.name})"


def own_stem(path: str, suggested: str) -> str:
    """The name of a typed file without its format; "" where it is the suggested one."""
    name, format_ = Path(path).name, named(path)
    known = (*all_names(), *(each.name for each in FILMS))
    stem = name[: -len(format_) - 1] if format_ in known else name
    return "" if stem == suggested else stem


def is_file(path: Path) -> bool:
    """Whether a file exists. An impossible name counts as no; writing will report it."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
