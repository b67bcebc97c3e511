"""Weights on disk: half precision, nothing unpickled, and a clear word for every file that is not what it should be."""

import json
import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from explorer.config import Config
from explorer.errors import BadWeights, CannotWrite, DiskFull
from explorer.lang import LANGUAGES, Words
from explorer.model import weights_file as trained
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.model.weights_file import load_weights, read_about, read_copies, read_tensors, save_weights, write_tensors
from tests.mapped import is_mapped
from tests.model.models import randomized, small

pytestmark = pytest.mark.slow

unpickled: list[str] = []


class Trap:
    """Whoever unpickles this is noticed."""

    def __reduce__(self) -> tuple[object, ...]:
        return unpickled.append, ("caught",)


def a_model(config: Config) -> Transformer:
    return randomized(build(config))  # type: ignore[return-value]


def saved(path: Path, config: Config) -> Transformer:
    """A random model, its weights in a file under the names that training uses."""
    model = a_model(config)
    save_weights(path, dict(model.named_parameters()), {"note": "here"})
    return model


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"tied_embeddings": True},
        {"tied_embeddings": True, "target_vocab_size": 30},
        {"position": "learned", "bias": False},
        {"norm_kind": "std-eps"},
    ],
)
def test_weights_come_back_in_half_precision(tmp_path: Path, knobs: dict[str, object]) -> None:
    """Each number is the nearest float16, tied matrices are one again, and the model computes with them."""
    config = small(**knobs)
    model = saved(tmp_path / "w.safetensors", config)
    again = build(config, load_weights(tmp_path / "w.safetensors", config))

    for (name, before), (same, after) in zip(model.named_parameters(), again.named_parameters(), strict=True):
        assert name == same
        assert after.dtype == torch.float32
        assert torch.equal(after, before.half().float()), name
    rounded = build(config, {name: value.half().float() for name, value in model.state_dict().items()})
    source, target = ids_tensor((5, 6, 7)), ids_tensor((2, 8))
    assert torch.equal(again(source, target), rounded(source, target))
    assert read_about(tmp_path / "w.safetensors") == {"note": "here"}


def test_the_file_takes_two_bytes_a_number(tmp_path: Path) -> None:
    """Tied matrices once."""
    config = small(tied_embeddings=True, vocab_size=4000)
    model = saved(tmp_path / "w.safetensors", config)

    count = sum(parameter.numel() for parameter in model.parameters())
    assert 2 * count < (tmp_path / "w.safetensors").stat().st_size < 2.1 * count


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _header_flipped(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[12] ^= 255
    path.write_bytes(bytes(whole))


def _endless_header(path: Path) -> None:
    path.write_bytes(struct.pack("<Q", 2**62) + path.read_bytes()[8:])


def _pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"weights": Trap()}))


def _torch_saved(path: Path) -> None:
    torch.save({"weights": torch.zeros(3)}, path)


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _with_header(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    whole = path.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    told = json.loads(whole[8 : 8 + length])
    change(told)
    head = json.dumps(told).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + whole[8 + length :])


def _other_numbers(path: Path) -> None:
    _with_header(path, lambda told: told["generator.project.bias"].update(dtype="U16"))


def _a_gap(path: Path) -> None:
    _with_header(path, lambda told: told["generator.project.bias"].update(data_offsets=[10**15, 10**15 + 100]))


def _negative(path: Path) -> None:
    _with_header(path, lambda told: told["generator.project.bias"].update(shape=[-50]))


def _much_too_large(path: Path) -> None:
    _with_header(path, lambda told: told["generator.project.bias"].update(shape=[10**12], data_offsets=[0, 2 * 10**12]))


def _deep(path: Path) -> None:
    head = b"[" * 100_000
    path.write_bytes(struct.pack("<Q", len(head)) + head)


def _odd_texts(path: Path) -> None:
    _with_header(path, lambda told: told.update(__metadata__={"a": 5}))


def _endless_numbers(path: Path) -> None:
    _with_header(path, lambda told: told["generator.project.bias"].update(shape=[10**3999] * 2000))


def _a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _a_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _removed(path: Path) -> None:
    path.unlink()


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = (
    _other_numbers,
    _a_gap,
    _negative,
    _much_too_large,
    _deep,
    _odd_texts,
    _endless_numbers,
    _a_pipe,
    _a_device,
    _truncated,
    _header_flipped,
    _endless_header,
    _pickled,
    _torch_saved,
    _emptied,
    _removed,
    _a_folder,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: object) -> None:
    """In both languages with its path, and whatever it holds is never unpickled."""
    path = tmp_path / "w.safetensors"
    saved(path, small())
    damage(path)  # type: ignore[operator]
    with pytest.raises(BadWeights) as caught:
        load_weights(path, small())

    assert all(str(path) in Words.load(language).error(caught.value) for language in LANGUAGES)
    assert unpickled == []


@pytest.mark.parametrize(
    ("knobs", "told"),
    [
        ({"n_layers": 3}, "-decoder.layers.2"),
        ({"n_layers": 1}, "+decoder.layers.1"),
        ({"d_model": 48}, "[50, 24] ≠ [50, 48]"),
        ({"vocab_size": 51}, "≠ [51"),
        ({"position": "learned"}, "learned"),
        ({"tied_embeddings": True}, "+"),
        ({"architecture": "encoder-only"}, "+decoder"),
    ],
)
def test_weights_of_another_model_are_refused(tmp_path: Path, knobs: dict[str, object], told: str) -> None:
    """The sentence names what is missing (-), too much (+) or of another shape (≠)."""
    saved(tmp_path / "w.safetensors", small())
    with pytest.raises(BadWeights) as caught:
        load_weights(tmp_path / "w.safetensors", small(**knobs))

    assert told in Words.load("en").error(caught.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(tmp_path: Path, number: float) -> None:
    """One of them would make all logits NaN."""
    path = tmp_path / "w.safetensors"
    saved(path, small())
    tensors = load_file(path)
    tensors["generator.project.bias"][3] = number
    save_file(tensors, path)
    with pytest.raises(BadWeights, match="generator"):
        load_weights(path, small())


@pytest.mark.parametrize("number", [float("nan"), 1e6])
def test_a_number_that_is_none_replaces_no_file(tmp_path: Path, number: float) -> None:
    """A training that went astray, or a weight beyond half precision: better the older weights."""
    path = tmp_path / "w.safetensors"
    model = saved(path, small())
    before = path.read_bytes()
    model.generator.project.bias[3] = number
    with pytest.raises(BadWeights, match="generator"):
        save_weights(path, dict(model.named_parameters()), {})

    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_other_precisions_are_widened_or_narrowed(tmp_path: Path, kind: torch.dtype) -> None:
    """Weights that somebody else wrote may have any."""
    model = a_model(small())
    save_file({name: value.detach().to(kind) for name, value in model.named_parameters()}, tmp_path / "w.safetensors")

    for name, value in load_weights(tmp_path / "w.safetensors", small()).items():
        assert torch.equal(value, model.get_parameter(name).to(kind).float())


def full_disk(tensors: object, path: Path, about: object) -> None:
    """Half a file, and then what safetensors says when the disk is full."""
    path.write_bytes(b"half")
    raise trained.SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")


def test_a_full_disk_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """safetensors' own error becomes the user's; nothing is left beside."""
    path = tmp_path / "w.safetensors"
    write_tensors(path, {"a": torch.ones(3)}, {})
    monkeypatch.setattr(trained, "save_file", full_disk)
    with pytest.raises(DiskFull) as caught:
        write_tensors(path, {"a": torch.zeros(3)}, {})

    assert str(path) in Words.load("zh").error(caught.value)
    assert torch.equal(read_tensors(path)["a"], torch.ones(3))
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_breaks_off_leaves_the_older_file(tmp_path: Path) -> None:
    """safetensors itself, in a process that may write no large file."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "w.safetensors"
    write_tensors(path, {"a": torch.ones(3)}, {})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(CannotWrite) as caught:
            write_tensors(path, {"a": torch.zeros(100_000)}, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert type(caught.value) is CannotWrite
    assert "27" in Words.load("en").error(caught.value) or "large" in Words.load("en").error(caught.value)
    assert torch.equal(read_tensors(path)["a"], torch.ones(3))
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_without_a_number_is_told_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is guessed."""

    def broken(*_given: object) -> None:
        raise trained.SafetensorError("something else")

    monkeypatch.setattr(trained, "save_file", broken)
    with pytest.raises(CannotWrite, match="something else") as caught:
        write_tensors(tmp_path / "w.safetensors", {}, {})

    assert type(caught.value) is CannotWrite


def test_a_header_is_text(tmp_path: Path) -> None:
    """What a training tells about itself comes back as it was."""
    about = {"history": json.dumps([{"loss": 1.5}]), "note": "中文"}
    write_tensors(tmp_path / "w.safetensors", {"a": torch.ones(1)}, about)

    assert read_about(tmp_path / "w.safetensors") == about


@pytest.mark.parametrize("damage", [_other_numbers, _negative, _much_too_large])
def test_a_header_is_checked_before_a_number_is_read(
    damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So is one of another model: nothing of the file but its header is looked at."""
    path = tmp_path / "w.safetensors"
    saved(path, small())
    monkeypatch.setattr(trained, "safe_open", lambda *_given, **_more: pytest.fail("the numbers were read"))
    with pytest.raises(BadWeights):
        load_weights(path, small(n_layers=3))
    damage(path)
    with pytest.raises(BadWeights):
        load_weights(path, small())


def test_copies_leave_the_file_and_other_tensors_stay_mapped(tmp_path: Path) -> None:
    """Both hold the same numbers; a file of which tensors are mapped cannot be replaced on Windows."""
    path = tmp_path / "a.safetensors"
    write_tensors(path, {"a": torch.arange(4096.0)}, {})
    mapped = read_tensors(path)
    assert is_mapped(path)
    copies = read_copies(path)
    assert torch.equal(copies["a"], mapped["a"])
    del mapped
    assert not is_mapped(path)
