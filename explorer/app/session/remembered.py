"""The last State, written to disk so that it comes back whole at the next start, also after the program was killed."""

import contextlib
import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from explorer.errors import ExplorerError
from explorer.resources import config_folder
from explorer.state.state import State
from explorer.state.state_file import SUFFIX, load_state, save_state

_AFTER_MS = 2000  # ms after the last change


def remembered_path() -> Path:
    """The file of the last State, beside the preferences."""
    return config_folder() / f"last{SUFFIX}"


def last_state() -> tuple[State | None, ExplorerError | None]:
    """The last State, or the error why it cannot be read; both None at the first start."""
    path = remembered_path()
    try:
        return (load_state(path)[0], None) if path.exists() else (None, None)
    except ExplorerError as error:
        with contextlib.suppress(OSError):  # Rename the file, so that it is not overwritten.
            path.replace(path.with_name(f"unreadable{SUFFIX}"))
        return None, error


class Remembered(QObject):
    """Writes the State two seconds after its last change, on a thread of its own, as disks can be slow."""

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
        """Write the State if it is not written yet, and wait until it is."""
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
        except (ExplorerError, OSError):  # In a folder that cannot be written, only the last State is lost.
            return
        self._kept = state
