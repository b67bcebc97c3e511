"""Folders that pass the check and are no models all the same, and what is imported when."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from explorer.errors import (
    BadSettings,
    ExplorerError,
    LacksTensors,
    NoAttention,
    NotFinite,
    NotInstalled,
    TextForNumber,
    UnknownFamily,
    WeightsDoNotFit,
)
from explorer.foreign.card import card_of
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model, with_taps
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import card_rows
from tests.foreign.models import ALL, opened, write_model

CODE = Path(__file__).parents[2] / "explorer"
slow = pytest.mark.slow


def with_settings(folder: Path, **changed: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


def with_tensors(folder: Path, change: Any) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, {"format": "pt"})


def spoiled(tensors: dict[str, Any]) -> None:
    tensors["transformer.wte.weight"][3, 3] = np.nan


WRONG = {
    "missing tensors": (
        lambda folder: with_tensors(folder, lambda tensors: tensors.pop("transformer.h.1.ln_1.weight")),
        LacksTensors,
        "transformer.h.1.ln_1.weight",
    ),
    "a missing layer": (lambda folder: with_settings(folder, n_layer=3), LacksTensors, "transformer.h.2"),
    "wrong shapes": (lambda folder: with_settings(folder, n_embd=64), WeightsDoNotFit, "transformer"),
    "not a number": (lambda folder: with_tensors(folder, spoiled), NotFinite, "NaN"),
    "far too large": (lambda folder: with_settings(folder, vocab_size=2**24), WeightsDoNotFit, "/"),
    "an unknown activation": (lambda folder: with_settings(folder, activation_function="evil"), BadSettings, "evil"),
    "unknown family": (lambda folder: with_settings(folder, model_type="nonesuch"), UnknownFamily, "nonesuch"),
    "settings of another type": (lambda folder: with_settings(folder, n_embd="wide"), TextForNumber, '"wide"'),
    "a family without a model": (lambda folder: with_settings(folder, model_type="encodec_vocab"), UnknownFamily, "encodec"),
}


@slow
@pytest.mark.parametrize("name", WRONG)
def test_a_folder_that_is_no_model_is_refused(name: str, tmp_path: Path) -> None:
    """In one sentence that names the folder and what is wrong. Random numbers in place of missing ones are no model."""
    change, kind, told = WRONG[name]
    folder = write_model(tmp_path / "m", "gpt2")
    change(folder)

    with pytest.raises(ExplorerError) as caught:
        open_model(check_folder(folder))

    assert type(caught.value) is kind
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert str(folder) in sentence
        assert told in sentence


@slow
@pytest.mark.parametrize("architectures", [["BertForMaskedLM"], ["BertForSequenceClassification"], ["os.system"], None, "odd"])
def test_the_class_of_a_model_is_one_of_its_family(architectures: object, tmp_path: Path) -> None:
    """Whatever the settings say: the files hold an output over words, and no classes."""
    folder = write_model(tmp_path / "m", "bert")
    with_settings(folder, architectures=architectures)

    found = open_model(check_folder(folder))
    assert type(found.foreign.model).__name__ == "BertForMaskedLM"
    assert found.foreign.has_output
    assert not found.other_head


@slow
def test_weights_of_half_the_width_become_float32(tmp_path: Path) -> None:
    """As numbers of float16 that are read by another library."""
    folder = write_model(tmp_path / "m", "gpt2")
    with_tensors(folder, lambda tensors: tensors.update({name: each.astype(np.float16) for name, each in tensors.items()}))
    model = open_model(check_folder(folder)).foreign.model
    saved = load_file(folder / "model.safetensors")

    assert saved["transformer.wte.weight"].dtype == np.float16
    for name, parameter in model.transformer.named_parameters():
        assert parameter.dtype == torch.float32
        assert (parameter.numpy() == saved[f"transformer.{name}"].astype(np.float32)).all()


@slow
def test_a_library_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    folder = check_folder(write_model(tmp_path / "m", "gpt2"))
    monkeypatch.setitem(sys.modules, "transformers", None)

    with pytest.raises(NotInstalled) as caught:
        open_model(folder)
    assert "transformer-explorer[models]" in str(caught.value)


@slow
def test_transformers_is_as_loud_as_before(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Opening writes nothing, and leaves its settings as they were."""
    from transformers.utils import logging

    folder = check_folder(write_model(tmp_path / "m", "gpt2"))
    capfd.readouterr()
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    open_model(folder)

    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
    assert capfd.readouterr() == ("", "")


@slow
@pytest.mark.parametrize("name", ALL)
def test_the_card_says_what_the_settings_say(name: str) -> None:
    """Most of it is read off a pass; the settings are the independent source."""
    found = opened(name)
    config, card = found.foreign.model.config, card_of(found, "x")

    assert card.family == config.model_type
    assert card.d_model == config.hidden_size
    assert card.parameters == found.foreign.model.num_parameters()
    assert card.architecture == (
        "encoder-decoder"
        if config.is_encoder_decoder
        else "decoder-only"
        if ALL[name][1].endswith(("CausalLM", "LMHeadModel"))
        else "encoder-only"
    )
    for side in card.sides:
        assert side.n_layers == 2
        assert side.n_heads == config.num_attention_heads
        assert side.n_kv_heads == (getattr(config, "num_key_value_heads", None) or config.num_attention_heads)
        assert side.vocab_size == config.vocab_size
        unseen = name in ("mixtral", "qwen3_moe", "gpt_oss")  # All of the latter's layers have experts.
        assert side.d_ff == (0 if unseen else 128 if name in ("gpt2", "gptj") else 48)
    assert card.causal == (() if card.architecture == "encoder-only" else ("decoder.self_attn",))
    assert card.vocab_size == (0 if "without" in name else config.vocab_size)
    assert card.trained


@slow
def test_positions_that_a_family_never_uses_are_no_room_for_tokens() -> None:
    """RoBERTa's positions begin behind that of the padding."""
    assert card_of(opened("bert"), "x").max_len == 32
    assert card_of(opened("roberta"), "x").max_len == 31
    assert card_of(opened("t5"), "x").max_len > 2**14


@slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_absent_tap_has_a_reason(language: str) -> None:
    """In words, for every family."""
    words = Words.load(language)
    for name in ALL:
        card = card_of(opened(name), "x")
        assert card.why_absent("encoder.embedding.scaled")
        assert all(words(key) for key in card.absent.values())


_SMALL = {"vocab_size": 40, "max_position_embeddings": 32, "hidden_size": 32, "intermediate_size": 48}
_SMALL |= {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
MIXED: dict[str, tuple[dict[str, Any], int, int]] = {
    "Mixtral": ({"num_local_experts": 4}, 4, 0),
    "Qwen2Moe": ({"num_experts": 6, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16}, 6, 0),
    "Qwen3Moe": ({"num_experts": 4, "moe_intermediate_size": 16, "head_dim": 8, "num_experts_per_tok": 2}, 4, 0),
    "Lfm2": ({"layer_types": ["conv", "full_attention"]}, 0, 1),
}


@slow
@pytest.mark.parametrize("name", MIXED)
def test_experts_and_layers_without_attention_are_on_the_card(name: str) -> None:
    """In words, in both languages; whose attentions there are is seen, and that none of them looks ahead."""
    import transformers

    changed, n_experts, bare_layers = MIXED[name]
    config = getattr(transformers, f"{name}Config")(**(_SMALL | changed))
    found = with_taps(getattr(transformers, f"{name}ForCausalLM")(config), name)
    card = card_of(found, "x")

    assert (card.n_experts, card.bare_layers) == (n_experts, bare_layers)
    assert card.causal == ("decoder.self_attn",)
    assert len(found.attentions) == 2 - bare_layers
    assert found.difference <= 1e-6
    for language in LANGUAGES:
        words = Words.load(language)
        rows = dict(card_rows(card, words))
        assert (words("card.experts") in rows) == bool(n_experts)
        assert (words("card.bare_layers") in rows) == bool(bare_layers)
        assert str(n_experts or bare_layers) in rows[words("card.experts" if n_experts else "card.bare_layers")]


@slow
def test_a_model_without_any_attention_is_refused() -> None:
    """One of state spaces, with a sentence of its own."""
    import transformers

    config = transformers.MambaConfig(vocab_size=40, hidden_size=32, num_hidden_layers=2)
    with pytest.raises(NoAttention, match="mamba"):
        with_taps(transformers.MambaForCausalLM(config), "x")


def test_only_three_files_import_transformers_and_one_imports_tokenizers() -> None:
    """The contracts of imports name all others."""
    importing: dict[str, set[str]] = {"transformers": set(), "tokenizers": set()}
    for path in CODE.rglob("*.py"):
        for library in re.findall(r"^\s*(?:import|from) (transformers|tokenizers)\b", path.read_text("utf-8"), re.MULTILINE):
            importing[library].add(path.relative_to(CODE).as_posix())

    assert importing == {
        "transformers": {"foreign/attention.py", "foreign/kind.py", "foreign/opening.py"},
        "tokenizers": {"tokens/behind_fence.py"},
    }


@slow
def test_without_a_folder_nothing_of_them_is_imported() -> None:
    """A pass of our own model needs neither."""
    told = (
        "import sys, explorer; explorer.explore('我爱北京', preset='tiny');"
        "print([m for m in ('transformers', 'tokenizers', 'huggingface_hub') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "[]\n"
