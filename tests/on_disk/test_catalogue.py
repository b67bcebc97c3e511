"""The models of the stores and of a folder of folders: each with its size, its family, and the reason that opening it gives."""

import json
import os

import pytest

from explorer import errors
from explorer.engine.sources.folder_files import fits_beside, folder_version
from explorer.foreign.folder import check_folder
from explorer.lang import Words
from explorer.model_stores import lm_studio_folders, ollama_title
from explorer.on_disk import places
from explorer.on_disk.catalogue import ModelEntry, entry_of
from explorer.on_disk.places import Place, models_below, stored_models
from explorer.presets import titles
from tests.foreign.models import write_model
from tests.on_disk.conftest import TENSORS, Home, write_base, write_packed, write_plain


def listed(found: tuple[Place, ...]) -> dict[str, ModelEntry]:
    return {each.name: entry_of(each) for each in found}


def test_the_models_of_all_stores_are_listed_with_what_they_are(home: Home) -> None:
    """One that opens, and each of the others with the very error that opening it raises."""
    write_model(home.download("acme/opens").parent / "new", "gpt2")
    snapshots = home.hub / "models--acme--opens" / "snapshots"
    (home.hub / "models--acme--opens" / "refs" / "main").unlink()
    (snapshots / "new").rename(snapshots / "ffff")  # Without a reference, the newest one counts.
    os.utime(snapshots / "ffff", (2e9, 2e9))
    home.download("acme/packed", model_type="llama", quantization_config={"quant_method": "gptq"})
    home.download("acme/strange", model_type="strangeformer")
    home.download("acme/coded", model_type="own", auto_map={"AutoModel": "own.Model"})
    (home.hub / "models--acme--half").mkdir()
    write_packed(home.root / ".lmstudio" / "models" / "acme" / "Tiny-GGUF" / "tiny-F16.gguf")
    write_packed(home.root / ".lmstudio" / "models" / "acme" / "Tiny-GGUF" / "mmproj-F16.gguf")
    blob = home.pull("registry.ollama.ai/library/tiny/1b")
    home.pull("hf.co/acme/Tiny-GGUF/Q8_0")
    (home.ollama / "manifests" / "registry.ollama.ai" / "library" / "tiny" / "broken").write_text('{"layers": 7}')

    found = listed(stored_models())
    kinds = {name: (each.place.store, each.family, each.form) for name, each in found.items()}
    assert kinds == {
        "acme/opens": ("huggingface", "gpt2", "safetensors"),
        "acme/packed": ("huggingface", "llama", "safetensors"),
        "acme/strange": ("huggingface", "strangeformer", "safetensors"),
        "acme/coded": ("huggingface", "own", "safetensors"),
        "acme/half": ("huggingface", "", ""),
        "acme/Tiny-GGUF/tiny-F16.gguf": ("lm-studio", "mamba", "GGUF"),
        "tiny:1b": ("ollama", "mamba", "GGUF"),
        "hf.co/acme/Tiny-GGUF:Q8_0": ("ollama", "mamba", "GGUF"),
    }
    reasons = {name: type(each.refused) for name, each in found.items() if each.refused is not None}
    assert reasons == {
        "acme/packed": errors.Quantized,
        "acme/strange": errors.UnknownFamily,
        "acme/coded": errors.NeedsCode,
        "acme/half": errors.NothingDownloaded,
        **dict.fromkeys(("acme/Tiny-GGUF/tiny-F16.gguf", "tiny:1b", "hf.co/acme/Tiny-GGUF:Q8_0"), errors.UnknownFamily),
    }
    for name in ("acme/packed", "acme/strange", "acme/coded", "tiny:1b"):
        with pytest.raises(type(found[name].refused)) as raised:  # type: ignore[arg-type]
            check_folder(found[name].place.path)
        assert raised.value.values == found[name].refused.values  # type: ignore[union-attr]
    model = found["acme/opens"].place.path / "model.safetensors"
    assert found["acme/opens"].n_bytes == model.stat().st_size
    assert found["tiny:1b"].n_bytes == blob.stat().st_size
    assert (ollama_title(blob), titles((str(blob),))) == ("tiny:1b", ("tiny:1b",)) or ollama_title(blob).startswith("hf.co")


def test_a_reason_calls_a_model_by_its_name(home: Home) -> None:
    """A path inside it stays whole, because a command may need it."""
    entry = entry_of(Place("acme/strange", home.download("acme/strange", model_type="strangeformer"), "huggingface"))
    assert entry.reason(Words.load("en")).startswith('acme/strange holds a model of the kind "strangeformer"')
    told = json.loads(json.dumps(entry.as_json(Words.load("en"))))
    assert (told["opens"], told["family"], told["bytes"]) == (False, "strangeformer", entry.n_bytes)
    old = home.root / "old"
    old.mkdir()
    (old / "config.json").write_text('{"model_type": "gpt2"}')
    (old / "pytorch_model.bin").touch()
    (only,) = models_below(home.root / "old")
    assert f'convert "{old.anchor}' in entry_of(only).reason(Words.load("en"))


def test_a_folder_of_folders_is_walked_through_with_limits(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden folders, settings without weights and links back are left; parts of one file in GGUF are one model."""
    root = home.root / "many"
    write_plain(root / "b" / "deep", model_type="gpt2")
    write_plain(root / ".hidden", model_type="gpt2")
    write_base(root / "lora", "acme/none")
    for number in (1, 2):
        write_packed(root / "a" / f"big-0000{number}-of-00002.gguf")
    (root / "web").mkdir()
    (root / "web" / "config.json").write_text("{}")
    if hasattr(os, "symlink"):
        (root / "b" / "back").symlink_to(root)
    found = listed(models_below(root))
    assert list(found) == ["a/big-00001-of-00002.gguf", "b/deep", "lora"]
    assert found["a/big-00001-of-00002.gguf"].n_bytes == 2 * (root / "a" / "big-00001-of-00002.gguf").stat().st_size
    assert isinstance(found["lora"].refused, errors.AdapterNeedsBase) and found["lora"].base == "acme/none"
    home.download("acme/none")
    assert listed(models_below(root))["lora"].refused is None
    assert list(listed(models_below(root / "b" / "deep"))) == ["deep"]
    monkeypatch.setattr(places, "MOST_MODELS", 2)
    assert len(models_below(root)) == 2
    monkeypatch.setattr(places, "_MOST_FOLDERS", 1)
    assert models_below(root) == models_below(root / "gone") == ()


def test_what_a_machine_lacks_is_a_reason(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(home.root / "m", "gpt2")
    (place,) = models_below(home.root / "m")
    assert entry_of(place).refused is None
    monkeypatch.setattr("explorer.on_disk.catalogue.find_spec", lambda _name: None)
    assert isinstance(entry_of(place).refused, errors.NotInstalled)


def test_stores_that_were_moved_are_found(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.root / ".lmstudio-home-pointer").write_text(f"{home.root / 'lm'}\n")
    assert lm_studio_folders()[0] == home.root / "lm" / "models"
    home.pull("registry.ollama.ai/acme/tiny/latest")
    monkeypatch.setenv("OLLAMA_MODELS", str(home.root / "moved"))
    assert stored_models() == ()
    home.ollama.rename(home.root / "moved")
    assert [each.name for each in stored_models()] == ["acme/tiny:latest"]


def test_a_file_of_ollama_is_a_model_of_its_own(home: Home) -> None:
    """Another model that is pulled changes nothing of it, and it is no GGUF by its name alone."""
    blob = home.pull("registry.ollama.ai/library/tiny/1b")
    before = folder_version(blob)
    (blob.parent / f"sha256-{'0' * 64}").write_bytes(b"license")
    assert folder_version(blob) == before == ((blob.name, blob.stat().st_size, blob.stat().st_mtime_ns),)
    assert fits_beside(blob)
    other = blob.parent / f"sha256-{'0' * 64}"
    with pytest.raises(errors.NoModelInside):
        from explorer.model_places import model_place

        model_place(str(other))


def test_numbers_of_tensors_are_not_needed_for_a_list(home: Home) -> None:
    """A file whose header promises more than it has is refused as opening refuses it."""
    folder = home.download("acme/cut", model_type="gpt2")
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-4])
    (place,) = stored_models()
    assert isinstance(entry_of(place).refused, errors.BadWeights) and len(TENSORS) == 2
