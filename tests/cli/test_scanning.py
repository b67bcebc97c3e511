"""The command scan, and the same from Python."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import explorer
from explorer.cli.main import main
from explorer.errors import ExtraMissing
from explorer.lang import LANGUAGES, Words
from explorer.scanning.progress_file import progress_path
from explorer.scanning.table_file import read_table
from explorer.state.held_out import held_out
from tests.waiting import until

pytestmark = pytest.mark.slow  # commands with a model


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "own.tsv"
    path.write_text("\n".join(f"{n}\t{text}" for n, text in enumerate((*held_out(6), ""))), encoding="utf-8")
    return path


def test_scan_writes_what_explorer_scan_gives(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table, and a summary of it in words."""
    out = tmp_path / "a.json"
    flags = ["--measure", "entropy,previous-token", "--measure", "probability", "--language", "en"]
    assert main(["scan", str(texts), "--out", str(out), *flags]) == 0
    told = capsys.readouterr().out
    assert "6 sentences" in told and "Entropy" in told
    assert "could not be measured: 1. The sentence is empty" in told and "error." not in told
    reasons = json.loads(out.read_text("utf-8"))["transformer-explorer-scan"]["reasons"]
    assert reasons == {"error.empty_text": {each: Words.load(each)("error.empty_text") for each in LANGUAGES}}
    table = explorer.scan(texts, ("entropy", "previous", "probability"))
    for row, other in zip(table.rows(), read_table(out).rows(), strict=True):
        assert (row.total, row.count, row.best) == (other.total, other.count, other.best)
    assert set(table.measures) == {"entropy", "previous", "probability"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\x01b", {"en": "control character", "zh": "控制字符"}),
        ("我 " * 900, {"en": "more tokens than", "zh": "词元比模型能接受的多"}),
    ],
    ids=["control", "long"],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_file_of_which_nothing_can_be_measured_says_why(
    text: str, said: dict[str, str], language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a sentence, and not that there is none in it."""
    texts = tmp_path / "own.txt"
    texts.write_text(f"{text}\n" * 3, encoding="utf-8")
    assert main(["scan", str(texts), "--measure", "entropy", "--out", str(tmp_path / "a.json"), "--language", language]) == 2
    told = capsys.readouterr().err

    assert "3" in told and "error." not in told and "…" not in told
    assert said[language] in told


def test_what_cannot_be_scanned_is_one_line(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown measure, a format, a column, a cluster without its library: exit status 2."""
    for flags in (["--measure", "charm", "--out", "a.json"], ["--measure", "entropy", "--out", "a.xyz"]):
        assert main(["scan", str(texts), *flags]) == 2
    assert main(["scan", str(texts), "--measure", "entropy", "--out", str(tmp_path / "a.json"), "--column", "zh"]) == 2
    assert capsys.readouterr().err.count("\n") == 3
    assert not list(tmp_path.glob("*.json*"))


def test_without_its_library_a_cluster_is_refused(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExtraMissing, match="cluster"):
        explorer.scan(texts, ("entropy",), ray="auto")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A scan of many sentences in a process of its own, with empty lines between them: so its portions are soon done."""
    path = tmp_path / "many.txt"
    path.write_text(("他吃。" + "\n" * 8) * 12_500, encoding="utf-8")
    line = ["scan", str(path), "--measure", "entropy", "--out", str(tmp_path / "a.json"), "--language", "en"]
    # A shell lets what it starts behind itself ignore Ctrl+C, and this process hands that on.
    listen = None if sys.platform == "win32" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen([sys.executable, "-m", "explorer", *line], stderr=subprocess.PIPE, text=True, preexec_fn=listen)
    yield process
    process.kill()
    process.communicate()


def test_ctrl_c_leaves_what_can_be_gone_on_with(started: subprocess.Popen[str], tmp_path: Path, qtbot: QtBot) -> None:
    """The file beside the table is told, and holds a whole number of portions."""
    progress = progress_path(tmp_path / "a.json")
    until(qtbot, progress.exists, 240_000)
    started.send_signal(signal.SIGINT)  # Once is enough, whatever it meets.
    told = started.communicate(timeout=240)[1]
    assert started.returncode == 130 and "--resume" in told and str(progress) in told
    assert progress.exists() and not (tmp_path / "a.json").exists()
    again = ["scan", str(tmp_path / "many.txt"), "--measure", "entropy", "--out", str(tmp_path / "a.json")]
    assert main(again) == 2
