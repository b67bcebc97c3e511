"""The command models: a list for people and one for programs, of the stores and of a folder."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from explorer.cli import main as cli
from explorer.on_disk.sizes import size_told
from tests.on_disk.conftest import TENSORS, Home, home, write_plain

__all__ = ["home"]


def test_models_are_printed_with_their_reasons(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Two lines for each, and a third for one that does not open; a name that steers a terminal is escaped."""
    home.download("acme/strange", model_type="strangeformer")
    home.pull("registry.ollama.ai/library/ti\u202eny/1b")
    assert cli.main(["models", "--language", "en"]) == 0
    first, path, why, second, *_rest = capsys.readouterr().out.splitlines()
    assert first.startswith("acme/strange  strangeformer · safetensors  ") and first.endswith("B  does not open")
    assert path.strip().startswith(str(home.hub)) and '"strangeformer"' in why
    assert second.startswith("ti\\u202eny:1b  mamba · GGUF  ")


def test_a_folder_is_listed_as_json(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    write_plain(home.root / "many" / "one", model_type="strangeformer")
    assert cli.main(["models", str(home.root / "many"), "--json"]) == 0
    (only,) = json.loads(capsys.readouterr().out)
    assert (only["name"], only["store"], only["opens"]) == ("one", "folder", False)
    assert only["path"] == str(home.root / "many" / "one")


def test_no_models_and_no_folder_are_told(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models", "--language", "en"]) == 0
    assert "There are none." in capsys.readouterr().out
    assert cli.main(["models", str(home.root / "gone")]) == 2
    assert "gone" in capsys.readouterr().err


def test_sizes_have_their_unit() -> None:
    told = [size_told(n) for n in (0, 999, 1000, 999_949, 999_950, 1_500_000_000, 10**15)]
    assert told == ["0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "1.5 GB", "1000.0 TB"]


def test_tensors_of_a_model_that_does_not_run_are_listed(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason, the settings, each tensor, and how many there are."""
    home.download("acme/strange", model_type="strangeformer")
    assert cli.main(["tensors", "acme/strange", "--language", "en"]) == 0
    why, setting, *rows, count = capsys.readouterr().out.splitlines()
    assert '"strangeformer"' in why and setting == 'model_type = "strangeformer"'
    assert sorted(row.split() for row in rows) == [["ln.bias", "F32", "3", "12", "B"], ["wte.weight", "F32", "4×3", "48", "B"]]
    assert count == "2 tensors, 60 B"
    assert cli.main(["tensors", "acme/strange", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["opens"], told["settings"]) == (False, {"model_type": '"strangeformer"'})
    assert {each["name"]: each["shape"] for each in told["tensors"]} == {"wte.weight": [4, 3], "ln.bias": [3]}


def test_one_tensor_is_told_drawn_and_written(
    qapp: QApplication, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its figures; a picture with what it is of beside it; in a file of numbers all of them, though a picture has blocks."""
    monkeypatch.setattr("explorer.trace.found.parameters._MOST_CELLS", 4)
    home.download("acme/strange", model_type="strangeformer")
    one = ("tensors", "acme/strange", "--tensor", "wte.weight", "--language", "en")
    assert cli.main([*one, "--out", str(tmp_path / "new" / "w.svg")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == ["wte.weight F32 4×3 48 B", "min 0 · max 11 · mean 5.5 · SD 3.45"]
    assert "<svg" in (tmp_path / "new" / "w.svg").read_text("utf-8")
    about = json.loads((tmp_path / "new" / "w.svg.json").read_text("utf-8"))
    assert (about["name"], about["shape"], about["high"]) == ("wte.weight", [4, 3], 11.0)
    assert cli.main([*one, "--out", str(tmp_path / "w.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean"] == 5.5
    with np.load(tmp_path / "w.npz") as kept:
        np.testing.assert_array_equal(kept["wte.weight"], TENSORS["wte.weight"])
    assert cli.main([*one, "--out", str(tmp_path / "w.png")]) == 0
    assert (tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    for wrong, says in (
        ((*one, "--out", "w.html"), "html"),
        ((*one, "--matrix", "1"), "1"),
        (("tensors", "acme/strange", "--tensor", "wte", "--language", "en"), "wte.weight"),
        (("tensors", "acme/strange", "--out", "w.png", "--language", "en"), "--tensor"),
    ):
        assert cli.main(list(wrong)) == 2
        assert says in capsys.readouterr().err
