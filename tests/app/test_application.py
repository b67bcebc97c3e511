"""Files that the system asks for, as macOS does when a session is double-clicked: Qt's own event, in the real program."""

import subprocess
import sys
from pathlib import Path

import pytest

import explorer

ROOT = Path(__file__).parents[2]

# The program as `transformer-explorer gui` runs it; what macOS would do is done by a timer.
_PROGRAM = """
import sys
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QFileOpenEvent
from explorer.app import main as opened
from explorer.app.application import ExplorerApplication

first, second, when = sys.argv[1:]
made = opened.Program

class Watched(made):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.timer = QTimer(interval=20)
        self.timer.timeout.connect(self.look)
        self.timer.start()
        self.asked = [] if when == "early" else [first]
        self.seen = []

    def look(self):
        if self.asked and self._imported.is_set() and self.session.frame is not None:
            ask(self.asked.pop())
        text = self.session.state.wish.text
        if text not in self.seen:
            print(text, flush=True)
            self.seen.append(text)
            if len(self.seen) == 2 and not self.asked:
                ask(second)
            if len(self.seen) == 3:
                self.window.close()

def ask(path):
    QCoreApplication.postEvent(QCoreApplication.instance(), QFileOpenEvent(path))

make = opened.make_application

def making(size):
    application = make(size)
    assert isinstance(application, ExplorerApplication)
    if when == "early":
        ask(first)
        QCoreApplication.processEvents()  # Nobody opens files yet.
    return application

opened.make_application, opened.Program = making, Watched
sys.exit(opened.open_window("猫", "tiny", language="en"))
"""


@pytest.mark.slow  # the whole program, in a process of its own
@pytest.mark.parametrize("when", ["early", "later"])
def test_a_file_that_the_system_asks_for_is_opened(when: str, tmp_path: Path) -> None:
    """One that is asked for before there is a window, as at a start by double click, and others while the program runs."""
    paths = [tmp_path / f"{name}.explorer.toml" for name in ("a", "b")]
    for path, text in zip(paths, ("狗看猫", "我爱北京天安门"), strict=True):
        explorer.State.from_preset("tiny", text).save(path)
    command = [sys.executable, "-c", _PROGRAM, *map(str, paths), when]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["猫", "狗看猫", "我爱北京天安门"]
