"""What each system's own file says about motion, and files that say nothing."""

import plistlib
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.appearance import Appearance
from explorer.app.motion import GnomeMotion, is_of_gnome, system_is_still
from explorer.app.session.preferences import Preferences
from explorer.views.painting.motion import STILL, may_move
from tests.waiting import until


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "content", "still"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("kdeglobals", "[General]\nAnimationDurationFactor=0\n", False),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=true\n", False),
        ("kdeglobals", "no section\n", False),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=\udcff\n", False),
    ],
)
def test_a_desktop_that_has_switched_its_animations_off_is_still(home: Path, file: str, content: str, still: bool) -> None:
    """KDE by its factor, others by GTK's switch; what cannot be read says nothing."""
    (home / file).parent.mkdir(exist_ok=True)
    (home / file).write_bytes(content.encode("utf-8", "surrogateescape"))

    assert system_is_still() is still


def test_without_any_file_nothing_is_said(home: Path) -> None:
    """Neither here nor on Windows, where Qt is asked instead."""
    assert not system_is_still()


@pytest.mark.parametrize(("value", "still"), [({"reduceMotion": True}, True), ({"reduceMotion": False}, False), ({}, False)])
def test_macos_keeps_it_in_a_list_of_properties(
    home: Path, value: dict[str, bool], still: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is missing, or is none of this kind, says nothing."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not system_is_still()
    file = home / "Library/Preferences/com.apple.universalaccess.plist"
    file.parent.mkdir(parents=True)
    file.write_bytes(plistlib.dumps(value))
    assert system_is_still() is still
    file.write_bytes(b"damaged")
    assert not system_is_still()


def test_windows_is_asked_by_qt(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read there."""
    (home / "kdeglobals").write_text("[KDE]\nAnimationDurationFactor=0\n")
    monkeypatch.setattr(sys, "platform", "win32")
    assert not system_is_still()


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
    assert asked.waits
    until(qtbot, lambda: not asked.waits)
    assert told == heard


def test_a_program_that_never_answers_ends_with_the_window(says: Path, qtbot: QtBot) -> None:
    """Asking returns at once; a second question does not start a second process."""
    program = says.with_name("gsettings")
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    asked = GnomeMotion()
    asked.ask()
    (process,) = asked.findChildren(QProcess)
    assert process.waitForStarted()
    asked.ask()
    assert asked.findChildren(QProcess) == [process]
    asked.close()
    assert not asked.waits and process.state() == process.ProcessState.NotRunning
    asked.close()  # There is nothing more to end.


def test_a_program_that_cannot_be_started_says_nothing(says: Path, qtbot: QtBot) -> None:
    """A script whose interpreter is missing is no answer, and can be asked for again."""
    says.with_name("gsettings").write_text("#!/there/is/none\n")
    asked = GnomeMotion()
    asked.ask()
    until(qtbot, lambda: not asked.waits)
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
        assert not asked.waits


def test_a_desktop_without_the_program_is_not_asked(says: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """GNOME's settings may be there and their program not, as in a sandbox."""
    monkeypatch.setenv("PATH", str(says.parent / "nothing"))
    asked = GnomeMotion()
    asked.ask()
    assert not asked.waits
