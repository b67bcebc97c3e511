"""How the export dialog names and writes files: on a thread of its own, so that the window goes on, and what comes before."""

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from explorer.app.endings import WRITING_THREAD
from explorer.engine.errand import Brought, PrepareScript
from explorer.export.formats import FILMS, Format, all_names, named
from explorer.export.job import Export
from explorer.trace.script_parts import ScriptParts


class _Teller(QObject):
    """Sends what happens on the writing thread. It outlives a dialog that is closed before the thread has ended."""

    step = Signal(int, int)
    ended = Signal(object)

    def write(self, job: Export, cancelled: threading.Event, cancelled_text: str) -> None:
        """Write the files on the thread, until all are written or the user cancels."""
        outcome: object = None
        try:
            for done, total in job.run():
                self.step.emit(done, total)
                if cancelled.is_set() and done < total:
                    outcome = cancelled_text
                    break
        except Exception as error:  # The GUI thread tells a user's error from a bug.
            outcome = error
        self.ended.emit(outcome)
        self.deleteLater()


class ExportWriting(QObject):
    """One export at a time: the weights beside a script by the compute thread, then the files on a thread of their own.

    Signals: sent(errand) for the compute thread, whose result goes to `bring`; stepped(done, total) after each file;
    finished(outcome) at the end: None, the text of a cancelled one, or an error.
    """

    sent, stepped, finished = Signal(object), Signal(int, int), Signal(object)

    def __init__(self, cancelled_text: str, parent: QObject) -> None:
        super().__init__(parent)
        self._cancelled_text = cancelled_text
        # Both are set only while the compute thread is waited for: the job is a method of the dialog, and would keep it.
        self._job: Callable[[ScriptParts | None], Export] | None = None
        self._errand = PrepareScript()
        self._cancelled = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether one is under way."""
        return self._errand.n_pieces > 0 or (self._thread is not None and self._thread.is_alive())

    def begin(self, job: Callable[[ScriptParts | None], Export], errand: PrepareScript | None) -> None:
        """Begin one. `errand` comes first where it is a script; `job` makes the Export of what was found."""
        self._cancelled.clear()
        if errand is None:
            self._write(job(None))
        else:
            self._job, self._errand = job, errand
            self.sent.emit(errand)

    def bring(self, brought: Brought) -> None:
        """Go on with a script for which the compute thread has written the weights."""
        job = self._job
        if brought.errand is not self._errand or job is None:
            return
        self._job, self._errand = None, PrepareScript()
        if isinstance(brought.found, ScriptParts):
            self._write(job(brought.found))
        else:
            self.finished.emit(brought.found)

    def stop(self) -> None:
        """End the writing after its present file, and what the compute thread is waited for."""
        self._cancelled.set()
        if self._errand.n_pieces:
            self._job, self._errand = None, PrepareScript()
            self.sent.emit(self._errand)
            self.finished.emit(self._cancelled_text)

    def _write(self, job: Export) -> None:
        teller = _Teller(QApplication.instance())  # The application owns it, since the dialog may be closed first.
        teller.step.connect(self.stepped)
        teller.ended.connect(self._ended)
        arguments = job, self._cancelled, self._cancelled_text
        self._thread = threading.Thread(target=teller.write, name=WRITING_THREAD, daemon=True, args=arguments)
        self._thread.start()

    def _ended(self, outcome: object) -> None:
        if self._thread is not None:
            self._thread.join()
        self.finished.emit(outcome)


def filter_of(format_: Format) -> str:
    """The file dialog's filter of a format: "PNG (*.png)"."""
    return f"{format_.name.upper()} (*.{format_.name})"


def own_stem(path: str, suggested: str) -> str:
    """The name of a typed file without its format; "" where it is the suggested one."""
    name, format_ = Path(path).name, named(path)
    known = (*all_names(), *(each.name for each in FILMS))
    stem = name[: -len(format_) - 1] if format_ in known else name
    return "" if stem == suggested else stem


def is_file(path: Path) -> bool:
    """Whether a file exists. An impossible name counts as no; writing will report it."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
