"""Qt asked in a process of its own, and what its answers mean."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from explorer.install import qt_probe
from explorer.install.qt_probe import Probed
from explorer.picture.theme import FAMILY

ANSWERS = {"qt": "6.9.3", "platform": "xcb", "font": FAMILY, "families": 3, "screens": ["1440 × 900"]}


def test_a_qt_that_starts_is_well() -> None:
    """Platform and screen are said; a screen that is missing is worth a note, since commands work without."""
    found = qt_probe.screen(Probed(ANSWERS, 0, ""))
    assert (found.standing, found.values["screens"]) == ("well", "1440 × 900")
    assert qt_probe.screen(Probed(ANSWERS | {"no_screen": True}, 0, "")).standing == "note"


@pytest.mark.parametrize("found", [Probed({"qt": "6.9.3"}, -6, "no plugin"), Probed({}, 1, "libEGL"), Probed(ANSWERS, -11, "")])
def test_a_qt_that_ends_the_process_is_a_fault(found: Probed) -> None:
    """With what was answered before, and what was last written."""
    told = qt_probe.screen(found)
    assert (told.standing, told.values["status"], told.values["reason"]) == ("fault", found.status, found.reason)


def test_another_font_than_the_bundled_is_a_fault() -> None:
    """Nothing is said where Qt did not start."""
    told = qt_probe.fonts(Probed(ANSWERS, 0, ""))
    assert told is not None and told.standing == "well"
    told = qt_probe.fonts(Probed(ANSWERS | {"font": "Other"}, 0, ""))
    assert told is not None and told.standing == "fault"
    assert qt_probe.fonts(Probed({"qt": "6.9.3"}, 0, "")) is None


def test_a_window_without_a_picture_is_a_fault() -> None:
    """With one, the seconds are said."""
    assert qt_probe.picture(Probed({"picture_ms": 2345}, 0, "")).values["seconds"] == "2.3"
    assert qt_probe.picture(Probed({"no_picture": True}, 0, "")).standing == "fault"


def _ran(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """The probe's process runs this code instead."""
    monkeypatch.setattr(qt_probe, "own_command", lambda: [sys.executable, "-c", code])


def test_what_was_answered_before_the_end_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is aborted in the middle, as Qt does it."""
    said = """print('{"qt": "6"}', flush=True); print('first\\n\\nlast', file=sys.stderr, flush=True)"""
    _ran(monkeypatch, f"import os, sys; {said}; os.abort()")
    found = qt_probe.probed()
    assert (found.answers, found.reason) == ({"qt": "6"}, "last") and found.status != 0


_FOLDERS = """
import json, os, sys
# platformdirs decides by the system which folders are the user's.
sys.platform = {system!r}
import platformdirs
from explorer import resources
own = [resources.config_folder(), resources.cache_folder(), resources.log_folder()]
print(json.dumps({{"own": list(map(str, own)), "usual": platformdirs.user_config_dir(), "A": os.environ["A"]}}))
"""


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_the_probe_has_folders_of_its_own(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's preferences are neither read nor written, and what it wrote is gone afterwards; also where the system knows
    no XDG variables.
    """
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    _ran(monkeypatch, _FOLDERS.format(system=system))
    found = qt_probe.probed(A="b").answers
    assert found["A"] == "b" and ("Library" in found["usual"]) is (system == "darwin")
    for folder in found["own"]:
        assert Path(tempfile.gettempdir()) in Path(folder).parents and found["usual"] not in folder
        assert not os.path.exists(folder)  # noqa: PTH110


def test_a_probe_that_never_ends_or_never_starts_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stopped after its time; a program that is not there is said as the system says it."""

    def late(*_command: object, **_given: object) -> None:
        raise subprocess.TimeoutExpired("probe", 1)

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", late)
        assert qt_probe.screen(qt_probe.probed()).standing == "fault"
    monkeypatch.setattr(qt_probe, "own_command", lambda: ["/no/such/program"])
    assert qt_probe.picture(qt_probe.probed()).standing == "fault"


def test_a_bundle_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no Python beside it."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert qt_probe.own_command() == [sys.executable]


@pytest.mark.slow  # a process with Qt, torch and a window
def test_the_real_probe_opens_the_window_and_sees_a_picture() -> None:
    """Offscreen, with every answer; json keeps them as they are."""
    found = qt_probe.probed("--picture", QT_QPA_PLATFORM="offscreen")
    assert found.status == 0, found.reason
    assert found.answers["platform"] == "offscreen" and found.answers["font"] == FAMILY
    assert found.answers["picture_ms"] > 0 and json.dumps(found.answers)
