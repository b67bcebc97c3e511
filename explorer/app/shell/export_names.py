"""Names of files in the export dialog: its filters, and whether a file is there already."""

from pathlib import Path

from explorer.export.formats import Format


def filter_of(format_: Format) -> str:
    """The file dialog's filter of a format: "PNG (*.png)"."""
    return f"{format_.name.upper()} (*.{format_.name})"


def is_file(path: Path) -> bool:
    """Whether a file exists. An impossible name counts as no; writing will report it."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
