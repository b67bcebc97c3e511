"""The command models: a list for people and one for programs, of the stores and of a folder."""

import json

import pytest

from explorer.cli import main as cli
from explorer.cli.catalogue import size_told
from tests.on_disk.conftest import Home, home, write_plain

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
