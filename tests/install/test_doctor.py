"""All diagnoses in a row, and what stands in the way of what."""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from explorer.install import doctor, libraries, qt_libraries, qt_probe, self_check
from explorer.install.diagnosis import Diagnosis
from explorer.install.qt_probe import Probed
from explorer.lang import LANGUAGES, Words
from explorer.version import __version__
from tests.install.test_qt_probe import ANSWERS


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started."""
    monkeypatch.setattr(qt_probe, "probed", lambda *_flags, **_environment: Probed({**ANSWERS, "picture_ms": 900}, 0, ""))


def subjects() -> list[str]:
    return [each.subject for each in doctor.diagnoses()]


def test_here_everything_is_well() -> None:
    """Each subject once, none of them a fault, and Qt is not imported for it by this room."""
    found = list(doctor.diagnoses())
    assert len({each.subject for each in found}) == len(found) >= 11
    assert [each for each in found if each.standing == "fault"] == []


def test_without_qts_libraries_qt_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could only fail in another way."""
    monkeypatch.setattr(qt_libraries, "qt_libraries", lambda: qt_libraries.told_of(["libEGL.so.1"]))
    assert not {"screen", "fonts", "picture"} & set(subjects())
    assert "numbers" in subjects()


def test_without_torch_no_numbers_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """That it is missing has been said."""
    monkeypatch.setattr(libraries, "version_of", lambda name: "" if name == "torch" else "1")
    assert not {"numbers", "processors", "graphics"} & set(subjects())


@pytest.mark.parametrize("error", [ImportError("no"), OSError("libgomp"), RuntimeError("bad")])
def test_a_torch_that_cannot_be_loaded_is_a_fault(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, and the rest is looked at all the same."""

    def fail() -> Diagnosis:
        raise error

    monkeypatch.setattr(self_check, "numbers", fail)
    (found,) = [each for each in doctor.diagnoses() if each.subject == "numbers"]
    assert found.standing == "fault" and str(error) in str(found.values["reason"])
    assert "picture" in subjects()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_diagnosis_has_its_texts(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this machine, and those of one where nothing is right; as JSON too."""
    words = Words.load(language)
    broken = Probed({}, -6, "?")
    found = [
        *doctor.diagnoses(),
        qt_libraries.told_of(["libEGL.so.1"]),
        qt_libraries.told_of(["libnew.so.1"]),
        Diagnosis("qt", "fault", "qt.nowhere", {"python": sys.executable}, "qt.nowhere_advice"),
        qt_probe.screen(broken),
        qt_probe.screen(Probed({**ANSWERS, "no_screen": True}, 0, "")),
        qt_probe.fonts(Probed(ANSWERS | {"font": "Other"}, 0, "")) or doctor.memory(),
        qt_probe.picture(broken),
        Diagnosis("torch", "fault", "broken", {"reason": "?"}, "broken_advice"),
        Diagnosis("numbers", "fault", "numbers.off", {"off": "1", "limit": "0", "taps": 1}, "numbers.advice"),
        Diagnosis("graphics", "note", "graphics.unused", advice="graphics.advice"),
        Diagnosis("memory", "note", "memory.little", doctor.memory().values, "memory.advice"),
        Diagnosis("folders", "fault", "folders.refused", {"names": "/a"}, "folders.advice"),
        Diagnosis("libraries", "fault", "libraries.fault", libraries.libraries().values, "libraries.advice"),
        Diagnosis("models", "note", "models.lacking", {"python": "python"}, "models.advice"),
        Diagnosis("models", "note", "models.bundle", advice="models.bundle_advice"),
    ]
    for each in found:
        assert each.said(words) and words(f"doctor.subject.{each.subject}")
        assert (each.advised(words) != "") is (each.advice != "")
        assert each.standing == "well" or each.advice or each.text == "processors.fewer"
        assert json.loads(json.dumps(each.as_json(words)))["text"] == each.said(words)


def test_the_program_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version and Python; a bundle says that it is one."""
    found = doctor.program()
    assert found.values["version"] == __version__
    assert found.values["python"] == ".".join(map(str, sys.version_info[:3]))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert doctor.program().text == "program.bundle"


def test_little_memory_is_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a gigabyte; here there is more."""
    assert abs(float(str(doctor.memory().values["all"])) - psutil.virtual_memory().total / 2**30) < 0.1
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=5e8, total=8e9))
    found = doctor.memory()
    assert (found.standing, found.values["free"]) == ("note", "0.5")


def test_fewer_processors_than_there_are_is_worth_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    found = doctor.processors()
    assert (found.standing, found.values["there"], found.values["allowed"]) == ("note", 4, 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert doctor.processors().standing == "well"


def test_a_card_that_torch_cannot_use_is_worth_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The driver is there, and torch names the processor alone."""
    monkeypatch.setattr("explorer.engine.devices.devices", lambda: ("cpu",))
    monkeypatch.setattr(doctor, "_NVIDIA", tmp_path / "none")
    assert doctor.graphics().text == "graphics.none"
    monkeypatch.setattr(doctor, "_NVIDIA", tmp_path)
    assert doctor.graphics().standing == "note"
    monkeypatch.setattr("explorer.engine.devices.devices", lambda: ("cpu", "mps"))
    assert doctor.graphics().values["names"] == "CPU, MPS"


def test_folders_are_written_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that is not there, or is a file, is a fault; nothing stays where it can be written."""
    for name in ("config_folder", "cache_folder", "log_folder"):
        monkeypatch.setattr(doctor.resources, name, lambda: tmp_path)
    assert doctor.folders().standing == "well" and list(tmp_path.iterdir()) == []
    monkeypatch.setattr(doctor.resources, "log_folder", lambda: tmp_path / "gone")
    found = doctor.folders()
    assert (found.standing, found.values["names"]) == ("fault", str(tmp_path / "gone"))
