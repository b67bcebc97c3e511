"""Folders with models of others: settings, adapters, vocabularies and headers of GGUF in which something cannot be."""

import json
import shutil
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

import explorer
from explorer.api.lending import computer_of_process
from explorer.engine.request import Request
from explorer.foreign.adapter import SETTINGS, WEIGHTS
from tests.foreign.gguf_files import write_gguf
from tests.foreign.models import fresh, write_model, write_safetensors
from tests.fuzz import damage, documents, gguf_bytes, traces, vocabularies, writing
from tests.fuzz.trial import Trial

_INDEX, _MODULES = "model.safetensors.index.json", "modules.json"
_FAMILIES = ("gpt2", "gpt2", "llama", "bert", "t5", "bart")
_POOLED = [{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}, {"path": "pool", "type": "a.Pooling"}]
_TABLES = ("config.json", "config.json", "config.json", "generation_config.json", "tokenizer_config.json", _INDEX, _MODULES)
_ADAPTED = {"transformer.h.0.attn.c_attn": (32, 96), "transformer.h.1.mlp.c_proj": (128, 32)}  # in, out
_ADAPTER = {
    "peft_type": "LORA",
    "r": 3,
    "lora_alpha": 6.0,
    "bias": "none",
    "use_rslora": False,
    "rank_pattern": {"h.1.mlp.c_proj": 3},
    "alpha_pattern": {"h.1.mlp.c_proj": 2.0},
}
_SIZES = (0.1, 1.0, 1e4, 1e15, 1e19, 1e30, 3e38)


def folders(trial: Trial) -> None:
    """Settings of a model that were changed; the model is opened, and seen, or refused in a sentence."""
    chance = trial.chance
    folder = _copied(trial, chance.choice(_FAMILIES))
    name = chance.choice(_TABLES)
    path = folder / name
    if chance.random() < 0.05:
        damage.put_odd(path, chance)
    else:
        told = json.loads(path.read_bytes()) if path.is_file() else _made(name, folder)
        if isinstance(told, dict) and chance.random() < 0.2:
            told |= chance.choice(
                ({"is_encoder_decoder": True}, {"is_decoder": True}, {"num_labels": 3}, {"layer_types": ["a"]})
            )
        path.write_bytes(documents.written(told, chance))
    _look(folder, trial)


def _made(name: str, folder: Path) -> Any:
    """What a table says that the folder lacks so far."""
    if name == _INDEX:
        return {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(("a", "b"), "model.safetensors")}
    if name == _MODULES:
        (folder / "pool").mkdir()
        (folder / "pool" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
        return _POOLED
    return {"do_lower_case": True, "chat_template": "{{ messages }}"}


def adapters(trial: Trial) -> None:
    """An adapter whose settings or numbers are of any size is put on a model."""
    chance = trial.chance
    folder = trial.folder / "adapter"
    folder.mkdir()
    (folder / SETTINGS).write_bytes(documents.written(_ADAPTER, chance))
    drawn = np.random.default_rng(chance.randrange(100))
    size = chance.choice(_SIZES)
    tensors = {
        f"base_model.model.{name}.lora_{which}.weight": (size * drawn.normal(size=shape).clip(-1, 1)).astype(np.float32)
        for name, (n_in, n_out) in _ADAPTED.items()
        for which, shape in (("A", (3, n_in)), ("B", (n_out, 3)))
    }
    write_safetensors(folder / WEIGHTS, tensors)
    if chance.random() < 0.1:
        damage.put_odd(folder / chance.choice((SETTINGS, WEIGHTS)), chance)
    _look(_model("gpt2"), trial, adapter=str(folder))


def tokenizers(trial: Trial) -> None:
    """A vocabulary whose patterns, normalizers and ids are anybody's; a text comes to tokens, or is refused."""
    chance = trial.chance
    folder = _copied(trial, chance.choice(("gpt2", "bert")))
    path = folder / "tokenizer.json"
    if chance.random() < 0.05:
        damage.put_odd(path, chance)
    else:
        path.write_bytes(vocabularies.spoiled(json.loads(path.read_bytes()), chance))
    _look(folder, trial, text=vocabularies.text(chance))


def headers(trial: Trial) -> None:
    """A model in GGUF whose header claims more than there is, or holds lists that grow when they are read."""
    chance = trial.chance
    folder = trial.folder / "packed"
    folder.mkdir()
    path = folder / "model.gguf"
    if chance.random() < 0.05:
        damage.put_odd(path, chance)
    else:
        gguf_bytes.write(path, _packed(), chance)
    _look(folder, trial)


def _look(folder: Path, trial: Trial, *, text: str = "", **wished: Any) -> None:
    """Open the model, record a pass, and ask what a notebook asks."""
    text = text or writing.sentence(trial.chance)[:12]
    with trial.asking():
        request = Request.from_preset(str(folder), text)
        request = request.wishing(**wished) if wished else request
        trace = computer_of_process()(request).trace
        trial.beat()
        traces.check_said(trace, trial)
        traces.check_tokens(trace, trial)
        if wished:  # Numbers of an adapter may be of any size; what comes of them is said, if it is none.
            traces.check_finite(trace, trial)
    if (folder / _MODULES).exists():
        trial.beat()
        with trial.asking():
            explorer.similar(["the fox", "a dog"], preset=folder)


def _copied(trial: Trial, family: str) -> Path:
    folder = trial.folder / "model"
    shutil.copytree(_model(family), folder)
    return folder


@lru_cache(maxsize=8)
def _model(family: str) -> Path:
    return write_model(Path(mkdtemp()), family)  # in the process's own temporary folder, which is taken away with it


@lru_cache(maxsize=1)
def _packed() -> bytes:
    return write_gguf(Path(mkdtemp()) / "model.gguf", fresh("llama"), "llama").read_bytes()
