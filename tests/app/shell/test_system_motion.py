"""What each system's own file says about motion, and files that say nothing."""

import plistlib
import sys
from pathlib import Path

import pytest

from explorer.app.shell.system_motion import system_is_still


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
