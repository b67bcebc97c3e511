"""The commands doctor, install-desktop and probe: what they say, and their status."""

import json
import sys
import unicodedata
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from explorer.cli import main as cli
from explorer.install import desktop, doctor
from explorer.install.diagnosis import Diagnosis
from tests.picture.examples import example

WELL = Diagnosis("memory", "well", "memory.well", {"free": "1", "all": "2", "least": "1"})
WRONG = Diagnosis("qt", "fault", "qt.missing", {"libraries": "libEGL.so.1", "packages": "libegl1", "others": ""}, "qt.advice")


@pytest.mark.parametrize("found, status", [((WELL,), 0), ((WELL, WRONG), 1)])
def test_the_status_says_whether_something_is_wrong(
    found: tuple[Diagnosis, ...], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both as text and as JSON; the package that is missing is in the advice."""
    monkeypatch.setattr(doctor, "diagnoses", lambda: iter(found))
    assert cli.main(["doctor", "--language", "en"]) == status
    out = capsys.readouterr().out
    assert ("apt-get install -y libegl1" in out) is bool(status)
    assert cli.main(["doctor", "--json", "--language", "en"]) == status
    told = json.loads(capsys.readouterr().out)
    assert (told["faults"], len(told["diagnoses"])) == (status, len(found))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_sentences_stand_below_each_other(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal, where a Chinese character takes two columns."""
    monkeypatch.setattr(doctor, "diagnoses", lambda: iter((WELL, WRONG)))
    cli.main(["doctor", "--language", language])
    first, second, arrow = capsys.readouterr().out.splitlines()[:3]
    starts = {
        _columns(first[: first.index("1" if language == "en" else "共")]),
        _columns(second[: second.index("The system" if language == "en" else "系统")]),
        _columns(arrow[: arrow.index("→")]),
    }
    assert len(starts) == 1


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def test_the_desktop_entry_is_placed_and_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What was written is named."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(desktop, "data_folder", lambda: tmp_path)
    for flags, said in (([], "menu"), (["--remove"], "Removed"), (["--remove"], "nothing")):
        assert cli.main(["install-desktop", *flags, "--language", "en"]) == 0
        out = capsys.readouterr().out
        assert said in out and ("transformer-explorer.desktop" in out) is (said != "nothing")


def test_other_systems_have_no_such_desktop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and nothing written."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cli.main(["install-desktop", "--language", "en"]) == 2
    assert "Linux and Windows" in capsys.readouterr().err


def test_the_probe_answers_in_lines_of_json(qapp: QApplication, capsys: pytest.CaptureFixture[str]) -> None:
    """And help does not name it, as it is not for people."""
    assert cli.main(["probe"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["qt"] and lines[-1]["platform"] == "offscreen"
    assert cli.main(["--help", "--language", "en"]) == 0
    out = capsys.readouterr().out
    assert "doctor" in out and "probe" not in out


def test_a_file_alone_is_opened_in_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is how a desktop hands it over. A command's own arguments stay as they are."""
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("explorer.app.main.open_window", lambda **given: opened.append(given) or 0)
    monkeypatch.chdir(tmp_path)
    for file, flag in (("a b.explorer.toml", "session"), ("a.explorer", "session"), ("a.npz", "trace")):
        (tmp_path / file).touch()
        assert cli.main([file]) == cli.main(["gui", file]) == 0
        assert [given[flag] for given in opened] == [file, file]
        opened.clear()
    with monkeypatch.context() as asked:
        texts: list[str] = []
        asked.setattr(cli, "explored", lambda text, _given: texts.append(text) or example())
        assert cli.main(["show", "a.npz"]) == 0
    assert texts == ["a.npz"] and opened == []
