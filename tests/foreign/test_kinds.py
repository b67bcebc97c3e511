"""Whole folders of models open, whatever class saved them: what the files hold decides which class reads them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from explorer.errors import LacksTensors, NeedsCode, SharedLayers, UnknownClass, UnknownFamily, WantsMoreThanText
from explorer.foreign.card import card_of
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import Opened, open_model
from explorer.foreign.settings import read_settings
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import card_rows
from tests.foreign.models import ALL, BY_SOFTMAX, families, fresh, write_model

slow = pytest.mark.slow
Tensors = dict[str, torch.Tensor]


def saved(folder: Path, name: str, kind: str, **changed: Any) -> Path:
    """The folder of a class of transformers with the settings of a tiny model; a setting of None is taken away."""
    import transformers

    config, _kind, values = ALL[name]
    torch.manual_seed(1)
    getattr(transformers, kind)(getattr(transformers, config)(**values)).save_pretrained(folder)
    with_settings(folder, **changed)
    return folder


def with_settings(folder: Path, **changed: Any) -> None:
    path = folder / "config.json"
    told = json.loads(path.read_text()) | changed
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


def without(folder: Path, part: str) -> None:
    path = folder / "model.safetensors"
    kept = {name: each for name, each in load_file(path).items() if part not in name}
    save_file(kept, path, {"format": "pt"})


def opened_from(folder: Path) -> Opened:
    return open_model(check_folder(folder))


OPENS: dict[str, tuple[str, str, dict[str, Any], str, str | None]] = {
    "an answerer of questions": ("bert", "BertForQuestionAnswering", {}, "BertModel", "absent.other_head"),
    "an answerer with a tied output": ("gpt2", "GPT2ForQuestionAnswering", {}, "GPT2Model", "absent.other_head"),
    "a discriminator": ("electra", "ElectraForPreTraining", {}, "ElectraModel", "absent.other_head"),
    "an encoder of T5": ("t5", "T5EncoderModel", {}, "T5EncoderModel", "absent.no_output"),
    "an encoder by its own name": ("t5", "T5EncoderModel", {"architectures": ["Own"]}, "T5EncoderModel", "absent.no_output"),
    "both objectives of BERT": ("bert", "BertForPreTraining", {}, "BertForMaskedLM", None),
    "a class of its own": ("gpt2", "GPT2LMHeadModel", {"architectures": ["MyGPT"]}, "GPT2LMHeadModel", None),
    "an older name": ("llama", "LlamaForCausalLM", {"architectures": ["LLaMAForCausalLM"]}, "LlamaForCausalLM", None),
    "no class": ("llama", "LlamaForCausalLM", {"architectures": None}, "LlamaForCausalLM", None),
    "no class and no output": ("llama", "LlamaModel", {"architectures": None}, "LlamaModel", "absent.no_output"),
    "a model without its output": ("llama", "LlamaModel", {}, "LlamaModel", "absent.no_output"),
}


@slow
@pytest.mark.parametrize("name", OPENS)
def test_what_the_files_hold_decides_which_class_reads_them(name: str, tmp_path: Path) -> None:
    """Its output is there wherever it was saved, and a head that cannot be shown is told on the card."""
    model, kind, changed, reads, absent = OPENS[name]
    found = opened_from(saved(tmp_path / "m", model, kind, **changed))
    card = card_of(found, "x")

    assert type(found.foreign.model).__name__ == reads
    assert card.absent.get("generator.logits") == absent
    assert found.foreign.has_output == (absent is None)
    assert found.agrees
    assert found.foreign.streams is not None


@slow
def test_an_encoder_without_its_pooler_opens(tmp_path: Path) -> None:
    """What a pooler makes is shown nowhere, and many files lack it."""
    folder = saved(tmp_path / "m", "bert", "BertModel")
    whole = opened_from(folder).foreign
    without(folder, "pooler")
    ids = torch.tensor([[5, 9, 30, 9]])

    assert torch.equal(opened_from(folder).foreign(ids, None), whole(ids, None))


@slow
def test_code_that_is_not_needed_is_left_alone_and_told(tmp_path: Path) -> None:
    """transformers has this kind of model itself: the card says in both languages that the folder asked."""
    folder = saved(tmp_path / "m", "llama", "LlamaForCausalLM", auto_map={"AutoModelForCausalLM": "modeling.Own"})
    (folder / "modeling.py").write_text("raise SystemExit('it ran')")
    card = card_of(opened_from(folder), "x")

    assert card.code == "auto_map"
    for language in LANGUAGES:
        words = Words.load(language)
        assert "auto_map" in dict(card_rows(card, words))[words("card.code")]


@slow
@pytest.mark.parametrize(("code", "kind"), [(None, LacksTensors), ({"AutoModel": "modeling.Own"}, NeedsCode)])
def test_a_tensor_that_is_in_no_file_is_told_by_its_name_or_by_the_code_that_may_not_want_it(
    code: object, kind: type[Exception], tmp_path: Path
) -> None:
    """A folder with code of its own may have another network under a known name."""
    folder = saved(tmp_path / "m", "llama", "LlamaForCausalLM", auto_map=code)
    without(folder, "layers.1.mlp.up_proj")

    with pytest.raises(kind, match=r"auto_map" if code else r"LlamaForCausalLM.*up_proj"):
        opened_from(folder)


_VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
_CLIP = {"text_config": _VISION | {"vocab_size": 40}, "vision_config": _VISION | {"image_size": 8, "patch_size": 4}}
_SPEECH = {"vocab_size": 40, "d_model": 16, "num_mel_bins": 4, "max_source_positions": 8, "max_target_positions": 16}
_SPEECH |= {f"{side}_{part}": 2 for side in ("encoder", "decoder") for part in ("layers", "attention_heads", "ffn_dim")}
_SPEECH |= dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"), 1)
_CYCLES = {"vocab_size": 40, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
_DPR = {"vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48}

NOT_SHOWN: dict[str, tuple[str, str, dict[str, Any], type[UnknownFamily], str]] = {
    "pictures and texts": ("CLIPConfig", "CLIPModel", _CLIP, WantsMoreThanText, "pixel_values"),
    "speech": ("WhisperConfig", "WhisperForConditionalGeneration", _SPEECH, WantsMoreThanText, "input_features"),
    "layers in cycles": ("HrmTextConfig", "HrmTextForCausalLM", _CYCLES, SharedLayers, "6"),
    "a class of its own": ("DPRConfig", "DPRContextEncoder", _DPR, UnknownClass, "DPRContextEncoder"),
}
"""Whole folders of models that cannot be shown: why, and what the sentence names."""


@slow
@pytest.mark.parametrize("name", NOT_SHOWN)
def test_a_model_that_cannot_be_shown_says_what_it_is(name: str, tmp_path: Path) -> None:
    """And not that its kind is unknown, which is true of the others alone."""
    import transformers

    config, kind, values, refused, told = NOT_SHOWN[name]
    getattr(transformers, kind)(getattr(transformers, config)(**values)).save_pretrained(tmp_path)

    with pytest.raises(UnknownFamily) as caught:
        opened_from(tmp_path)
    assert type(caught.value) is refused
    for language in LANGUAGES:
        assert told in Words.load(language).error(caught.value)


PRIVATE = st.dictionaries(
    st.from_regex(r"_{1,2}[a-z][a-z_]{0,12}", fullmatch=True).filter(
        lambda key: "implementation" not in key and "load_in" not in key
    ),
    st.none()
    | st.booleans()
    | st.integers(-(2**20), 2**20)
    | st.floats(-1e6, 1e6)
    | st.text(max_size=20)
    | st.lists(st.integers(0, 9) | st.text(max_size=4), max_size=3)
    | st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2),
    max_size=4,
)
"""Private settings of every type that JSON has."""


@slow
@pytest.mark.parametrize("name", families(ALL | BY_SOFTMAX))
def test_every_family_opens_as_its_library_saves_it_with_any_private_settings(name: str, tmp_path: Path) -> None:
    """Numbers are data and reach the library, texts and tables do not; none of them makes the folder ask for code."""
    folder = write_model(tmp_path / "m", name)
    whole = json.loads((folder / "config.json").read_text())
    given_here: list[dict[str, Any]] = []

    @settings(max_examples=20, database=None, deadline=None)
    @given(PRIVATE)
    def passes(private: dict[str, Any]) -> None:
        (folder / "config.json").write_text(json.dumps(whole | private))
        check_folder(folder)
        kept, code = read_settings(folder)
        assert code == ""
        assert not [key for key, value in private.items() if key in kept and isinstance(value, str | dict)]
        given_here.append(private)

    passes()
    private = max(given_here, key=len) | {"_attn_implementation_autoset": True, "_flash_attn_2_enabled": False}
    with_settings(folder, **private, _pre_quantization_dtype="torch.bfloat16", attn_implementation={"": "sdpa"})

    found = opened_from(folder)
    assert type(found.foreign.model).__name__ == type(fresh(name)).__name__


@pytest.mark.parametrize(
    ("key", "value"), [("_sliding_window_pattern", 6), ("_pattern", [1, 2.5, True]), ("_limit", {"__float__": "Infinity"})]
)
def test_numbers_under_private_keys_reach_the_library(key: str, value: object, write: Callable[..., Path]) -> None:
    """Gemma 3 saves how many of its layers slide so, and others write infinity so."""
    kept, _code = read_settings(write(**{key: value, "time_step_limit": [0.0, {"__float__": "Infinity"}]}))

    assert (kept.get(key) == value) == (key != "_limit")
    assert kept["time_step_limit"] == [0.0, float("inf")]


@pytest.mark.parametrize("value", ["evil/kernels", {"key": "value"}, ["a"]])
def test_texts_under_private_keys_reach_nobody(value: object, write: Callable[..., Path]) -> None:
    """One of them once made the library load code from the network (CVE-2026-4372)."""
    kept, _code = read_settings(write(_own=value, inner={"_own": value, "own": 1}))

    assert "_own" not in kept
    assert kept["inner"] == {"own": 1}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """A folder with a config.json of these settings."""

    def written(**settings: Any) -> Path:
        (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"} | settings))
        return tmp_path

    return written
