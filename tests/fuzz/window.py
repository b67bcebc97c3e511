"""The real window, used at random: whatever reaches the program's faults is bad, and so is a window that does not answer.

What is computed meanwhile is a matter of time, so a case does not always meet the same fault again.
"""

import shutil
import time
from random import Random

from PySide6.QtCore import Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMenu, QPushButton, QWidget

from explorer.engine.memory import parameter_bytes
from explorer.resources import config_folder
from tests.fuzz import damage, lessons, traces, writing
from tests.fuzz.acts import ACTS, Act
from tests.fuzz.driving import Driving, Heart
from tests.fuzz.trial import Trial, last_place, where

_MOST_BYTES = 1.5e8  # of weights: a larger model takes as long as it takes, and is undone
_ACTS = 40
_USHER_MS = 120
_NAMES = ("a", "a.png", "b.svg", "none/c.pdf", "x" * 300, "d.csv", "e\0.png", "", "~none/x.png")
_SAID_BY_OFFSCREEN = "This plugin does not support"


def window(trial: Trial) -> None:
    """Open the program with the preferences of some earlier time, do some forty things, and close it."""
    chance = trial.chance
    _leave_files(trial)
    trial.warnings = []  # type: ignore[attr-defined]  # of this kind alone
    kept = qInstallMessageHandler(lambda _kind, _context, text: _warned(trial, text))
    try:
        preset = chance.choice((None, "tiny", "tiny", "translator", "tutorial-c"))
        with trial.asking():
            driving = Driving(chance.choice((None, writing.text(chance))), preset, chance.choice((None, "zh", "en")))
            _use(driving, trial)
    finally:
        qInstallMessageHandler(kept)
        QGuiApplication.clipboard().clear()


def _warned(trial: Trial, text: str) -> None:
    if _SAID_BY_OFFSCREEN not in text:
        trial.warnings.append(text)  # type: ignore[attr-defined]  # made above


def _use(driving: Driving, trial: Trial) -> None:
    driving.program.faults.happened.connect(trial.reported)
    driving.session.refused.connect(trial.hear)
    driving.program.window.tutor.refused.connect(trial.hear)
    heart = Heart(trial.limits)
    usher = _Usher(trial)
    acts, weights = zip(*ACTS, strict=True)
    try:
        with driving:
            driving.settle(trial.chance.choice((0.1, trial.limits.answer_s / 2)))
            trial.beat()
            for _ in range(trial.chance.randint(1, _ACTS)):
                act = trial.chance.choices(acts, weights)[0]
                _do(act, driving, trial)
                driving.pause(trial.chance.choice((0.0, 0.0, 0.02, 0.1)))
                _undo_large(driving)
                trial.beat()
                if not driving.window.isVisible():  # Ctrl+Q is a key as well
                    break
            _end(driving, trial)
    finally:
        usher.stop()
        heart.stop()
    for seconds, worked, story in heart.blocks:
        what = f"the window was blocked for: {seconds:.1f} s, {worked:.1f} s of it at work"
        trial.bad(what, last_place(story), story, timed=True)


def _do(act: Act, driving: Driving, trial: Trial) -> None:
    try:
        act(driving.window, trial.chance, trial.folder)
    except RuntimeError as error:  # an act's own widget may close while it is pressed
        if where(error.__traceback__):
            raise


def _undo_large(driving: Driving) -> None:
    if parameter_bytes(driving.session.request.config) > _MOST_BYTES:
        driving.session.stop()
        driving.session.set_preset("tiny")


def _end(driving: Driving, trial: Trial) -> None:
    """Whatever was asked for last is answered, refused or stopped."""
    start_s = time.monotonic()
    while driving.session.waiting:
        driving.pause(0.02)
        if time.monotonic() - start_s > trial.limits.answer_s:
            trial.bad(f"no answer in the window: {driving.session.request}", timed=True)
            return
    if driving.session.frame is not None:
        traces.check(driving.session.frame.trace, trial)
    driving.window.close()
    driving.pause(0.0)


class _Usher:
    """Closes whatever opens in front of the window, after a while, so that no dialog is waited for. Exports are begun."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._chance = Random(trial.chance.random())  # its own: when it is asked is a matter of time
        self._timer = QTimer()
        self._timer.timeout.connect(self._see_to)
        self._timer.start(_USHER_MS)

    def stop(self) -> None:
        """Let the next one stay."""
        self._timer.stop()

    def _see_to(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._choose(popup)
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


def _leave_files(trial: Trial) -> None:
    """No preferences, those of the last case, or damaged ones; and lessons of one's own."""
    folder = config_folder() / "lessons"
    shutil.rmtree(folder, ignore_errors=True)
    if trial.chance.random() < 0.3:
        folder.mkdir()
        (folder / "own.toml").write_bytes(lessons.content(trial.chance))
        if trial.chance.random() < 0.3:
            damage.put_odd(folder / "other.toml", trial.chance)
    path = config_folder() / "preferences.ini"
    way = trial.chance.randrange(4)
    if way == 0:
        path.unlink(missing_ok=True)
    elif way == 1 and path.is_file():
        path.write_bytes(damage.damaged(path.read_bytes(), trial.chance))
    elif way == 2:
        lines = (f"{key}={trial.chance.choice((writing.word(trial.chance), '@ByteArray(x)', '@Variant(', 'tiny', '1'))}"
                 for key in ("text", "target", "preset", "language", "theme", "geometry"))
        path.write_bytes("\n".join(("[General]", *lines)).encode("utf-8", "surrogatepass"))
