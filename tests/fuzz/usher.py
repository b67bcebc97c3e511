"""Closes what opens in front of the window, so that no dialog is waited for, and uses menus and the export dialog."""

from functools import partial
from random import Random

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMenu, QPushButton, QWidget
from shiboken6 import isValid

from tests.fuzz.trial import Trial

_EVERY_MS = 120
_NAMES = ("a", "a.png", "b.svg", "none/c.pdf", "x" * 300, "d.csv", "e\0.png", "", "~none/x.png")


class Usher:
    """At work until `stop`."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._chance = Random(trial.chance.random())  # its own: when it is asked is a matter of time
        self._timer = QTimer()
        self._timer.timeout.connect(self._see_to)
        self._timer.start(_EVERY_MS)

    def stop(self) -> None:
        """Let the next one stay."""
        self._timer.stop()

    def _see_to(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            # What is chosen may wait in a loop of its own, in which this timer must be free to see to what opens.
            QTimer.singleShot(0, partial(self._choose, popup))
            return
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QFileDialog):
            dialog.reject()
        elif isinstance(dialog, QDialog):
            if hasattr(dialog, "begin"):
                self._export(dialog)
            else:
                dialog.reject()

    def _choose(self, popup: QWidget) -> None:
        """One of a menu, or nothing of it."""
        if not isValid(popup):
            return
        offered = [each for each in popup.actions() if each.isEnabled() and not each.isSeparator()]
        if isinstance(popup, QMenu) and offered and self._chance.random() < 0.6:
            popup.setActiveAction(self._chance.choice(offered))
            QTest.keyClick(popup, Qt.Key.Key_Return)
        else:
            popup.close()

    def _export(self, dialog: QDialog) -> None:
        """Press the button once or not at all, with a path inside the case's folder; later it is left."""
        path, begin = dialog.path, dialog.begin  # type: ignore[attr-defined]  # an ExportDialog
        assert isinstance(path, QLineEdit) and isinstance(begin, QPushButton)
        if dialog.property("used") or self._chance.random() < 0.2:
            dialog.reject()
            return
        dialog.setProperty("used", True)
        for box in (dialog.what, dialog.format, dialog.theme):  # type: ignore[attr-defined]
            box.setCurrentIndex(self._chance.randrange(max(1, box.count())))
        dialog.dpi.setValue(self._chance.choice((24, 72)))  # type: ignore[attr-defined]
        name = self._chance.choice(_NAMES)
        path.setText(str(self._trial.folder / name) if name and not name.startswith("~") else name)
        begin.click()
