"""What the check of a folder refuses, told at once: it needs no torch, which may still be loading, and waits for no pass."""

import contextlib
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from explorer.errors import ExplorerError, bare


class FolderCheck(QObject):
    """Signals: refused(path, ExplorerError) for a folder whose model cannot be opened. A folder that passes is not told."""

    refused = Signal(str, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._asked = ""

    def ask(self, path: str) -> None:
        """Check a folder on a thread of its own, as disks can be slow; "" for none. The one asked for last is left out."""
        if path != self._asked and path:
            threading.Thread(target=self._check, args=(path,), name="folder check", daemon=True).start()
        self._asked = path

    def _check(self, path: str) -> None:
        from explorer.foreign.folder import check_folder  # The window is on screen before this is needed.

        try:
            check_folder(Path(path))
        except ExplorerError as error:
            with contextlib.suppress(RuntimeError):  # The window has been closed meanwhile.
                self.refused.emit(path, bare(error))
