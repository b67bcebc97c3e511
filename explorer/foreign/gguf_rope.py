"""Scaled rotary positions in a GGUF file: each pair of features rotates at its own fraction of the usual speed.

Llama 3.1 and later rotate slow pairs eight times slower, or 32 times. Their files hold the divisors as a tensor, and llama.cpp
divides by them; other files have one divisor for all pairs ("linear"). The settings of transformers say the same as "longrope"
whose factors are those for texts of every length.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer.errors import BadWeights, CannotRead
from explorer.files import opened
from explorer.foreign.gguf_header import GgufHeader, GgufTensor
from explorer.json_text import shown

DIVISORS = "rope_freqs.weight"
_KINDS = {"F32": np.float32, "F16": np.float16}


def slowed_positions(header: GgufHeader, settings: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The settings of the positions of a file that has divisors; {} of any other. Raises BadWeights."""
    tensor, scale = header.tensors.get(DIVISORS), _scale(header)
    if "rope_theta" not in settings or (tensor is None and scale == 1):
        return {}
    width = settings.get("head_dim") or settings["hidden_size"] // max(settings["num_attention_heads"], 1)
    n_pairs = max(int(width) // 2, 1)  # Sizes that no model has are refused when one is made of them.
    divisors = [scale * each for each in ([1.0] * n_pairs if tensor is None else _numbers(tensor, n_pairs, file))]
    if not all(math.isfinite(each) and each > 0 for each in divisors):
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {shown(min(divisors))} … {shown(max(divisors))}")
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


def _scale(header: GgufHeader) -> float:
    """The divisor for all pairs, which older files have under another name; 0 stands for none."""
    family = header.told.get("general.architecture")
    if header.told.get(f"{family}.rope.scaling.type", "linear") != "linear":
        return 1
    found = header.told.get(f"{family}.rope.scaling.factor", header.told.get(f"{family}.rope.scale_linear", 0))
    return float(found) if isinstance(found, int | float) and found else 1


def _numbers(tensor: GgufTensor, n_pairs: int, file: Path) -> list[float]:
    """The numbers of a small tensor. Raises BadWeights."""
    if tensor.shape != (n_pairs,) or tensor.kind not in _KINDS:
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {tensor.kind} {shown(tensor.shape)} ≠ [{n_pairs}]")
    try:
        with opened(file) as numbers:
            numbers.seek(tensor.begin)
            found: list[float] = np.frombuffer(numbers.read(tensor.n_bytes), _KINDS[tensor.kind]).astype(float).tolist()
            return found
    except (OSError, CannotRead, ValueError) as error:
        raise BadWeights(path=str(file), reason=f"{DIVISORS}: {error}") from error
