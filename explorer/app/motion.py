"""Whether the system has been told to move as little as possible; each system keeps that in a file of its own.

Windows is asked by Qt (`views.painting.motion`), which knows no other system's setting. GNOME keeps it in a binary database,
and in GTK's file only where another desktop has written it there; its `gsettings` is asked without waiting for the answer.
Decision: a process that tells it, some milliseconds after the start. Rejected: the portal over D-Bus, because connecting to a
bus that does not answer would hold up the window.
"""

import os
import plistlib
import sys
from configparser import Error, RawConfigParser
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QStandardPaths, Signal

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


_OF_GNOME = frozenset({"gnome", "gnome-classic", "unity", "budgie", "pantheon"})  # desktops that keep their settings in it
_ASKED = ("get", "org.gnome.desktop.interface", "enable-animations")
_PATIENCE_MS = 500  # ms that a process which is killed has to end


def is_of_gnome() -> bool:
    """Whether the desktop keeps its setting of motion in GNOME's database."""
    told = os.environ.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return sys.platform not in ("win32", "darwin") and not _OF_GNOME.isdisjoint(told)


class GnomeMotion(QObject):
    """`ask()` returns at once. Signals: told(bool), True where animations are switched off."""

    told = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None

    def ask(self) -> None:
        """Ask, unless an answer is under way, the desktop is another, or it has no `gsettings`."""
        program = QStandardPaths.findExecutable("gsettings") if is_of_gnome() else ""
        if program and self._process is None:
            self._process = QProcess(self)
            self._process.finished.connect(self._answered)
            self._process.errorOccurred.connect(self._failed)
            self._process.start(program, list(_ASKED))

    @property
    def waits(self) -> bool:
        """Whether somebody has asked and no answer has come."""
        return self._process is not None

    def close(self) -> None:
        """Ask no longer; a process that does not answer is ended."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._answered)
            process.errorOccurred.disconnect(self._failed)
            process.kill()
            process.waitForFinished(_PATIENCE_MS)

    def _answered(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            answer = bytes(process.readAllStandardOutput().data()).strip()
            process.deleteLater()
            if answer in (b"true", b"false"):  # Without the schema, the answer is a complaint.
                self.told.emit(answer == b"false")

    def _failed(self, error: QProcess.ProcessError) -> None:
        """Forget a process that could not be started; one that has crashed has finished, too."""
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._process.deleteLater()
            self._process = None
