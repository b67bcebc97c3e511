"""GNOME's setting of motion, as a `gsettings` of the test's own tells it."""

import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.session.preferences import Preferences
from explorer.app.shell.appearance import Appearance
from explorer.app.shell.gnome_motion import GnomeMotion, is_of_gnome
from explorer.views.painting.motion import STILL, may_move
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a program of the test's own is a script of the shell")


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A desktop of GNOME's whose `gsettings` prints the file `answer`."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program, answer = tmp_path / "gsettings", tmp_path / "answer"
    program.write_text(f'#!/bin/sh\n[ "$*" = "get org.gnome.desktop.interface enable-animations" ] && cat "{answer}"\n')
    program.chmod(0o755)
    return answer


def test_gnomes_setting_stops_motion_and_a_persons_choice_goes_before_it(says: Path, qtbot: QtBot, qapp: QApplication) -> None:
    """It is asked again when somebody goes back to what the system says."""
    kept = qapp.property(STILL)
    says.write_text("false\n")
    appearance = Appearance(Preferences(), "en")
    try:
        assert qapp.property(STILL) is None
        appearance.ask_desktop()
        until(qtbot, lambda: not may_move())
        appearance.choose_motion("full")
        assert may_move()
        says.write_text("true\n")
        appearance.choose_motion("system")
        until(qtbot, may_move)
        assert qapp.property(STILL) is None
    finally:
        appearance.close()
        qapp.setProperty(STILL, kept)


@pytest.mark.parametrize(("answer", "heard"), [("true\n", [False]), ("false\n", [True]), ("No such key\n", []), ("", [])])
def test_only_a_plain_answer_is_heard(says: Path, qtbot: QtBot, answer: str, heard: list[bool]) -> None:
    """A desktop without this key complains, which says nothing about motion."""
    says.write_text(answer)
    asked, told = GnomeMotion(), []
    asked.told.connect(told.append)
    asked.ask()
    assert asked._process is not None
    until(qtbot, lambda: asked._process is None)
    assert told == heard


def test_a_program_that_never_answers_ends_with_the_window(says: Path, qtbot: QtBot) -> None:
    """Asking returns at once; a second question does not start a second process."""
    program = says.with_name("gsettings")
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    asked = GnomeMotion()
    asked.ask()
    process = asked._process
    assert process is not None and process.waitForStarted()
    asked.ask()
    assert asked._process is process
    asked.close()
    assert asked._process is None and process.state() == process.ProcessState.NotRunning
    asked.close()  # There is nothing more to end.


def test_a_program_that_cannot_be_started_says_nothing(says: Path, qtbot: QtBot) -> None:
    """A script whose interpreter is missing is no answer, and can be asked for again."""
    says.with_name("gsettings").write_text("#!/there/is/none\n")
    asked = GnomeMotion()
    asked.ask()
    until(qtbot, lambda: asked._process is None)
    asked.close()


@pytest.mark.parametrize(
    ("platform", "desktop", "of_gnome"),
    [
        ("linux", "GNOME", True),
        ("linux", "KDE", False),
        ("linux", "", False),
        ("win32", "GNOME", False),
        ("darwin", "GNOME", False),
    ],
)
def test_other_desktops_are_not_asked(
    says: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, platform: str, desktop: str, of_gnome: bool
) -> None:
    """KDE keeps a file of its own, and other systems are asked in other ways."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", desktop)
    assert is_of_gnome() is of_gnome
    asked = GnomeMotion()
    if not of_gnome:
        asked.ask()
        assert asked._process is None


def test_a_desktop_without_the_program_is_not_asked(says: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """GNOME's settings may be there and their program not, as in a sandbox."""
    monkeypatch.setenv("PATH", str(says.parent / "nothing"))
    asked = GnomeMotion()
    asked.ask()
    assert asked._process is None
