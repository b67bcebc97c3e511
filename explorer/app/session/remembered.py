"""What is set up, written to disk by itself, so that it comes back at the next start, also after the program was killed.

`last.explorer.toml` is what the next start opens. Besides, each running program has a file of its own in the folder `open`,
with a lock beside it, and removes both when it is closed. A file whose lock is held by nobody was left by a program that was
not closed: where it is not what the next start opens anyway, the window offers it.

Decision: a State that had not been on screen when its program ended is offered and not opened, for it may be what ended it.
Rejected: asking before anything is opened, as nearly always there is nothing to ask.
"""

import contextlib
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import attrs
from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from explorer.errors import ExplorerError
from explorer.files import cannot_write
from explorer.resources import config_folder
from explorer.state.saved import Saved, read_saved
from explorer.state.state_file import SUFFIX

_AFTER_MS = 2000  # ms from a change until it is on the disk


def remembered_path() -> Path:
    """The file of the last State, beside the preferences."""
    return config_folder() / f"last{SUFFIX}"


def open_folder() -> Path:
    """The folder with a file of each program that is open."""
    return config_folder() / "open"


def last_saved() -> tuple[Saved | None, ExplorerError | None]:
    """What the next start opens, or the error why it cannot be read; both None at the first start."""
    path = remembered_path()
    try:
        return (read_saved(path), None) if path.exists() else (None, None)
    except ExplorerError as error:
        _put_aside(path, f"unreadable{SUFFIX}")
        return None, error


@attrs.frozen
class OtherPrograms:
    """What other programs have set up. `left` is that of programs that were not closed, by file, the newest first.

    `sessions` are the files of sessions that other windows have open.
    """

    left: Mapping[Path, Saved]
    sessions: frozenset[str]


def other_programs() -> OtherPrograms:
    """What the files of other programs say. One that cannot be read is put aside."""
    left, sessions = {}, set()
    for path in _newest_first():
        lock = _lock_of(path)
        was_left = lock.tryLock(0)
        lock.unlock()
        try:
            saved = read_saved(path)
        except ExplorerError:
            if was_left:
                _put_aside(path, f"{path.name}.unreadable")
            continue
        if was_left:
            left[path] = saved
        else:
            sessions.add(saved.session)
    return OtherPrograms(left, frozenset(sessions - {""}))


def _newest_first() -> list[Path]:
    try:
        return sorted(open_folder().glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:  # Another program has just been closed, or the folder cannot be read: nothing is offered this time.
        return []


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_name(f"{path.name.removesuffix(SUFFIX)}.lock")))
    lock.setStaleLockTime(0)  # It is stale when its process has ended, and not before.
    return lock


def _put_aside(path: Path, name: str) -> None:
    """Rename a file that cannot be read, so that it is not overwritten."""
    with contextlib.suppress(OSError):
        path.replace(path.with_name(name))


class Remembered(QObject):
    """Writes what is set up at most two seconds after a change, on a thread of its own, as disks can be slow.

    Signals: failed(ExplorerError) when it can no longer be written, which is tried again every two seconds; kept() when it
    can be written again. What was written before stays on the disk meanwhile.
    """

    failed, kept = Signal(object), Signal()
    _tried = Signal(object)

    def __init__(self, after_ms: int = _AFTER_MS) -> None:
        """`after_ms` is how long a change waits until it is written."""
        super().__init__()
        self._saved: Saved | None = None
        self._on_disk: Saved | None = None
        self._writing: threading.Thread | None = None
        self._is_closed = self._fails = False
        self._failure: ExplorerError | None = None  # why the last writing failed
        self._tried.connect(self._hear)
        self._own = open_folder() / f"{os.getpid()}-{time.time_ns():x}{SUFFIX}"
        self._lock = _lock_of(self._own)
        self._soon = QTimer(self, interval=after_ms, singleShot=True)
        self._soon.timeout.connect(self._write_beside)

    def keep(self, saved: Saved) -> None:
        """Write this soon. What changes meanwhile is written with it, so that a long gesture puts nothing off."""
        self._saved = saved
        if not self._soon.isActive() and not self._is_closed:
            self._soon.start()

    def keep_now(self, saved: Saved) -> None:
        """Write this at once."""
        self._saved = saved
        self._write_beside()

    def close(self) -> ExplorerError | None:
        """Write what is not written yet for the next start, and wait until it is; returns the error if it cannot be."""
        self._is_closed = True
        self._soon.stop()
        if self._writing is not None:
            self._writing.join()
        self._write()
        with contextlib.suppress(OSError):
            self._own.unlink(missing_ok=True)
        self._lock.unlock()
        return self._failure

    def _write_beside(self) -> None:
        if self._writing is not None and self._writing.is_alive():
            self._soon.start()
            return
        self._writing = threading.Thread(target=self._write, name="remember", daemon=True)
        self._writing.start()

    def _write(self) -> None:
        saved = self._saved
        if saved is None or saved == self._on_disk:
            return
        try:
            open_folder().mkdir(parents=True, exist_ok=True)
            if self._lock.isLocked() or self._lock.tryLock(0):
                saved.keep(self._own)
            saved.keep(remembered_path())
        except (ExplorerError, OSError) as error:
            self._failure = error if isinstance(error, ExplorerError) else cannot_write(open_folder(), error)
        else:
            self._on_disk, self._failure = saved, None
        self._tried.emit(self._failure)

    def _hear(self, error: ExplorerError | None) -> None:
        """Take what came of the writing, on the window's thread."""
        if self._is_closed:
            return
        if error is not None:
            self._soon.start()  # Nothing else may change, and there may be room again.
        if self._fails != (error is not None):
            self._fails = not self._fails
            if error is None:
                self.kept.emit()
            else:
                self.failed.emit(error)
