"""The file that the window's session is kept in: which one, whether it lacks changes, and reading and writing it.

Files are read and written one after another on a thread of their own, for disks may be slow and weights large.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
from PySide6.QtCore import QCoreApplication, QObject, Signal

from explorer.errors import ChangedElsewhere, ExplorerError
from explorer.state.preset_file import save_preset
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State
from explorer.state.state_file import title_of

_Stamp = tuple[int, int] | None  # when a file was written, in ns, and its bytes


@attrs.frozen
class _Read:
    path: Path
    saved: Saved
    stamp: _Stamp


@attrs.frozen
class _Written:
    path: Path
    state: State
    stamp: _Stamp


@attrs.frozen
class _PresetMade:
    path: Path


class SessionFile(QObject):
    """Signals: changed() when another file is open, or whether it lacks changes; opened(Saved) for a file that was read;
    written(path); preset_made(path); failed(error) for what a user can correct; broke(error) for a bug.

    `path` is None while the session is in no file. Nothing changes where a file cannot be read or written.
    """

    changed = Signal()
    opened = Signal(object)
    written = Signal(str)
    preset_made = Signal(str)
    failed = Signal(object)
    broke = Signal(object)
    _done = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self.is_changed = False
        self._state: State | None = None  # what is set up
        self._in_file: State | None = None  # what stands in the file; None where it is not known
        self._stamp: _Stamp = None
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "sessions")
        self._done.connect(self._hear)

    @property
    def name(self) -> str:
        """What to call the session; "" without a file."""
        return "" if self.path is None else title_of(self.path)

    @property
    def kept(self) -> str:
        """The file as what comes back at the next start names it."""
        return "" if self.path is None else str(self.path)

    def resume(self, saved: Saved) -> None:
        """Go on with what a former program was closed or killed with."""
        path = Path(saved.session) if saved.session else None
        self._take(path, None if saved.changed else saved.state, None if path is None else _stamp(path))

    def start_with(self, path: Path, state: State) -> None:
        """Begin with a file that was read before the window opened."""
        self._take(path.absolute(), state, _stamp(path))

    def follow(self, state: State) -> None:
        """Take the present State."""
        self._state = state
        self._compare()

    def fitted(self, state: State) -> None:
        """Take a State whose Look the program has fitted to an answer: this is no change by the user."""
        if not self.is_changed and self._in_file is not None and self._in_file.wish == state.wish:
            self._in_file = state
        self.follow(state)

    def open(self, path: Path) -> None:
        """Read a file; `opened` tells what is in it."""
        self._do(lambda: _read(path.absolute()))

    def save(self, path: Path | None = None) -> None:
        """Write what is set up, to another file if one is named."""
        target, state = path or self.path, self._state
        if target is not None and state is not None:
            stamp = self._stamp if target == self.path else None
            self._do(lambda: _write(target.absolute(), state, stamp))

    def save_preset(self, path: Path) -> None:
        """Make a preset of what is set up."""
        state = self._state
        if state is not None:
            self._do(lambda: _PresetMade(save_preset(state, path.absolute())))

    def close(self) -> None:
        """Wait until everything is written."""
        self._closed = True
        self._thread.shutdown()
        QCoreApplication.sendPostedEvents(self)  # What came of it is heard now, since no event loop runs afterwards.

    def _do(self, work: Callable[[], object]) -> None:
        if self._closed:  # What was dropped may be known only now.
            return
        self._thread.submit(self._tell, work)

    def _tell(self, work: Callable[[], object]) -> None:
        """Do the work and send what comes of it to the thread of the window."""
        try:
            result = work()
        except Exception as error:
            result = error
        self._done.emit(result)

    def _hear(self, result: object) -> None:
        match result:
            case _Read(path, saved, stamp):
                self.opened.emit(saved)
                self._take(path, self._state, stamp)
            case _Written(path, state, stamp):
                self._take(path, state, stamp)
                self.written.emit(str(path))
            case _PresetMade(path):
                self.preset_made.emit(str(path))
            case ExplorerError():
                self.failed.emit(result)
            case _:
                self.broke.emit(result)

    def _take(self, path: Path | None, state: State | None, stamp: _Stamp) -> None:
        self.path, self._in_file, self._stamp = path, state, stamp
        self._compare(told=True)

    def _compare(self, told: bool = False) -> None:
        is_changed = self.path is not None and self._in_file != self._state
        if is_changed != self.is_changed or told:
            self.is_changed = is_changed
            self.changed.emit()


def _stamp(path: Path) -> _Stamp:
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_mtime_ns, told.st_size


def _read(path: Path) -> _Read:
    stamp = _stamp(path)  # Taken before: what is written while it is read counts as changed elsewhere.
    return _Read(path, read_saved(path), stamp)


def _write(path: Path, state: State, stamp: _Stamp) -> _Written:
    now = _stamp(path)
    if stamp is not None and now is not None and now != stamp:
        raise ChangedElsewhere(path=str(path))
    state.save(path)
    return _Written(path, state, _stamp(path))
