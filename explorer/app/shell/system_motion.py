"""Whether the system has been told to move as little as possible; each system keeps that in a file of its own.

Windows is asked by Qt (`views.painting.motion`), which knows no other system's setting. GNOME keeps it in a binary database,
and in GTK's file only where another desktop has written it there; `gnome_motion.py` asks for it.
"""

import os
import plistlib
import sys
from configparser import Error, RawConfigParser
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.files import read_whole

_OF_DESKTOPS = (
    ("kdeglobals", "KDE", "AnimationDurationFactor"),
    ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations"),
    ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations"),
)
"""File below the folder of preferences, section and key; a value of zero or false means no animations."""
_MOST_BYTES = 2**20
_OF_MACOS = "Library/Preferences/com.apple.universalaccess.plist"


def system_is_still() -> bool:
    """Whether the system says so; False where it says nothing, or nothing that can be read."""
    if sys.platform == "darwin":
        return _macos_is_still(Path.home() / _OF_MACOS)
    if sys.platform == "win32":
        return False
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return any(_is_off(folder / file, section, key) for file, section, key in _OF_DESKTOPS)


def _macos_is_still(file: Path) -> bool:
    try:
        return bool(plistlib.loads(read_whole(file, _MOST_BYTES)).get("reduceMotion", False))
    except (
        ExplorerError,
        ValueError,
        plistlib.InvalidFileException,
        AttributeError,
    ):  # Another program's file may hold anything.
        return False


def _is_off(file: Path, section: str, key: str) -> bool:
    settings = RawConfigParser(strict=False)
    try:
        settings.read_string(read_whole(file, _MOST_BYTES).decode("utf-8"))
        told = settings.get(section, key, fallback="1").strip().lower()
    except (ExplorerError, UnicodeError, Error):
        return False
    try:
        return float(told) == 0
    except ValueError:
        return told == "false"
