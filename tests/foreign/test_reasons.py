"""What is said of a folder that cannot be opened: the true reason, and no word of damage where its files are whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from explorer import errors
from explorer.engine.sources.folders import open_folder
from explorer.errors import ExplorerError
from explorer.lang import LANGUAGES, Words
from tests.foreign.models import write_folder, write_model, write_safetensors

slow = pytest.mark.slow
FAULTS = {"en": ("damaged", "copy", "broken"), "zh": ("损坏", "拷贝", "复制")}
"""What may be said of files that are not whole, and of no others."""
Spoil = Callable[[Path], object]


def changed(**settings: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        told = json.loads((folder / "config.json").read_text()) | settings
        (folder / "config.json").write_text(json.dumps({key: value for key, value in told.items() if value is not None}))

    return spoil


def tensors(change: Callable[[dict[str, Any]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        found = load_file(folder / "model.safetensors")
        change(found)
        save_file(found, folder / "model.safetensors", {"format": "pt"})

    return spoil


def of_eight_bits(folder: Path) -> None:
    """A file whose tensors are of a kind that float8 models have; the header alone says so."""
    path = folder / "model.safetensors"
    write_safetensors(path, {"model.embed_tokens.weight": np.zeros((40, 32), np.int8)})
    path.write_bytes(path.read_bytes().replace(b'"I8"', b'"F8_E4M3"').replace(b"\x00" * 3, b"\x00" * 3))
    raw = path.read_bytes()
    length = len(raw[8:].partition(b"}}")[0]) + 2
    path.write_bytes(length.to_bytes(8, "little") + raw[8:])


def vocabulary(name: str, content: str) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / "tokenizer.json").unlink()
        (folder / name).write_text(content, encoding="utf-8")

    return spoil


WHOLE: dict[str, tuple[Spoil, type[ExplorerError], str]] = {
    "a kind of its own": (changed(model_type="nonesuch"), errors.UnknownFamily, "nonesuch"),
    "no kind": (changed(model_type=None), errors.NoModelType, "model_type"),
    "code of its own": (changed(model_type="nonesuch", auto_map={"AutoModel": "a.B"}), errors.NeedsCode, "auto_map"),
    "a kernel from the network": (changed(attn_implementation="org/kernel"), errors.NeedsCode, "org/kernel"),
    "quantized": (changed(quantization_config={"quant_method": "awq"}), errors.Quantized, "awq"),
    "quantized by a private key": (changed(inner={"_load_in_4bit": True}), errors.Quantized, "load_in_4bit"),
    "numbers of eight bits": (of_eight_bits, errors.Quantized, "F8_E4M3"),
    "a setting that no model can have": (changed(hidden_act="evil"), errors.BadSettings, "evil"),
    "fewer layers than one": (changed(num_hidden_layers=-1), errors.ImpossibleNumber, "num_hidden_layers"),
    "no layers": (changed(num_hidden_layers=0), errors.ImpossibleNumber, "num_hidden_layers"),
    "a negative width": (changed(hidden_size=-32), errors.ImpossibleNumber, "-32"),
    "no heads": (changed(num_attention_heads=0), errors.ImpossibleNumber, "num_attention_heads"),
    "half a head": (changed(num_key_value_heads=1.5), errors.ImpossibleNumber, "1.5"),
    "layers in words": (changed(num_hidden_layers="2"), errors.TextForNumber, '"2"'),
    "a truth for a number": (changed(vocab_size=True), errors.NotANumber, "true"),
    "more layers than were saved": (changed(num_hidden_layers=3), errors.LacksTensors, "layers.2"),
    "a tensor that was not saved": (
        tensors(lambda found: found.pop("model.layers.0.mlp.up_proj.weight")),
        errors.LacksTensors,
        "up_proj",
    ),
    "more layers than tensors": (changed(num_hidden_layers=4000), errors.WeightsDoNotFit, "num_hidden_layers"),
    "tensors of another size": (changed(intermediate_size=40), errors.WeightsDoNotFit, "mlp"),
    "numbers that are none": (
        tensors(lambda found: found["model.norm.weight"].__setitem__(3, np.nan)),
        errors.NotFinite,
        "model.norm.weight",
    ),
    "an endless number": (
        tensors(lambda found: found["model.norm.weight"].__setitem__(3, np.inf)),
        errors.NotFinite,
        "model.norm.weight",
    ),
    "a vocabulary of an unknown kind": (vocabulary("vocab.txt", "a\nb\n"), errors.UnknownTokenizer, "vocab.txt"),
    "a vocabulary of another model": (
        vocabulary("vocab.txt", "\n".join(["[UNK]", "[CLS]", "[SEP]", *(f"w{n}" for n in range(200))])),
        errors.BadVocabulary,
        "203",
    ),
    "pickles alone": (
        lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
        errors.NeedsConversion,
        "transformer-explorer convert",
    ),
}
"""Folders whose files are as they were written: what spoils one, the reason, and what the sentence names."""


@slow
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_folder_is_refused_for_its_true_reason(name: str, tmp_path: Path) -> None:
    """In both languages; nobody is sent to copy files that are whole, or told that they are damaged."""
    spoil, kind, told = WHOLE[name]
    folder = write_model(tmp_path / "m", "llama")
    spoil(folder)

    with pytest.raises(ExplorerError) as caught:
        open_folder(folder, "x")

    assert type(caught.value) is kind
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert str(folder) in sentence
        assert told in sentence
        assert not [word for word in FAULTS[language] if word in sentence.replace(str(folder), "").lower()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_errors_of_files_that_are_not_whole_speak_of_damage(language: str) -> None:
    """The next error of a folder is held to it, too."""
    texts = Words.load(language)
    speaking = {
        kind.__name__
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, errors.BadFolder | errors.BadWeights | errors.BadVocabulary)
        and "key" in vars(kind)
        and any(word in texts.without_values(kind.key).lower() for word in FAULTS[language])
    }

    assert speaking <= {"MissingWeights", "BadWeights"}


def test_files_that_are_missing_or_cut_off_are_told_as_such(tmp_path: Path) -> None:
    """For these it is true."""
    folder = write_folder(tmp_path / "m")
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(errors.BadWeights, match=r"model\.safetensors"):
        open_folder(folder, "x")
    path.unlink()
    with pytest.raises(errors.MissingWeights, match=r"\*\.safetensors"):
        open_folder(folder, "x")
