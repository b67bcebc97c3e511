"""Models of the size that people really use, beside transformers: each side runs in a fresh process, by turns."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median

import attrs
import torch

from tests.bench.bench import Bench, Task
from tests.bench.row import Row

_SHAPES = {"0.5 B": (896, 4864, 24, 14, 2), "1.5 B": (1536, 8960, 28, 12, 2)}  # d_model, d_ff, layers, heads, key heads
_N_SYMBOLS = 151_936
_FIGURES = {
    "opened": ("opened / from_pretrained", 1.2),
    "pass": ("recorded pass of 32 tokens / its eager pass with outputs", 0.5),
    "key": ("a key behind 32 tokens / its step with a cache", 1.5),
    "peak": ("peak of memory / its peak in float32", 1.1),
}
_TURNS = 3


def tasks() -> list[Task]:
    """Gigabytes and minutes, so they have to be asked for."""
    return [Task("large", tuple(_names(size)), partial(_beside_transformers, size=size), asked=True) for size in _SHAPES]


def _names(size: str) -> list[str]:
    return [f"{size} in bfloat16: {name}" for name, _goal in _FIGURES.values()]


def _beside_transformers(bench: Bench, size: str) -> list[Row]:
    folder = bench.folder / size.replace(" ", "")
    if not folder.exists():
        _write(folder, size)
    sides = [(_told("ours", folder), _told("theirs", folder)) for _ in range(_TURNS)]
    rows = []
    for name, (key, (_text, goal)) in zip(_names(size), _FIGURES.items(), strict=True):
        ours, theirs = (median(side[key] for side in both) for both in zip(*sides, strict=True))
        ratios = sorted(mine[key] / other[key] for mine, other in sides)
        row = Row(
            name=name, ours=ours, theirs=theirs, ratio=median(ratios), goal=goal, met=median(ratios) <= goal, of_ratio=True
        )
        spread = f"ratio {ratios[0]:.2f} to {ratios[-1]:.2f} of {_TURNS} pairs"
        rows.append(attrs.evolve(row, unit="MB" if key == "peak" else "ms", spread=spread))
    return rows


def _told(side: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.bench.large", side, str(folder)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600).stdout
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def _write(folder: Path, size: str) -> None:
    """A model of Qwen2's family with random weights and no tokenizer: it reads ids."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    d_model, d_ff, n_layers, n_heads, n_kv_heads = _SHAPES[size]
    config = Qwen2Config(
        vocab_size=_N_SYMBOLS,
        hidden_size=d_model,
        intermediate_size=d_ff,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        num_key_value_heads=n_kv_heads,
        tie_word_embeddings=True,
        dtype=torch.bfloat16,
    )
    Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
