"""The thread on which an export is written, and what it tells the window."""

import threading

from PySide6.QtCore import QObject, Signal

from explorer.export.job import Export


class Teller(QObject):
    """Sends what happens on the writing thread. It outlives a dialog that is closed before the thread has ended.

    Signals: step(files written, files in all); ended(what came of it): None, a sentence, or an error.
    """

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
