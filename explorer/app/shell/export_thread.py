"""The thread on which the export dialog's files are written, so that the window goes on."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from explorer.export.job import Export

THREAD = "export"


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


def write_on_thread(
    job: Export,
    cancelled: threading.Event,
    cancelled_text: str,
    step: Callable[[int, int], None],
    ended: Callable[[object], None],
) -> threading.Thread:
    """Begin to write; `step` and `ended`, methods of a QObject, are called on its thread. `ended` is given None, or an error.

    An export that `cancelled` ends between two files gives `cancelled_text`.
    """
    teller = _Teller(QApplication.instance())  # The application owns it, since the dialog may be closed first.
    teller.step.connect(step)
    teller.ended.connect(ended)
    thread = threading.Thread(target=teller.write, name=THREAD, daemon=True, args=(job, cancelled, cancelled_text))
    thread.start()
    return thread
