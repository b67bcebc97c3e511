"""Exports of a Trace of somebody else's model, whose taps have names and axes that are not known here."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from explorer.cli import exporting
from explorer.cli import main as cli
from explorer.errors import UnknownHead
from explorer.export import formats
from explorer.export.choice import Choice
from explorer.export.job import Export
from explorer.lang import Words
from tests.trace.foreign import GATES, MAP, NAMES, STREAM, foreign_trace, grouped_trace


@pytest.fixture(autouse=True, scope="module")
def application(qapp: QApplication) -> None:
    """A figure in pixels is drawn by Qt, in whatever application there is: the one of all tests."""


def exported(out: Path, choice: Choice | None, format_: str, one_each: bool = False) -> None:
    list(Export(trace=foreign_trace(), out=out, format=format_, words=Words.load("en"), choice=choice, one_each=one_each).run())


@pytest.mark.parametrize("tap", NAMES)
@pytest.mark.parametrize("format_", formats.names())
def test_an_unknown_tap_can_be_exported(tap: str, format_: str, tmp_path: Path) -> None:
    """As a figure that bears its name and as its very numbers; beside it stands the card of the model."""
    path = tmp_path / f"x.{format_}"
    exported(path, Choice(tap, head=1 if tap == MAP else None), format_)
    about = json.loads((tmp_path / f"x.{format_}.json").read_text(encoding="utf-8"))

    assert (about["tap"], about["config"]) == (tap, None)
    assert about["model"] == json.loads(json.dumps(foreign_trace().card.values()))
    recorded = foreign_trace()[tap][1] if tap == MAP else foreign_trace()[tap]
    if format_ == "npz":
        with np.load(path) as file:
            assert np.array_equal(file[tap], recorded)
    if format_ == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        assert np.array_equal(np.array([row[4:] for row in rows], np.float32), recorded)
        assert [row[3] for row in rows] == ["a", "b", "c"]


def test_all_taps_of_an_unknown_model_can_be_exported(tmp_path: Path) -> None:
    """In one archive."""
    exported(tmp_path / "all.npz", None, "npz")
    with np.load(tmp_path / "all.npz") as file:
        assert set(file.files) == set(NAMES)


def test_shared_keys_have_as_many_heads_as_there_are() -> None:
    """Each of them is exported once, and there is no third of two."""
    _copied, shared = grouped_trace()
    key, query = "decoder.layers.0.self_attn.key", "decoder.layers.0.self_attn.query"

    assert Choice(key).heads(shared) == (0, 1)
    assert Choice(query).heads(shared) == (0, 1, 2, 3)
    with pytest.raises(UnknownHead) as caught:
        Choice(key, head=2).taps(shared)
    assert caught.value.values == {"got": 2, "last": 1}


def test_the_command_line_shows_and_exports_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every tap a line; heads are counted on the tap itself."""
    monkeypatch.setattr(cli, "explored", lambda text, given: foreign_trace())
    monkeypatch.setattr(exporting, "computer", lambda: lambda request: SimpleNamespace(trace=foreign_trace()))
    assert cli.main(["show", "abc"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)
    assert "decoder-only" in shown

    out = tmp_path / "maps"
    assert cli.main(["export", "abc", "--tap", MAP, "--out", f"{out}/", "--format", "svg"]) == 0
    assert sorted(path.name for path in out.glob("*.svg")) == [f"{MAP}.head{head}.svg" for head in range(4)]
    assert cli.main(["export", "abc", "--tap", MAP, "--head", "4", "--out", f"{out}/", "--format", "svg"]) == 2
    assert cli.main(["export", "abc", "--tap", GATES, "--out", str(tmp_path / "gates.csv")]) == 0
    assert cli.main(["export", "abc", "--tap", STREAM, "--layer", "all", "--out", str(tmp_path / "stream.svg")]) == 0
