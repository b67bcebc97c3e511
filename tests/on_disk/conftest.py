"""A home with models in the stores of other programs, written by hand."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.foreign.gguf_files import gguf, plain
from tests.foreign.models import write_safetensors

SNAPSHOT = "0123456789abcdef0123456789abcdef01234567"
TENSORS = {"wte.weight": np.arange(12, dtype=np.float32).reshape(4, 3), "ln.bias": np.ones(3, np.float32)}
TOLD = {"general.architecture": "mamba", "mamba.block_count": 1}


def write_plain(folder: Path, **settings: Any) -> Path:
    """A folder with settings and weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(settings))
    write_safetensors(folder / "model.safetensors", TENSORS)
    return folder


def write_packed(path: Path) -> Path:
    """A file in GGUF of a family that nobody runs here."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf(TOLD, {name: plain(array, "F16") for name, array in TENSORS.items()}))
    return path


def write_base(folder: Path, base: str) -> Path:
    """The settings of an adapter, with its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base}))
    write_safetensors(folder / "adapter_model.safetensors", TENSORS)
    return folder


class Home:
    """A home, its stores, and a way to put models there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hub, self.ollama = root / "hub", root / ".ollama" / "models"

    def download(self, name: str, **settings: Any) -> Path:
        """As the Hugging Face library stores what it downloads."""
        cached = self.hub / f"models--{name.replace('/', '--')}"
        (cached / "refs").mkdir(parents=True)
        (cached / "refs" / "main").write_text(SNAPSHOT)
        return write_plain(cached / "snapshots" / SNAPSHOT, **settings)

    def pull(self, place: str) -> Path:
        """As Ollama stores what it pulls: HOST/OWNER/MODEL/TAG."""
        raw = write_packed(self.root / "pulled").read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        blob = self.ollama / "blobs" / f"sha256-{digest}"
        blob.parent.mkdir(parents=True, exist_ok=True)
        (self.root / "pulled").replace(blob)
        manifest = self.ollama / "manifests" / place
        manifest.parent.mkdir(parents=True)
        layers = [
            {"mediaType": f"application/vnd.ollama.image.{kind}", "digest": f"sha256:{digest}"} for kind in ("model", "params")
        ]
        manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers[::-1]}))
        return blob


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty one."""
    root = tmp_path / "home"
    root.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(root))
    for name in ("HF_HOME", "HUGGINGFACE_HUB_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(root / "hub"))
    monkeypatch.setattr("explorer.model_stores._OF_SERVICE", root / "no-service")
    return Home(root)
