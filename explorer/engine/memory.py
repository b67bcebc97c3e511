"""How much memory a pass will take, known before it is begun.

A thousand tokens in 64 layers of 32 heads are 170 GB of recorded attention: better one sentence than a killed process.
"""

import psutil

from explorer.config import Config
from explorer.errors import NotEnoughMemory

_FLOAT = 4  # bytes
_ATTENTION_TAPS = 5  # scores, scaled, masked, weights, dropped
_SPARE = 0.9  # of what is free: the window and the system live as well


def parameter_bytes(config: Config) -> int:
    """Bytes of the weights, to a few percent: biases and norms are left out."""
    d, sides = config.d_model, 2 if config.architecture == "encoder-decoder" else 1
    matrices = 1 if config.tied_embeddings else sides + 1
    attentions = 3 if sides == 2 else 1  # encoder self, decoder self, cross
    layers = config.n_layers * (attentions * 4 * d * d + sides * 2 * d * config.d_ff)
    return _FLOAT * (layers + matrices * config.vocab_size * d)


def trace_bytes(config: Config, n_source: int, n_target: int) -> int:
    """Bytes of all recorded arrays, to a few percent."""
    maps = vectors = 0
    if config.architecture != "decoder-only":
        maps += n_source * n_source
        vectors += n_source * (9 * config.d_model + 2 * config.d_ff)
    if config.architecture != "encoder-only":
        maps += n_target * n_target
        vectors += n_target * (9 * config.d_model + 2 * config.d_ff)
    if config.architecture == "encoder-decoder":
        maps += n_target * n_source
        vectors += (5 * n_target + 2 * n_source) * config.d_model
    vocab = 2 * max(n_source, n_target) * config.vocab_size
    return _FLOAT * (config.n_layers * (config.n_heads * maps * _ATTENTION_TAPS + vectors) + vocab)


def check_memory(config: Config, n_source: int, n_target: int, *, built: bool) -> None:
    """Refuse what cannot fit. Raises NotEnoughMemory."""
    need = trace_bytes(config, n_source, n_target) + (0 if built else parameter_bytes(config))
    if need > _SPARE * psutil.virtual_memory().available:
        raise NotEnoughMemory(need_mb=round(need / 2**20))
