"""The Jacobian lens of a preset on disk: one safetensors file in float16 beside the weights, and what it was fitted for.

Its header holds the hash of the weights, the knobs, and the measured agreement. The lens is offered for a model of exactly
these weights and knobs alone: a mean over sentences says nothing of another function.
"""

import hashlib
import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import attrs
from torch import Tensor, nn

from explorer.config import Config, counting_knobs
from explorer.engine.experiments.bench import fetched
from explorer.engine.experiments.output_weights import stream_taps
from explorer.engine.model_version import model_version
from explorer.errors import BadWeights, LensOfOtherKnobs, LensOfOtherWeights, NoFittedLens
from explorer.json_text import read_json_text
from explorer.model.transformer import Transformer
from explorer.model.weights_file import read_about, read_copies, write_tensors
from explorer.presets import LENS, load_preset
from explorer.trace.found.lens import Agreement

_hashed: "WeakKeyDictionary[nn.Module, tuple[Hashable, str]]" = WeakKeyDictionary()
"""What weights hash to, by model. To hash nine million weights takes 34 ms of an answer's 69 on the page why."""


@attrs.frozen(eq=False)
class Fitted:
    """J by tap of the decoder's stream [out feature, in feature] in float32, and what it was fitted for.

    `weights` is the hash of the model's weights, `knobs` those that make it one function, `recipe` how it was fitted.
    """

    matrices: dict[str, Tensor]
    weights: str
    knobs: dict[str, Any]
    agreement: Agreement
    recipe: dict[str, Any] = attrs.field(factory=dict)


def write_fitted(path: Path, fitted: Fitted) -> None:
    """Write a lens; an older one is replaced when it is complete. Raises CannotWrite, DiskFull."""
    about = {
        "weights_sha256": fitted.weights,
        "knobs": json.dumps(fitted.knobs),
        "agreement": json.dumps(fitted.agreement.values()),
        "recipe": json.dumps(fitted.recipe, ensure_ascii=False),
    }
    write_tensors(path, {tap: each.half().contiguous() for tap, each in fitted.matrices.items()}, about)


def read_fitted(path: Path) -> Fitted:
    """The lens that `write_fitted` wrote. Raises BadWeights."""
    about = read_about(path)
    matrices = {tap: tensor.float() for tap, tensor in read_copies(path).items()}
    try:
        for tap, matrix in matrices.items():
            if matrix.dim() != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.isfinite().all():
                raise ValueError(tap)
        return Fitted(
            matrices=matrices,
            weights=about["weights_sha256"],
            knobs=dict(read_json_text(about["knobs"])),
            agreement=Agreement.of_values(read_json_text(about["agreement"])),
            recipe=dict(read_json_text(about["recipe"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadWeights(path=str(path), reason=str(error)[:80]) from error


def fitted_for(model: Transformer, config: Config, preset: str) -> Fitted:
    """The Jacobian lens of a preset, if it was fitted for this very model.

    Raises NoFittedLens, LensOfOtherWeights, LensOfOtherKnobs, BadWeights, and what `load_preset` raises.
    """
    folder = load_preset(preset).folder
    path = None if folder is None else folder / LENS
    if path is None or not path.is_file() or model.decoder is None:
        raise NoFittedLens(preset=preset)
    fitted = read_fitted(path)
    wanted = dict.fromkeys(stream_taps(model.decoder)[:-1], (config.d_model, config.d_model))
    shapes = {tap: tuple(matrix.shape) for tap, matrix in fitted.matrices.items()}
    if shapes != wanted or fitted.weights != weights_hash(model):  # The hash takes longest and comes last.
        raise LensOfOtherWeights(preset=preset)
    for name, value in counting_knobs(config).items():
        if fitted.knobs.get(name) != value:
            raise LensOfOtherKnobs(name=name)
    return fitted


def weights_hash(model: Transformer) -> str:
    """The SHA-256 of all weights with their names and shapes. A model whose weights are the same is not read again."""
    named = dict(sorted(model.named_parameters()))
    version, known = model_version(model), _hashed.get(model)
    if known is not None and known[0] == version:
        return known[1]
    made = hashlib.sha256()
    for name, parameter in named.items():
        made.update(f"{name} {list(parameter.shape)} ".encode())
        made.update(fetched(parameter).contiguous().numpy().data)
    _hashed[model] = version, made.hexdigest()
    return made.hexdigest()
