"""What a path is: by its ending, by what is in it, by what lies beside it, and never by waiting for a pipe."""

import os
from pathlib import Path

import pytest

from explorer.errors import CannotRead, NameOnHub, NoModelInside, NotAFile, NothingDownloaded
from explorer.on_disk.meant import Meant, meant, meant_by
from explorer.trace.archive import write_archive
from tests.on_disk.conftest import Home, write_base, write_packed, write_plain

ENDINGS = (".explorer.toml", ".explorer", ".lesson.toml", ".toml", ".json", ".parquet", ".npz", ".safetensors", ".gguf", "")
LESSON = 'group = "a"\n[[step]]\n'
SCAN = '{"transformer-explorer-scan": {}'


@pytest.mark.parametrize(
    ("name", "content", "kind", "folder"),
    [
        ("a.explorer.toml", "", "session", False),
        ("a.explorer", "", "session", False),
        ("a.lesson.toml", "", "lesson", False),
        ("a.toml", LESSON, "lesson", False),
        ("knobs.toml", "[knobs]", "model", False),
        ("preset.toml", "[knobs]", "model", True),
        ("a.json", SCAN, "scan", False),
        ("a.parquet", "", "scan", False),
        ("config.json", "{}", "model", True),
        ("model.gguf", "", "model", False),
        ("old.pt", "", "model", False),
        ("x.npz", "", "recorded", False),
        ("x.safetensors", "", "recorded", False),
    ],
)
def test_each_kind_of_file_is_known(name: str, content: str, kind: str, folder: bool, tmp_path: Path) -> None:
    """A file of a model means its folder; a recorded pass, alone in its folder, itself."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert meant(path) == Meant(kind, str(tmp_path if folder else path))  # type: ignore[arg-type]


def test_a_folder_and_the_weights_in_it_mean_the_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").touch()
    (tmp_path / "model.safetensors").touch()
    assert meant(tmp_path) == meant(tmp_path / "model.safetensors") == Meant("model", str(tmp_path))


def test_results_over_sentences_are_told_from_recorded_passes(tmp_path: Path) -> None:
    """Both are archives of NumPy."""
    write_archive(tmp_path / "results.npz", "over_prompts.json", {}, {})
    write_archive(tmp_path / "trace.npz", "about.json", {}, {})
    assert meant(tmp_path / "results.npz") == Meant("scan", str(tmp_path / "results.npz"))
    assert meant(tmp_path / "trace.npz") == Meant("recorded", str(tmp_path / "trace.npz"))


def test_an_adapter_comes_with_its_base_if_the_cache_has_it(home: Home) -> None:
    """By its folder and by each of its files. A path is never looked up, because strangers write it."""
    base = home.download("acme/base", model_type="gpt2")
    adapter = write_base(home.root / "lora", "acme/base")
    for path in (adapter, adapter / "adapter_config.json", adapter / "adapter_model.safetensors"):
        assert meant(path) == Meant("adapter", str(adapter), str(base))
    for other in ("acme/none", str(base), "../base", "//host/share", ""):
        assert meant(write_base(adapter, other)) == Meant("adapter", str(adapter))


def test_a_folder_of_models_is_one_and_a_folder_of_nothing_is_refused(home: Home, tmp_path: Path) -> None:
    write_plain(home.root / "many" / "deep" / "one", model_type="gpt2")
    write_packed(home.root / "many" / "two.d" / "a.gguf")
    home.download("acme/a")
    home.download("acme/b")
    for folder in (home.root / "many", home.hub):
        assert meant(folder) == Meant("models", str(folder))
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("x")
    for path in (empty, empty / "notes.txt"):
        with pytest.raises(NoModelInside):
            meant(path)
    (home.hub / "models--acme--half" / "snapshots").mkdir(parents=True)
    with pytest.raises(NothingDownloaded):
        meant(home.hub / "models--acme--half")


def test_a_name_means_the_model_that_a_cache_has_under_it(home: Home) -> None:
    """Of Hugging Face and of Ollama; a name that no cache has says so if it is one of the Hub, and else means nothing."""
    base, blob = home.download("Qwen/Qwen3-0.6B"), home.pull("registry.ollama.ai/library/tiny/1b")
    assert meant_by("Qwen/Qwen3-0.6B") == Meant("model", str(base))
    assert meant_by("tiny:1b") == meant_by(str(blob)) == Meant("model", str(blob))
    assert meant_by("~/hub/models--Qwen--Qwen3-0.6B") == Meant("model", str(home.hub / "models--Qwen--Qwen3-0.6B"))
    assert meant_by("tiny:7b") is meant_by("show") is meant_by("a\0b") is None
    with pytest.raises(NameOnHub):
        meant_by("Qwen/other")
    with pytest.raises(CannotRead):
        meant_by("gone.npz")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pipe_of_any_ending_is_refused_and_never_waited_for(ending: str, tmp_path: Path) -> None:
    """It is called what it is, and not a folder that is no model."""
    path = tmp_path / f"a{ending}"
    os.mkfifo(path)
    with pytest.raises(NotAFile):
        meant(path)
    with pytest.raises(CannotRead):
        meant(tmp_path / f"gone{ending}")
