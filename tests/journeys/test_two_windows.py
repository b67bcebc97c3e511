"""Two programs at once, each a process of its own, share one folder of preferences; neither undoes what the other did."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import open_folder, remembered_path
from explorer.state.saved import read_saved

PROGRAM = """
import sys
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from explorer.app.shell.window import Window
from explorer.cli.main import main
from explorer.state.intents import SetKnob

def act():
    window, = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]
    while not window.session.is_answered():
        QTest.qWait(10)  # PySide 6.12 loses a reference to None at each call of processEvents.
    print("open", flush=True)
    for line in sys.stdin:
        match line.split():
            case ["theme"]:
                window.actions_.themes["dark"].trigger()
            case ["knob"]:
                window.session.ask(SetKnob("temperature", 2.0))
            case ["recent", path]:
                window.sessions.recents.add(path)
            case ["close"]:
                window.close()
                return 0
        QTest.qWait(10)
        print("did", flush=True)

QApplication.exec = staticmethod(act)
sys.exit(main(["gui", "--preset", "tiny"]))
"""


class Other:
    """A running program that does one thing after another."""

    def __init__(self) -> None:
        line = [sys.executable, "-c", PROGRAM]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._heard("open")

    def does(self, what: str) -> None:
        self._tell(what)
        self._heard("did")

    def closes(self) -> None:
        self.process.communicate("close\n", timeout=120)  # It closes the pipes, too.
        assert self.process.returncode == 0

    def ends(self) -> None:
        """Whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def _tell(self, what: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()

    def _heard(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word


@pytest.fixture
def two() -> Iterator[tuple[Other, Other]]:
    """Two programs with the small preset."""
    programs = Other(), Other()
    yield programs
    for each in programs:
        each.ends()


@pytest.mark.parametrize("theme_first", [True, False])
def test_two_programs_lose_nothing_in_whichever_order_they_are_closed(two: tuple[Other, Other], theme_first: bool) -> None:
    """The theme of one, the knob of the other, and the files that each has opened."""
    themed, turned = two
    themed.does("theme")
    themed.does("recent /a/one.explorer.toml")
    turned.does("recent /a/two.explorer.toml")
    turned.does("knob")
    first, last = (themed, turned) if theme_first else (turned, themed)
    first.closes()
    last.closes()
    preferences = Preferences()
    assert preferences.text("theme") == "dark"
    assert set(preferences.text("sessions").split("\n")) == {"/a/one.explorer.toml", "/a/two.explorer.toml"}
    if theme_first:
        assert read_saved(remembered_path()).state.wish.config.temperature == 2.0
    assert not list(open_folder().glob("*.toml"))
