"""Tensors in a model's files against the libraries of safetensors, gguf and torch: names, shapes, types, bytes and numbers."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from explorer import errors
from explorer.cli.main import main
from explorer.foreign.gguf_header import QUANTIZED
from explorer.lang import LANGUAGES, Words
from explorer.on_disk.stored_rows import StoredRows, has_numbers, read_tensor
from explorer.on_disk.tensors import files_place, read_files
from explorer.picture.cell_text import cell_tip
from explorer.picture.makers.parameters import parameter_map
from explorer.state.look import Look
from explorer.trace.found.parameters import slabs
from explorer.trace.measures.measures import summary
from tests.foreign.gguf_files import gguf, plain
from tests.on_disk.conftest import TENSORS, TOLD, Home, write_base, write_packed

RNG = torch.Generator().manual_seed(3)
WHOLE = torch.randn(5, 7, generator=RNG)
STORED = {
    "f64": WHOLE.double(),
    "f32": WHOLE,
    "f16": WHOLE.half(),
    "bf16": WHOLE.bfloat16(),
    "e4m3": torch.arange(256).to(torch.uint8).view(torch.float8_e4m3fn).reshape(16, 16),
    "e5m2": torch.arange(256).to(torch.uint8).view(torch.float8_e5m2).reshape(16, 16),
    "experts": torch.randn(2, 3, 4, 5, generator=RNG).bfloat16(),
    "vector": torch.randn(9, generator=RNG).half(),
    "number": torch.tensor(2.5),
    "packed": torch.arange(12, dtype=torch.int32).reshape(3, 4),
    "empty": torch.zeros(0, 4),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Settings of a model that nobody runs, and its weights in two files."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "own", "quantization_config": {"bits": 4}, "x": "y" * 999}))
    names = list(STORED)
    for number, part in enumerate((names[:6], names[6:]), start=1):
        save_file({name: STORED[name] for name in part}, tmp_path / f"model-0000{number}-of-00002.safetensors")
    return tmp_path


def test_what_is_listed_is_what_the_library_lists(folder: Path) -> None:
    """Of both files, though the index that opening needs is missing."""
    found = {each.parameter.name: each for each in read_files(folder).tensors}
    assert found.keys() == STORED.keys()
    for file in folder.glob("*.safetensors"):
        with safe_open(file, framework="pt") as theirs:
            for name in theirs.keys():  # noqa: SIM118  The file is no mapping.
                own, view = found[name], theirs.get_slice(name)
                assert (list(own.parameter.shape), own.parameter.dtype) == (view.get_shape(), view.get_dtype())
                assert (own.n_bytes, own.file) == (theirs.get_tensor(name).nbytes, file)


def test_every_number_is_the_one_that_torch_reads(folder: Path) -> None:
    """Each matrix of each tensor of floats, whole and a few rows of it; codes of packed weights are never taken for numbers."""
    files = read_files(folder)
    for name, tensor in STORED.items():
        own = files.named(name)
        if name in ("packed", "empty"):
            assert not has_numbers(own)
            with pytest.raises(errors.NoNumbers):
                read_tensor(own)
            continue
        matrices = tensor.float().reshape(-1, *own.parameter.matrix).numpy()
        assert len(matrices) == own.parameter.n_matrices
        for number, wanted in enumerate(matrices):
            np.testing.assert_array_equal(read_tensor(own, number).values, wanted)
            np.testing.assert_array_equal(StoredRows(own, number).span(0, 1), wanted[:1])
            np.testing.assert_array_equal(StoredRows(own, number).span(len(wanted) - 1, len(wanted)), wanted[-1:])
        with pytest.raises(errors.UnknownHead):
            read_tensor(own, len(matrices))


def test_a_large_matrix_is_pooled_and_read_whole_if_asked(tmp_path: Path) -> None:
    """A cell stands for the number of its block that is farthest from zero; the figures are those of all numbers."""
    large = torch.randn(2100, 2048, generator=RNG).bfloat16()
    save_file({"a": large}, tmp_path / "alone.safetensors")
    own = read_files(tmp_path / "alone.safetensors").named("a")
    numbers, read = large.float().numpy(), read_tensor(own)
    assert (read.block, read.values.shape) == (2, (1050, 1024))
    block = numbers[10:12, 20:22].ravel()
    assert read.values[5, 10] == block[np.abs(block).argmax()]
    wanted = summary(numbers)
    assert (read.summary.low, read.summary.high) == (wanted.low, wanted.high)
    np.testing.assert_allclose((read.summary.mean, read.summary.deviation), (wanted.mean, wanted.deviation), rtol=1e-6)
    np.testing.assert_array_equal(read_tensor(own, whole=True).values, numbers)


def test_gguf_is_listed_with_kinds_that_nobody_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes of all kinds are those of the format's own library, which has no numbers for some; those of the floats are read."""
    constants = pytest.importorskip("gguf").constants
    monkeypatch.setattr("tests.foreign.gguf_files.KINDS", {each.name: each.value for each in constants.GGMLQuantizationType})
    from explorer.foreign.gguf_header import _KINDS, _OTHERS

    tensors = {}
    for _number, (kind, block, n_bytes) in sorted((_KINDS | _OTHERS).items()):
        assert (block, n_bytes) == constants.GGML_QUANT_SIZES[constants.GGMLQuantizationType[kind]]
        tensors[f"w.{kind}"] = (kind, (2, block), bytes(2 * n_bytes))
    tensors["real"] = plain(WHOLE.bfloat16().float().numpy(), "BF16")
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf(TOLD, tensors))
    files = read_files(path)
    assert [(each.parameter.name, each.n_bytes) for each in files.tensors] == [
        (name, len(raw)) for name, (_kind, _shape, raw) in tensors.items()
    ]
    assert dict(files.settings)["general.architecture"] == '"mamba"'
    np.testing.assert_array_equal(read_tensor(files.named("real")).values, WHOLE.bfloat16().float().numpy())
    for kind in ("I32", "Q8_1", "Q8_K"):
        with pytest.raises(errors.NoNumbers, match=kind):
            read_tensor(files.named(f"w.{kind}"))


@pytest.mark.parametrize("kind", QUANTIZED)
def test_quantized_rows_are_those_of_the_whole_dequantized(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slab of rows at a time against gguf's own dequantize of all bytes at once, of a stack of matrices with any bytes."""
    quants, constants = pytest.importorskip("gguf.quants"), pytest.importorskip("gguf.constants")
    number = constants.GGMLQuantizationType[kind]
    monkeypatch.setattr("tests.foreign.gguf_files.KINDS", {kind: number.value})
    monkeypatch.setattr("explorer.trace.found.parameters._SLAB", 1024)
    block, n_bytes = constants.GGML_QUANT_SIZES[number]
    shape = 2, 21, 2 * block
    raw = np.random.default_rng(8).integers(0, 256, 2 * 21 * 2 * n_bytes).astype(np.uint8)
    (tmp_path / "a.gguf").write_bytes(gguf(TOLD, {"w": (kind, shape, raw.tobytes())}))
    own = read_files(tmp_path / "a.gguf").named("w")
    assert own.parameter.quantized and len(slabs(own.parameter)) > 1
    if kind in ("Q8_1", "Q8_K"):  # They are of sums inside a program, and never of files of weights.
        with pytest.raises(errors.NoNumbers):
            read_tensor(own)
        return
    with np.errstate(all="ignore"):
        whole = quants.dequantize(raw.reshape(2 * 21, -1), number).reshape(shape)
    for place in range(2):
        read = read_tensor(own, place)
        np.testing.assert_array_equal(read.values, whole[place])
        assert StoredRows(own, place).span(3, 7).tobytes() == whole[place, 3:7].tobytes()
    assert (read_tensor(own, 0).values != read_tensor(own, 1).values).any()


def test_a_quantized_tensor_is_a_picture_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its origin and its note say that the numbers are dequantized; those before are near. Without the library: the remedy."""
    quants, constants = pytest.importorskip("gguf.quants"), pytest.importorskip("gguf.constants")
    before = np.random.default_rng(8).normal(size=(9, 64)).astype(np.float32)
    stored = quants.quantize(before, constants.GGMLQuantizationType.Q8_0)
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf(TOLD, {"blk.0.w": ("Q8_0", before.shape, stored.tobytes()), "real": plain(before, "F32")}))
    arguments = ["tensors", str(path), "--tensor", "blk.0.w", "--language", "en"]
    assert main([*arguments, "--out", str(tmp_path / "a.npz")]) in (0, None)
    assert "The file stores Q8_0" in capsys.readouterr().out
    numbers = next(iter(np.load(tmp_path / "a.npz").values()))
    np.testing.assert_array_equal(numbers, quants.dequantize(stored, constants.GGMLQuantizationType.Q8_0))
    assert 0 < np.abs(numbers - before).max() < 0.02
    about = json.loads((tmp_path / "a.npz.json").read_text("utf-8"))
    assert (about["type"], about["origin"]) == ("Q8_0", "dequantized") and "dequantized" in about["note"]
    for language in LANGUAGES:
        picture = parameter_map(read_tensor(read_files(path).named("blk.0.w")), Look(), Words.load(language))
        told = cell_tip(picture, 2, 3, Words.load(language), follows=False)
        assert Words.load(language)("picture.origin.dequantized") in told
    plain_one = parameter_map(read_tensor(read_files(path).named("real")), Look(), Words.load("en"))
    assert plain_one.caption.origin == "parameter" and plain_one.caption.note == ""
    assert "real [row 9, column 64]" in cell_tip(plain_one, 2, 3, Words.load("en"), follows=False)
    monkeypatch.setitem(sys.modules, "gguf.constants", None)
    assert main(arguments) == 2
    assert "[models,gguf]" in capsys.readouterr().err


def test_settings_are_shown_as_they_stand(folder: Path) -> None:
    """On one line each, and cut where they are very long; a folder without any has its tensors all the same."""
    told = dict(read_files(folder).settings)
    assert (told["model_type"], told["quantization_config"]) == ('"own"', '{"bits": 4}')
    assert len(told["x"]) == 400 and told["x"].endswith("…")
    (folder / "config.json").write_text("{")
    assert read_files(folder).settings == () and len(read_files(folder).tensors) == len(STORED)


def test_a_name_a_folder_or_a_file_of_it_means_its_files(home: Home) -> None:
    """What no program opens safely is not read, and a name that nothing has is told with the nearest one."""
    snapshot, blob = home.download("acme/a", model_type="own"), home.pull("registry.ollama.ai/library/tiny/1b")
    for name in ("acme/a", str(snapshot), str(snapshot / "config.json"), str(snapshot / "model.safetensors")):
        assert files_place(name) == snapshot
    assert files_place("tiny:1b") == blob and len(read_files(blob).tensors) == len(TENSORS)
    assert len(read_files(files_place(str(write_base(home.root / "lora", "acme/a")))).tensors) == len(TENSORS)
    for number in (1, 2):
        write_packed(home.root / "parts" / f"a-0000{number}-of-00002.gguf")
    assert len(read_files(home.root / "parts" / "a-00001-of-00002.gguf").tensors) == 2 * len(TENSORS)
    with pytest.raises(errors.UnknownParameter, match=r"wte\.weight"):
        read_files(snapshot).named("wte.wight")
    old = home.root / "old"
    old.mkdir()
    with pytest.raises(errors.NoModelInside):
        files_place(str(old))
    with pytest.raises(errors.NoModelInside):
        read_files(old)
    (old / "pytorch_model.bin").touch()
    with pytest.raises(errors.NeedsSafetensors):
        read_files(old)
    with pytest.raises(errors.NothingThere):
        files_place("nothing-of-this-name")


def test_a_file_that_ends_early_is_told(folder: Path) -> None:
    """It was whole when it was listed."""
    own = read_files(folder).named("experts")
    os.truncate(own.file, own.begin + 10)
    with pytest.raises(errors.BadWeights):
        read_tensor(own)
