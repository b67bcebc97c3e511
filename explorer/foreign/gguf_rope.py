"""Positions that a GGUF file slows down: each pair of features turns at its own fraction of the usual speed.

Llama 3.1 and later turn slow pairs eight times slower, or 32 times. Their files hold the divisors as a tensor, and llama.cpp
divides by them; the settings of transformers say the same as "longrope" whose factors are those for texts of every length.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer.errors import BadWeights, CannotRead
from explorer.files import opened
from explorer.foreign.gguf_header import GgufHeader

DIVISORS = "rope_freqs.weight"
_KINDS = {"F32": np.float32, "F16": np.float16}


def slowed_positions(header: GgufHeader, settings: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The settings of the positions of a file that has divisors; {} of any other. Raises BadWeights."""
    tensor = header.tensors.get(DIVISORS)
    if tensor is None or "rope_theta" not in settings:
        return {}
    n_pairs = (settings.get("head_dim") or settings["hidden_size"] // max(settings["num_attention_heads"], 1)) // 2
    if tensor.shape != (n_pairs,) or tensor.kind not in _KINDS:
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {tensor.kind} {list(tensor.shape)} ≠ [{n_pairs}]")
    try:
        with opened(file) as numbers:
            numbers.seek(tensor.begin)
            divisors = np.frombuffer(numbers.read(tensor.n_bytes), _KINDS[tensor.kind]).astype(float).tolist()
    except (OSError, CannotRead, ValueError) as error:
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {error}") from error
    if not all(math.isfinite(each) and each > 0 for each in divisors):
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {min(divisors)} … {max(divisors)}")
    told = {
        "rope_type": "longrope",
        "rope_theta": settings["rope_theta"],
        "short_factor": divisors,
        "long_factor": divisors,
        "original_max_position_embeddings": settings["max_position_embeddings"],
        "factor": 1.0,
        "attention_factor": 1.0,
    }
    return {"rope_parameters": told}
