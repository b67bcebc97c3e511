"""What was set up comes back at the next start, whole, also when the program was killed."""

import contextlib
import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from explorer.errors import ExplorerError
from explorer.resources import config_folder
from explorer.state.state import State
from explorer.state.state_file import SUFFIX, load_state, save_state

_AFTER_MS = 2000  # since the last change


def remembered_path() -> Path:
    """Where the last State is kept, beside the preferences."""
    return config_folder() / f"last{SUFFIX}"


def last_state() -> tuple[State | None, ExplorerError | None]:
    """What was set up last, or why it cannot be read; neither where nothing was."""
    path = remembered_path()
    try:
        return (load_state(path)[0], None) if path.exists() else (None, None)
    except ExplorerError as error:
        with contextlib.suppress(OSError):  # it is put aside, and not written over
            path.replace(path.with_name(f"unreadable{SUFFIX}"))
        return None, error


class Remembered(QObject):
    """`keep` a State: it is on the disk two seconds after the last change. The disk is waited for on a thread of its own."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state: State | None = None
        self._kept: State | None = None
        self._writing: threading.Thread | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_AFTER_MS)
        self._soon.timeout.connect(self._write_beside)

    def keep(self, state: State) -> None:
        """Write this State soon."""
        self._state = state
        self._soon.start()

    def close(self) -> None:
        """Write what is not written yet, and wait for it."""
        self._soon.stop()
        if self._writing is not None:
            self._writing.join()
        self._write()

    def _write_beside(self) -> None:
        if self._writing is not None and self._writing.is_alive():
            self._soon.start()
            return
        self._writing = threading.Thread(target=self._write, name="remember", daemon=True)
        self._writing.start()

    def _write(self) -> None:
        state = self._state
        if state is None or state is self._kept:
            return
        try:
            remembered_path().parent.mkdir(parents=True, exist_ok=True)
            save_state(state, remembered_path())
        except (ExplorerError, OSError):  # a folder that cannot be written costs what was set up, and nothing else
            return
        self._kept = state
