"""The program in the menu of a Linux desktop: a desktop file, the icon, and the kinds of files that it opens.

pip installs desktop file and icon under the environment's own `share`, where no desktop looks; these go where this user's
desktop looks. Each file is replaced whole. The desktop file starts the running program, by its whole path.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from explorer.files import cannot_write, make_folder, replacing
from explorer.resources import asset

NAME = "transformer-explorer"
MIME_TYPES = (
    "application/x-transformer-explorer-session",
    "application/x-transformer-explorer-bundle",
    "application/x-transformer-explorer-lesson",
)
_PATIENCE_S = 30
_RESERVED = " \t\n\"'\\><~|&;$*?#()`"  # Characters of an Exec line that want quotes.


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where this user's desktop looks: XDG_DATA_HOME, or ~/.local/share. Relative paths do not count, as the rules say."""
    asked = Path(environment.get("XDG_DATA_HOME", ""))
    return asked if asked.is_absolute() else Path.home() / ".local" / "share"


def places(data: Path) -> tuple[Path, Path, Path]:
    """Where the desktop file, the icon and the kinds of files stand."""
    return (
        data / "applications" / f"{NAME}.desktop",
        data / "icons" / "hicolor" / "scalable" / "apps" / f"{NAME}.svg",
        data / "mime" / "packages" / f"{NAME}.xml",
    )


def place(data: Path | None = None) -> list[Path]:
    """Write all files and notify the desktop; returns what was written. Raises CannotWrite, CannotCreate."""
    data = data_folder() if data is None else data
    entry, icon, kinds = places(data)
    contents = {
        kinds: asset(f"linux/{NAME}.xml").read_bytes(),
        icon: asset("icons/explorer.svg").read_bytes(),
        entry: entry_text().encode(),
    }
    for path, content in contents.items():
        make_folder(path.parent)
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)
    _tell(data)
    return list(contents)


def take_away(data: Path | None = None) -> list[Path]:
    """Remove what `place` wrote; returns what was there. Folders stay, since other programs use them. Raises CannotWrite."""
    data = data_folder() if data is None else data
    there = [path for path in places(data) if path.is_file()]
    for path in there:
        try:
            path.unlink()
        except OSError as error:
            raise cannot_write(path, error) from error
    if there:
        _tell(data)
    return there


def entry_text() -> str:
    """The desktop file with the whole path of the program in its Exec line."""
    lines = asset(f"linux/{NAME}.desktop").read_text(encoding="utf-8").splitlines()
    return "".join(f"Exec={exec_line()}\n" if line.startswith("Exec=") else f"{line}\n" for line in lines)


def exec_line() -> str:
    """The command that a desktop runs to open the window; the desktop puts the chosen file in place of %f."""
    return f"{' '.join(quoted(word) for word in _window_command())} %f"


def _window_command() -> list[str]:
    """The bundle, the command beside this Python, or this Python with the package."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    beside = Path(sys.executable).with_name(f"{NAME}-window")
    return [str(beside)] if beside.is_file() else [sys.executable, "-P", "-m", "explorer"]


def quoted(word: str) -> str:
    """A word quoted for an Exec line by the rules of desktop files; a per cent sign is doubled."""
    if any(letter in _RESERVED for letter in word):
        for letter in '\\"`$':
            word = word.replace(letter, f"\\{letter}")
        # The line is a string value, in which a backslash stands for itself only when it is doubled.
        word = f'"{word}"'.replace("\\", "\\\\")
    return word.replace("%", "%%")


def _tell(data: Path) -> None:
    """Make the desktop reread its folders, with the tools that are installed; most desktops notice by themselves."""
    for command in _commands(data):
        if shutil.which(command[0]):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(command, capture_output=True, timeout=_PATIENCE_S, check=False)


def _commands(data: Path) -> Iterator[list[str]]:
    yield ["update-mime-database", str(data / "mime")]
    yield ["update-desktop-database", str(data / "applications")]
