"""GNOME's own setting of motion, asked of the system's `gsettings` without waiting for its answer.

GNOME keeps it in a binary database of its own. Decision: a process that tells it, some milliseconds after the start. Rejected:
the portal over D-Bus, because connecting to a bus that does not answer would hold up the window.
"""

import os
import sys

from PySide6.QtCore import QObject, QProcess, QStandardPaths, Signal

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
