"""All diagnoses in a row, and what stands in the way of what."""

import json
import sys

import pytest

from explorer.install import doctor, libraries, machine, qt_libraries, qt_probe, self_check
from explorer.install.diagnosis import Diagnosis
from explorer.install.qt_probe import Probed
from explorer.lang import LANGUAGES, Words
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
        qt_probe.fonts(Probed(ANSWERS | {"font": "Other"}, 0, "")) or machine.memory(),
        qt_probe.picture(broken),
        Diagnosis("torch", "fault", "broken", {"reason": "?"}, "broken_advice"),
        Diagnosis("numbers", "fault", "numbers.off", {"off": "1", "limit": "0", "taps": 1}, "numbers.advice"),
        Diagnosis("graphics", "note", "graphics.unused", advice="graphics.advice"),
        Diagnosis("memory", "note", "memory.little", machine.memory().values, "memory.advice"),
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
