"""How much memory a pass will take, known before it is begun.

A thousand tokens in 64 layers of 32 heads have 170 GB of attention maps: they are pooled (`recording.long_text`), and what
cannot fit all the same is better refused than a killed process.
"""

import ctypes
import sys
from functools import lru_cache

import psutil

from explorer.errors import NotEnoughMemory
from explorer.trace.model_card import ModelCard, SideCard

_FLOAT = 4  # bytes
_ATTENTION_TAPS = 5  # scores, scaled, masked, weights, dropped
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_LARGEST_BLOCK = 2**25  # bytes that the library takes from what it keeps
_SPARE = 0.9  # of what is free: the window and the system live as well


def map_cells(card: ModelCard, n_source: int, n_target: int) -> int:
    """Cells of all attention maps of one stage, all layers and heads together."""
    cells = 0
    for side in card.sides:
        n = n_source if side.name == "encoder" else n_target
        n_keys = sum(n_source if attention == "cross_attn" else n for attention in side.attentions)
        cells += side.n_layers * side.n_heads * n * n_keys
    return cells


def part_bytes(part: str, card: ModelCard, n_source: int, n_target: int) -> int:
    """Bytes of one part (see `keep_plan.part_of`) in all layers of both sides; a side that is not there has no tokens."""
    if part in ("logits", "probabilities"):
        return _FLOAT * (n_target or n_source) * card.vocab_size
    return _FLOAT * sum(_numbers(part, card, side, n_source, n_target) for side in card.sides)


def _numbers(part: str, card: ModelCard, side: SideCard, n_source: int, n_target: int) -> int:
    """How many numbers one part has in all layers of one side."""
    n, d = n_source if side.name == "encoder" else n_target, card.d_model
    kind, _, name = part.partition(".")
    if kind == "embedding":
        return n * d
    if kind in ("norm", "residual"):  # one for each sublayer, and the final norm
        return n * d * (side.n_layers * (len(side.attentions) + 1) + (kind == "norm"))
    if kind.endswith("_attn"):
        if kind not in side.attentions:
            return 0
        shared = name in ("key", "value")
        rows = n_source if shared and kind == "cross_attn" else n
        width = d if name == "output" else card.d_head * (side.n_kv_heads if shared else side.n_heads)
        return side.n_layers * rows * width
    return side.n_layers * n * (side.d_ff if name in ("hidden", "activated") else d)


_PARTS = (
    *(f"embedding.{part}" for part in ("tokens", "scaled", "positions", "output")),
    "norm",
    "residual",
    *(f"{kind}_attn.{part}" for kind in ("self", "cross") for part in ("query", "key", "value", "mixed", "output")),
    *(f"feed_forward.{part}" for part in ("hidden", "activated", "output")),
    "logits",
    "probabilities",
)


@lru_cache(maxsize=64)  # asked three times at each keystroke
def trace_bytes(card: ModelCard, n_source: int, n_target: int) -> int:
    """Bytes of all recorded arrays; a side that the architecture lacks has no tokens."""
    maps = _FLOAT * _ATTENTION_TAPS * map_cells(card, n_source, n_target)
    return maps + sum(part_bytes(part, card, n_source, n_target) for part in _PARTS)


def check_memory(card: ModelCard, kept: int, *, held: int) -> None:
    """Refuse what cannot fit: `kept` bytes of recorded arrays and the weights, of which `held` bytes of an older model
    serve again or go first. Raises NotEnoughMemory.
    """
    need = kept + max(0, _FLOAT * card.parameters - held)
    if need > _SPARE * psutil.virtual_memory().available:
        raise NotEnoughMemory(need_mb=round(need / 2**20))


def keep_freed_memory(n_bytes: int) -> None:
    """Let the C library keep up to so much of what was freed for the next time, instead of giving it back to the system.

    Fetched again page by page, it cost a fifth of a translator's pass and a quarter of a training step.
    """
    if sys.platform.startswith("linux"):
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):  # glibc's
            library.mallopt(_M_MMAP_THRESHOLD, min(n_bytes, _LARGEST_BLOCK))
            library.mallopt(_M_TRIM_THRESHOLD, n_bytes)
