"""How much memory a pass will take, known before it is begun.

A thousand tokens in 64 layers of 32 heads have 170 GB of attention maps: they are pooled (`recording.long_text`), and what
cannot fit all the same is better refused than a killed process.
"""

import ctypes
import sys

import psutil

from explorer.config import Config
from explorer.errors import NotEnoughMemory

_FLOAT = 4  # bytes
_ATTENTION_TAPS = 5  # scores, scaled, masked, weights, dropped
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_LARGEST_BLOCK = 2**25  # bytes that the library takes from what it keeps
_SPARE = 0.9  # of what is free: the window and the system live as well


def parameter_bytes(config: Config) -> int:
    """Bytes of the weights, to a few percent: biases and norms are left out."""
    d, sides = config.d_model, 2 if config.architecture == "encoder-decoder" else 1
    symbols = _embedded_symbols(config, sides)
    attentions = 3 if sides == 2 else 1  # encoder self, decoder self, cross
    layers = config.n_layers * (attentions * 4 * d * d + sides * 2 * d * config.d_ff)
    places = sides * config.max_len if config.position == "learned" else 0
    return _FLOAT * (layers + (symbols + places) * d)


def _embedded_symbols(config: Config, sides: int) -> int:
    """Rows of all embeddings and of the generator; tied ones count once."""
    if config.has_two_vocabularies:
        return config.vocab_size + config.n_target_symbols * (1 if config.tied_embeddings else 2)
    return config.vocab_size * (1 if config.tied_embeddings else sides + 1)


def map_cells(config: Config, n_source: int, n_target: int) -> int:
    """Cells of all attention maps of one stage, all layers and heads together."""
    cells = n_source**2 + n_target**2
    if config.architecture == "encoder-decoder":
        cells += n_target * n_source
    return config.n_layers * config.n_heads * cells


def part_bytes(part: str, config: Config, n_source: int, n_target: int) -> int:
    """Bytes of one part (see `keep_plan.part_of`) in all layers of both sides; a side that is not there has no tokens."""
    n, d, both = n_source + n_target, config.d_model, config.architecture == "encoder-decoder"
    if part in ("logits", "probabilities"):
        return _FLOAT * (n_target or n_source) * config.n_target_symbols
    if part.startswith("embedding."):
        return _FLOAT * n * d
    if part in ("norm", "residual"):  # two in each layer, and a third one where the decoder looks across
        final = n if part == "norm" else 0
        return _FLOAT * d * (config.n_layers * (2 * n + (n_target if both else 0)) + final)
    if part.startswith("cross_attn."):
        rows = n_source if part.endswith((".key", ".value")) else n_target
        return _FLOAT * config.n_layers * d * rows if both else 0
    return _FLOAT * config.n_layers * n * (config.d_ff if part.endswith((".hidden", ".activated")) else d)


_PARTS = (
    *(f"embedding.{part}" for part in ("tokens", "scaled", "positions", "output")),
    "norm",
    "residual",
    *(f"{kind}_attn.{part}" for kind in ("self", "cross") for part in ("query", "key", "value", "mixed", "output")),
    *(f"feed_forward.{part}" for part in ("hidden", "activated", "output")),
    "logits",
    "probabilities",
)


def trace_bytes(config: Config, n_source: int, n_target: int) -> int:
    """Bytes of all recorded arrays; a side that the architecture lacks has no tokens."""
    maps = _FLOAT * _ATTENTION_TAPS * map_cells(config, n_source, n_target)
    return maps + sum(part_bytes(part, config, n_source, n_target) for part in _PARTS)


def check_memory(config: Config, kept: int, *, held: int) -> None:
    """Refuse what cannot fit: `kept` bytes of recorded arrays and the weights, of which `held` bytes of an older model
    serve again or go first. Raises NotEnoughMemory.
    """
    need = kept + max(0, parameter_bytes(config) - held)
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
