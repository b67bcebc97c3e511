"""How much memory a pass will take, known before it is begun.

A thousand tokens in 64 layers of 32 heads are 170 GB of recorded attention: better one sentence than a killed process.
"""

import ctypes
import sys

import psutil

from explorer.config import Config
from explorer.errors import NotEnoughMemory

_FLOAT = 4  # bytes
_ATTENTION_TAPS = 5  # scores, scaled, masked, weights, dropped
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
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


def trace_bytes(config: Config, n_source: int, n_target: int) -> int:
    """Bytes of all recorded arrays; a side that the architecture lacks has no tokens."""
    d, n = config.d_model, n_source + n_target
    maps = n_source**2 + n_target**2
    # Q K V mixed output, the feed-forward's output, two norms, two residuals: d_model each; hidden, activated: d_ff.
    vectors = n * (10 * d + 2 * config.d_ff)
    if config.architecture == "encoder-decoder":
        maps += n_target * n_source
        # Across: Q mixed output norm3 residual3 of the target, K and V of the source.
        vectors += (5 * n_target + 2 * n_source) * d
    # Four embeddings and the last norm on each side; logits and probabilities at the end.
    around = 5 * n * d + 2 * (n_target or n_source) * config.n_target_symbols
    return _FLOAT * (config.n_layers * (config.n_heads * maps * _ATTENTION_TAPS + vectors) + around)


def check_memory(config: Config, n_source: int, n_target: int, *, held: int) -> None:
    """Refuse what cannot fit; `held` bytes of an older model serve again or go first. Raises NotEnoughMemory."""
    need = trace_bytes(config, n_source, n_target) + max(0, parameter_bytes(config) - held)
    if need > _SPARE * psutil.virtual_memory().available:
        raise NotEnoughMemory(need_mb=round(need / 2**20))


def keep_freed_memory(n_bytes: int) -> None:
    """Let the C library keep up to so much of what was freed for the next time, instead of giving it back to the system.

    Fetched again page by page, it cost a fifth of a translator's pass and a quarter of a training step.
    """
    if sys.platform.startswith("linux"):
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):  # glibc's
            library.mallopt(_M_MMAP_THRESHOLD, n_bytes)
            library.mallopt(_M_TRIM_THRESHOLD, n_bytes)
