"""Two programs at once, each in a process of its own, share one folder of preferences; neither undoes what the other did.

To load torch takes a process four seconds, so one of the two is the process of the tests, and the other is the same for all.
"""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import open_folder, remembered_path
from explorer.app.shell.window import Window
from explorer.state.saved import read_saved
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

PROGRAM = """
import os
import sys
from PySide6.QtCore import QCoreApplication, QEvent
from tests.turning import turn
from PySide6.QtWidgets import QApplication
from explorer.app.shell.window import Window
from explorer.cli.main import main
from explorer.state.intents import SetKnob

def act():
    window, = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window) and each.isVisible()]
    while not window.session.is_answered():
        turn()
    print("open", flush=True)
    for line in sys.stdin:
        match line.split():
            case ["knob"]:
                window.session.ask(SetKnob("temperature", 2.0))
            case ["recent", path]:
                window.sessions.recents.add(path)
            case ["close"]:
                window.close()
                window.deleteLater()
                return 0
        turn()
        print("did", flush=True)

QApplication.exec = staticmethod(act)
for line in sys.stdin:
    _start, os.environ["XDG_CONFIG_HOME"], os.environ["XDG_STATE_HOME"] = line.split()
    status = main(["gui", "--preset", "tiny"])
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # The window goes, and its theme with it.
    QApplication.instance().setStyleSheet("")
    print("ended", status, flush=True)
"""


class Other:
    """A process in which the program is started, does one thing after another, and is closed."""

    def __init__(self) -> None:
        line = [sys.executable, "-c", PROGRAM]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def starts(self) -> None:
        """In the folders of the test."""
        self._tell(f"start {os.environ['XDG_CONFIG_HOME']} {os.environ['XDG_STATE_HOME']}")
        self._heard("open")

    def does(self, what: str) -> None:
        self._tell(what)
        self._heard("did")

    def closes(self) -> None:
        self._tell("close")
        self._heard("ended 0")

    def ends(self) -> None:
        """The process, when it is told nothing more."""
        try:
            self.process.communicate(timeout=20)  # It closes the pipes.
        finally:
            self.process.kill()
        assert self.process.returncode == 0

    def _tell(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()

    def _heard(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word


@pytest.fixture(scope="module")
def process() -> Iterator[Other]:
    """The same one for all tests."""
    started = Other()
    yield started
    started.ends()


@pytest.fixture
def other(process: Other) -> Other:
    """A second program with the small preset."""
    process.starts()
    return process


@pytest.mark.parametrize("theme_first", sweep([True, False], telling=[True]))
def test_two_programs_lose_nothing_in_whichever_order_they_are_closed(
    journey: Journey, other: Other, theme_first: bool
) -> None:
    """The theme of one, the knob of the other, and the files that each has opened."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.themes["dark"].trigger()
        window.sessions.recents.add("/a/one.explorer.toml")
        other.does("recent /a/two.explorer.toml")
        other.does("knob")
        if not theme_first:
            other.closes()

    journey.run(script)
    if theme_first:
        other.closes()
    preferences = Preferences()
    assert preferences.text("theme") == "dark"
    assert set(preferences.text("sessions").split("\n")) == {"/a/one.explorer.toml", "/a/two.explorer.toml"}
    if theme_first:
        assert read_saved(remembered_path()).state.wish.config.temperature == 2.0
    assert not list(open_folder().glob("*.toml"))
