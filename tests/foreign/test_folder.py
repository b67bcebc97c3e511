"""The check of a folder: what cannot be opened safely is refused in one sentence, and nothing of it is run."""

import builtins
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

from explorer import errors
from explorer.errors import BadFile, BadWeights, ExplorerError, NotAFile, PartOfGguf, SeveralGguf, UnknownFamily
from explorer.foreign import holding
from explorer.foreign.folder import check_folder, chosen_gguf
from explorer.lang import LANGUAGES, Words
from tests.foreign.gguf_files import gguf
from tests.foreign.models import write_folder, write_safetensors

Spoil = Callable[[Path], object]
TRAP = "import pathlib; pathlib.Path('ran').touch()\n"


def settings(**changed: object) -> Spoil:
    return lambda folder: write_folder(folder, **changed)


def text(name: str, content: str | bytes) -> Spoil:
    raw = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(raw)


def only(name: str) -> Spoil:
    """The weights in another format alone."""
    return lambda folder: (folder / "model.safetensors").rename(folder / name)


def index(name: str) -> Spoil:
    return text("model.safetensors.index.json", json.dumps({"weight_map": {"wte.weight": name}}))


def truncated(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-8])


def of_whole_numbers(folder: Path) -> None:
    write_safetensors(folder / "model.safetensors", {"wte.weight": np.zeros((11, 8), np.int8)})


DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
HOSTILE: dict[str, tuple[Spoil, type[BadFile], str]] = {
    "code": (settings(model_type="nonesuch", auto_map={"AutoModel": "modeling.Evil"}), errors.NeedsCode, "auto_map"),
    "code in a part": (
        settings(model_type="nonesuch", text_config={"auto_map": {"AutoConfig": "x.Y"}}),
        errors.NeedsCode,
        "auto_map",
    ),
    "code in a list of parts": (
        settings(model_type=None, parts=[{"auto_map": {"AutoConfig": "x.Y"}}]),
        errors.NeedsCode,
        "auto_map",
    ),
    "network name": (settings(attn_implementation="evil/kernels"), errors.NeedsCode, "evil/kernels"),
    "network name, inner key": (settings(_attn_implementation_internal="evil/kernels"), errors.NeedsCode, "evil/kernels"),
    "network name by part": (settings(attn_implementation={"": "evil/kernels"}), errors.NeedsCode, "evil/kernels"),
    "pickles": (only("pytorch_model.bin"), errors.NeedsConversion, "transformer-explorer convert"),
    "other pickles": (only("model.pkl"), errors.NeedsSafetensors, "model.pkl"),
    "gguf": (only("model.gguf"), errors.BadWeights, "model.gguf"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), errors.MissingWeights, "*.safetensors"),
    "parts without an index": (
        lambda folder: (
            [write_safetensors(folder / f"part-{n}.safetensors", {}) for n in (1, 2)]
            and (folder / "model.safetensors").unlink()
        ),
        errors.MissingWeights,
        "model.safetensors.index.json",
    ),
    "quantized": (settings(quantization_config={"quant_method": "gptq"}), errors.Quantized, "gptq"),
    "quantized by another library": (settings(quantization={"group_size": 64, "bits": 4}), errors.Quantized, "4 bits"),
    "quantized by a private key": (settings(_load_in_4bit=True), errors.Quantized, "load_in_4bit"),
    "compressed": (settings(compression_config={"quant_method": "compressed-tensors"}), errors.Quantized, "compressed-tensors"),
    "quantized, no table": (settings(quantization_config="odd"), errors.Quantized, "odd"),
    "truncated file": (truncated, errors.BadWeights, "model.safetensors"),
    "huge header": (text("model.safetensors", struct.pack("<Q", 2**60)), errors.BadWeights, "model.safetensors"),
    "empty file": (text("model.safetensors", b""), errors.BadWeights, "model.safetensors"),
    "tensors of another type": (of_whole_numbers, errors.Quantized, "I8"),
    "deep JSON": (text("config.json", DEEP), errors.NotAModel, "config.json"),
    "deep tables": (text("config.json", '{"a":' * 40 + "1" + "}" * 40), errors.NotAModel, "config.json"),
    "no JSON": (text("config.json", b"\xff\xfe"), errors.NotAModel, "config.json"),
    "a list": (text("config.json", "[]"), errors.NotAModel, "list"),
    "huge file": (text("config.json", b" " * (2**22 + 1)), errors.NotAModel, "config.json"),
    "no family": (settings(model_type=None), errors.NoModelType, "model_type"),
    "family with a path": (settings(model_type="../../evil"), errors.UnknownFamily, "evil"),
    "huge sizes": (settings(max_position_embeddings=10**12), errors.ImpossibleNumber, "max_position_embeddings"),
    "many experts": (settings(text_config={"num_local_experts": 10**5}), errors.ImpossibleNumber, "num_local_experts"),
    "many layers": (settings(n_layer=10**6), errors.ImpossibleNumber, "n_layer"),
    "huge model": (settings(n_layer=4000), errors.WeightsDoNotFit, "n_layer"),
    "index out of the folder": (index("../model.safetensors"), errors.NotAModel, "../model"),
    "index without files": (text("model.safetensors.index.json", '{"weight_map": {}}'), errors.NotAModel, "weight_map"),
    "index of missing files": (index("model-2.safetensors"), errors.MissingWeights, "model-2.safetensors"),
}


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise AssertionError("code was compiled")

    monkeypatch.setattr(builtins, "exec", refuse)
    monkeypatch.setattr(builtins, "eval", refuse)


@pytest.mark.usefixtures("no_network", "no_code")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """With its name and the reason in it, in both languages, and without running anything that lies in it."""
    spoil, kind, told = HOSTILE[name]
    folder = write_folder(tmp_path / "model")
    for module in ("modeling.py", "x.py", "evil.py"):
        (folder / module).write_text(TRAP)
    spoil(folder)

    with pytest.raises(kind) as caught:
        check_folder(folder)

    assert type(caught.value) is kind
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert str(folder) in sentence
        assert told in sentence
    assert not list(tmp_path.rglob("ran"))


def test_a_sound_folder_passes(tmp_path: Path) -> None:
    """Settings that belong to transformers are left out, at all depths; the numbers are counted."""
    folder = write_folder(
        tmp_path / "m",
        _name_or_path="org/name",
        attn_implementation="sdpa",
        sub={"_commit_hash": "1", "k": [1], "num_labels": 10**9},
    )

    found = check_folder(folder)

    assert found.path == folder
    assert found.family == "gpt2"
    assert found.numbers == 11 * 8 + 8
    assert found.settings["sub"] == {"k": [1]}
    assert not {"_name_or_path", "attn_implementation"} & set(found.settings)


def test_weights_in_several_files_are_found_by_their_index(tmp_path: Path) -> None:
    """Only the files that the index names are read."""
    folder = write_folder(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    (folder / "other.safetensors").write_bytes(b"broken")
    index("model-1.safetensors")(folder)

    assert [file.name for file in check_folder(folder).headers] == ["model-1.safetensors"]


def test_a_single_file_of_another_name_is_taken(tmp_path: Path) -> None:
    """If there is only one."""
    folder = write_folder(tmp_path / "m")
    only("weights.safetensors")(folder)
    write_safetensors(folder / "adapter_model.safetensors", {})

    assert [file.name for file in check_folder(folder).headers] == ["weights.safetensors"]


def test_whole_numbers_are_taken_where_they_count_positions(tmp_path: Path) -> None:
    """Older files hold the positions 0, 1, 2, … as a tensor."""
    folder = write_folder(tmp_path / "m")
    write_safetensors(folder / "model.safetensors", {"embeddings.position_ids": np.arange(8), "w": np.zeros(8, np.float32)})

    assert check_folder(folder).numbers == 16


def test_a_model_larger_than_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even a few of its matrices fit. The sentence has what these need and what is free, both in MB."""
    memory = attrs.make_class("Memory", ["available"])
    monkeypatch.setattr(holding.psutil, "virtual_memory", lambda: memory(available=2**20))
    folder = write_folder(tmp_path / "m")
    write_safetensors(folder / "model.safetensors", {"w": np.zeros(2**18, np.float16)})

    with pytest.raises(errors.TooLarge) as caught:
        check_folder(folder)
    assert caught.value.values == {"path": str(folder), "need_mb": 4, "free_mb": 1}


def test_a_model_of_many_small_parts_is_not_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its matrices fits, so that they can be read one after the other."""
    memory = attrs.make_class("Memory", ["available"])
    monkeypatch.setattr(holding.psutil, "virtual_memory", lambda: memory(available=2**20))
    folder = write_folder(tmp_path / "m")
    write_safetensors(folder / "model.safetensors", {f"w{n}": np.zeros(2**14, np.float16) for n in range(64)})

    assert check_folder(folder).held == "streamed"


@pytest.mark.parametrize("name", ["no/such/folder", "a\0b", "x" * 5000])
def test_what_is_no_folder_is_refused(name: str) -> None:
    """Whatever its name."""
    with pytest.raises(errors.NotAModel):
        check_folder(Path(name))


def test_the_check_imports_neither_torch_nor_transformers() -> None:
    """A folder is refused before libraries that could be led to run code are there."""
    told = (
        "import sys, explorer.foreign.folder; print([m for m in ('torch', 'transformers', 'tokenizers') if m in sys.modules])"
    )

    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_all_errors_are_the_users() -> None:
    """None of them is a bug's."""
    assert all(issubclass(kind, ExplorerError) for _spoil, kind, _told in HOSTILE.values())


@pytest.mark.parametrize("key", ["rms_norm_eps", "layer_norm_epsilon", "norm_eps"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_settings_that_are_no_numbers_are_refused_by_their_key(key: str, value: float, tmp_path: Path) -> None:
    """A model with such a norm computes nothing; infinity elsewhere may be a limit that there is not."""
    with pytest.raises(errors.NotAModel, match=key):
        check_folder(write_folder(tmp_path / "m", **{key: value}))
    check_folder(write_folder(tmp_path / "n", time_step_limit=[0.0, float("inf")]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in its folders")
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model-00002-of-00002.safetensors", "x.gguf"])
def test_a_pipe_in_a_folder_is_called_what_it_is(name: str, tmp_path: Path) -> None:
    """Whoever looks for the file would say that it is not there."""
    folder = write_folder(tmp_path / "m")
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(NotAFile, match=name):
        check_folder(folder)
    (folder / name).unlink()
    (folder / "link").symlink_to(folder / "nothing")
    if name != "config.json":
        check_folder(folder)


MODEL, PROJECTOR = "SmolVLM-Q4_K_M.gguf", "mmproj-SmolVLM-f16.gguf"


def files(*names: str) -> list[Path]:
    return [Path("/m", name) for name in names]


@pytest.mark.parametrize(
    ("names", "one"),
    [
        ((MODEL,), MODEL),
        ((MODEL, PROJECTOR), MODEL),
        (("SmolVLM.MMPROJ-Q8_0.gguf", MODEL), MODEL),
        ((PROJECTOR,), PROJECTOR),
        (("a-00001-of-00002.gguf", "a-00002-of-00002.gguf"), "a-00001-of-00002.gguf"),
        (("a-00002-of-00002.gguf",), "a-00002-of-00002.gguf"),
    ],
)
def test_a_folder_with_one_model_needs_no_choice(names: tuple[str, ...], one: str) -> None:
    """A projector of pictures beside it is none, and the parts of one model are one."""
    assert chosen_gguf(Path("/m"), files(*names)) == Path("/m", one)


def test_several_models_are_named_with_the_way_to_choose() -> None:
    """In both languages: all of them, and a flag that opens one. The projector and later parts are not offered."""
    names = ("a-Q4_0.gguf", "a-Q8_0.gguf", "b-00001-of-00002.gguf", "b-00002-of-00002.gguf", PROJECTOR)
    with pytest.raises(SeveralGguf) as caught:
        chosen_gguf(Path("/m"), files(*names))
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "a-Q4_0.gguf, a-Q8_0.gguf, b-00001-of-00002.gguf" in sentence and "3" in sentence
        assert f'--preset "{Path("/m/a-Q4_0.gguf")}"' in sentence


def test_of_very_many_the_first_twelve_are_named() -> None:
    """A sentence is read; the window offers all."""
    with pytest.raises(SeveralGguf) as caught:
        chosen_gguf(Path("/m"), files(*(f"{number:02}.gguf" for number in range(30))))
    assert caught.value.values["found"].endswith("11.gguf, …") and caught.value.values["count"] == 30


def test_a_folder_of_packings_is_refused_with_the_choice_and_a_projector_is_passed_by(tmp_path: Path) -> None:
    """Before a file is read; what is opened says itself what it is."""
    (tmp_path / MODEL).write_bytes(b"")
    (tmp_path / PROJECTOR).write_bytes(gguf({"general.architecture": "clip"}, {}))
    with pytest.raises(BadWeights, match=MODEL):
        check_folder(tmp_path)
    (tmp_path / "SmolVLM-Q8_0.gguf").write_bytes(b"")
    with pytest.raises(SeveralGguf, match="Q8_0"):
        check_folder(tmp_path)
    (tmp_path / "SmolVLM-Q8_0.gguf").unlink()
    (tmp_path / MODEL).unlink()
    with pytest.raises(UnknownFamily, match="clip"):
        check_folder(tmp_path)


def test_a_part_of_a_model_says_so(tmp_path: Path) -> None:
    """It has all the settings and some of the tensors."""
    (tmp_path / "a-00001-of-00003.gguf").write_bytes(gguf({"general.architecture": "llama", "split.count": 3}, {}))
    with pytest.raises(PartOfGguf) as caught:
        check_folder(tmp_path)
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "00001-of-00003" in sentence and "3" in sentence and "--merge" in sentence
