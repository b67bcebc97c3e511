"""A model that does not fit into memory: a pass that reads its weights from the files, beside reading these files once.

The files are sparse: they take no room on the disk, and are read as zeros. What a pass computes with does not change its time.
"""

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.bench.bench import Bench, Task
from tests.bench.large_rows import told
from tests.bench.row import Row, times
from tests.bench.timing import Pair, Sample

_WHAT, _BESIDE = "7 B streamed from its files: a pass of 16 tokens", "reading the files once"
_WIDTH = 2  # bytes of a number in bfloat16
_ONE = 0x3F80  # 1.0 in bfloat16
_D, _D_FF, _LAYERS, _HEADS, _KV_HEADS, _SYMBOLS = 3584, 18_944, 28, 28, 4, 152_064
_SETTINGS = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "vocab_size": _SYMBOLS,
    "hidden_size": _D,
    "intermediate_size": _D_FF,
    "num_hidden_layers": _LAYERS,
    "num_attention_heads": _HEADS,
    "num_key_value_heads": _KV_HEADS,
    "torch_dtype": "bfloat16",
}
_EMBEDDING = "model.embed_tokens.weight"
_TURNS = 1


def tasks() -> list[Task]:
    """A minute or two."""
    return [Task((f"{_WHAT} / {_BESIDE}",), _beside_reading, peers=True)]


def _beside_reading(bench: Bench) -> Iterator[Row]:
    folder = bench.folder / "7B"
    _write(folder)
    sides = [(told("streamed", folder)["pass"], told("read", folder)["pass"]) for _ in range(_TURNS)]
    ours, theirs = (Sample(tuple(each)) for each in zip(*sides, strict=True))
    yield times(_WHAT, _BESIDE, Pair(ours, theirs), 1.2)


def _write(folder: Path) -> None:
    """A folder of Qwen2's family with 7.6 billion numbers: the norms are 1, some rows of the embedding random, all others 0."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(_SETTINGS))
    starts, end = {}, 0
    for name, shape in _shapes().items():
        starts[name], end = end, end + _WIDTH * math.prod(shape)
    places = {
        name: {"dtype": "BF16", "shape": shape, "data_offsets": [starts[name], starts[name] + _WIDTH * math.prod(shape)]}
        for name, shape in _shapes().items()
    }
    header = json.dumps(places).encode()
    first = 8 + len(header)
    some = np.random.default_rng(0).standard_normal((1024, _D), np.float32)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(first + end)
        file.seek(first + starts[_EMBEDDING])
        file.write((some.view(np.uint32) >> 16).astype(np.uint16).tobytes())
        for name in (name for name in starts if "norm" in name):
            file.seek(first + starts[name])
            file.write(np.full(_D, _ONE, np.uint16).tobytes())


def _shapes() -> dict[str, list[int]]:
    """The shape of each tensor by its name."""
    d_kv = _D // _HEADS * _KV_HEADS
    found = {_EMBEDDING: [_SYMBOLS, _D]}
    for layer in range(_LAYERS):
        at = f"model.layers.{layer}"
        for name, n in {"q": _D, "k": d_kv, "v": d_kv}.items():
            found |= {f"{at}.self_attn.{name}_proj.weight": [n, _D], f"{at}.self_attn.{name}_proj.bias": [n]}
        found[f"{at}.self_attn.o_proj.weight"] = [_D, _D]
        found |= {f"{at}.mlp.{name}_proj.weight": [_D_FF, _D] for name in ("gate", "up")}
        found[f"{at}.mlp.down_proj.weight"] = [_D, _D_FF]
        found |= {f"{at}.{name}_layernorm.weight": [_D] for name in ("input", "post_attention")}
    return found | {"model.norm.weight": [_D], "lm_head.weight": [_SYMBOLS, _D]}
