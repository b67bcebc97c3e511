"""Models of the size that people really use, beside transformers: each side runs in a fresh process, by turns."""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from tests.bench.bench import Bench, Task
from tests.bench.row import Row, times
from tests.bench.timing import Pair, Sample

SHAPES = {"0.5 B": (896, 4864, 24, 14, 2), "1.5 B": (1536, 8960, 28, 12, 2)}  # d_model, d_ff, layers, heads, key heads
N_SYMBOLS = 151_936
_FIGURES = {
    "opened": ("opened", "transformers' from_pretrained", 1.2),
    "pass": ("a recorded pass of 32 tokens", "its eager pass with outputs", 0.5),
    "key": ("a key behind 32 tokens", "its step with a cache", 1.5),
    "peak": ("peak of memory", "its peak in float32", 1.1),
}
_HALF, _HALF_GOAL = "{} in half width: peak of memory", 0.7
_TURNS = 2


def tasks() -> list[Task]:
    """Gigabytes and minutes."""
    return [Task(tuple(_names(size)), partial(_beside_transformers, size=size), peers=True) for size in SHAPES]


def _names(size: str) -> list[str]:
    names = [f"{size}: {what} / {beside}" for what, beside, _goal in _FIGURES.values()]
    return [*names, f"{_HALF.format(size)} / {_FIGURES['peak'][1]}"]


def _beside_transformers(bench: Bench, size: str) -> Iterator[Row]:
    folder = bench.folder / size.replace(" ", "")
    _write(folder, size)
    sides = [(told("ours", folder), told("theirs", folder)) for _ in range(_TURNS)]
    for figure, (what, beside, goal) in _FIGURES.items():
        ours, theirs = (Sample(tuple(side[figure] for side in each)) for each in zip(*sides, strict=True))
        unit = "MB" if figure == "peak" else "ms"
        yield times(f"{size}: {what}", beside, Pair(ours, theirs), goal, unit)
    half, theirs = Sample((told("half", folder)["peak"],)), Sample((sides[0][1]["peak"],))
    yield times(_HALF.format(size), _FIGURES["peak"][1], Pair(half, theirs), _HALF_GOAL, "MB")


def told(side: str, folder: Path) -> dict[str, float]:
    """The figures of one side, from a fresh process."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.bench.large", side, str(folder)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600).stdout
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def _write(folder: Path, size: str) -> None:
    """A model of Qwen2's family with random weights and no tokenizer: it reads ids."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    d_model, d_ff, n_layers, n_heads, n_kv_heads = SHAPES[size]
    config = Qwen2Config(
        vocab_size=N_SYMBOLS,
        hidden_size=d_model,
        intermediate_size=d_ff,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        num_key_value_heads=n_kv_heads,
        tie_word_embeddings=True,
        dtype=torch.bfloat16,
    )
    Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
