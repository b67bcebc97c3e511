"""A training in a process of its own: the command `train`, started by the window.

Decision: one order is enough, its standard input closes. It then writes a checkpoint and ends, and the same command goes on
from there. So it stops when somebody pauses it, and also when the window is gone, however it went. Rejected: signals, which
Windows does not have, and a protocol of orders.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QObject, QTimer, Signal

from explorer.resources import own_command, own_environment

_LOOK_MS = 100
_MOST_SAID = 400  # characters
_IN_ORDER = (0, 130)  # finished, and stopped with a checkpoint


class TrainingProcess(QObject):
    """Runs one training at a time. Signals: ended(reason) when its process has ended, "" if all went well; begun()."""

    begun = Signal()
    ended = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[Any] | None = None
        self._next: tuple[Path, tuple[str, ...]] | None = None  # what is started once the process has ended
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def is_running(self) -> bool:
        """Whether its process is there, though it may be about to end."""
        return self._process is not None

    def start(self, folder: Path, arguments: Sequence[str]) -> None:
        """Train into a folder, or go on there. A process that cannot be started ends at once, with its reason."""
        assert self._process is None  # The page offers it only then.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  It is closed when the process has ended.
        below = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
        command = [*own_command(), "train", "--attached", "--out", str(folder), *arguments]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env=own_environment(),
                creationflags=below if sys.platform == "win32" else 0,
            )
        except OSError as error:
            self.ended.emit(error.strerror or str(error))
            return
        self._timer.start()
        self.begun.emit()

    def restart(self, folder: Path, arguments: Sequence[str]) -> None:
        """Stop the training, and go on with other arguments as soon as it has stopped."""
        self.stop()
        self._next = (folder, tuple(arguments)) if self.is_running else None

    def stop(self) -> None:
        """Have it write a checkpoint and end."""
        self._next = None
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _look(self) -> None:
        if self._process is None or self._process.poll() is None:
            return
        status, self._process = self._process.returncode, None
        self._timer.stop()
        follows, self._next = self._next, None
        if status in _IN_ORDER and follows is not None:
            self.start(*follows)
            return
        self.ended.emit("" if status in _IN_ORDER else self._last_words() or str(status))

    def _last_words(self) -> str:
        """The last line that it wrote."""
        assert self._said is not None  # It was started.
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", errors="replace").strip().splitlines()
        self._said.close()
        return lines[-1].strip()[:_MOST_SAID] if lines else ""
