"""Untrained weights, made from a seed and each parameter's own name.

Decision: every parameter draws from a generator of its own. So a layer keeps its weights when a layer is added behind
it, and a reader who moves one slider sees the effect of that slider. Rejected: one stream for the whole model.
"""

import os
import re
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.linear import Linear
from explorer.model.norm import StdEpsNorm
from explorer.model.transformer import Transformer
from explorer.stops import Progress

Weights = dict[str, Tensor]

_MOST_WORKERS = 4  # they wait for memory more than for processors

"""Told the share that is done, 0 to 1; it may raise to end the work."""


def _silent(_share: float) -> None:
    pass


def build(config: Config, weights: Weights | None = None, progress: Progress = _silent) -> Transformer:
    """A model with these weights, or with fresh untrained ones; dropout acts where the Config says so.

    Modules are made without memory first: torch would fill them with numbers that are thrown away at once.
    """
    with torch.device("meta"):
        model = Transformer(config)
    model.load_state_dict(untrained(model, config, progress) if weights is None else weights, assign=True)
    if config.tied_embeddings:
        model.tie()
    return model.requires_grad_(False).train(config.dropout_active)


def with_knobs(model: Transformer, config: Config, *, drawn: bool = False) -> Transformer:
    """A model with the same weights and the knobs of `config`: the very same one where modules read what changed.

    All knobs that apply to the pass may differ, no others; `drawn`: and those of which the weights were drawn already.
    """
    if any(knob.in_modules or not (drawn or knob.applies == "pass") for knob in config.differing(model.config)):
        weights = model.state_dict()
        if config.position != "learned":  # the table rests; whoever goes back goes back to the old model
            weights = {name: weight for name, weight in weights.items() if ".learned." not in name}
        return build(config, weights)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = config.dropout
        elif hasattr(module, "config"):
            module.config = config  # type: ignore[assignment]  # torch's stubs know parameters and modules only
    return model.train(config.dropout_active)


def pack(model: nn.Module, stop: Callable[[], bool] = lambda: False) -> None:
    """Lay the weights of all linear layers out for the passes to come; they must not change any more."""
    for module in model.modules():
        if isinstance(module, Linear) and module.pack() and stop():
            return


def untrained(model: nn.Module, config: Config, progress: Progress = _silent) -> Weights:
    """Fresh weights for every parameter of a model that has none yet.

    Matrices are Xavier uniform (Glorot and Bengio 2010, equation 16), embeddings N(0, 1/√d_model) so that √d_model
    times them has unit variance, biases 0, norm weights 1 and their shifts `norm_shift`.
    """
    todo: dict[int, tuple[nn.Module, str, Tensor]] = {}  # a tied parameter is drawn once, by its first name
    for path, module in model.named_modules():
        for name, parameter in module.named_parameters(prefix=path, recurse=False):
            todo.setdefault(id(parameter), (module, name, parameter))
    weights: dict[int, Tensor] = {}
    # Each parameter has a generator of its own, so they can be drawn side by side.
    with ThreadPoolExecutor(min(_MOST_WORKERS, os.cpu_count() or 1)) as pool:
        drawn = [pool.submit(_fresh, *each, config) for each in todo.values()]
        try:
            for done, (which, values) in enumerate(zip(todo, drawn, strict=True)):
                progress(done / len(todo))
                weights[which] = values.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {name: weights[id(parameter)] for name, parameter in model.named_parameters(remove_duplicate=False)}


def can_be_redrawn(model: Transformer, config: Config) -> bool:
    """Whether the model of a Config has these very modules with fresh numbers in them, as that of another seed has."""
    knobs = config.differing(model.config)
    other_numbers = any(knob.applies == "weights" for knob in knobs) and not any(knob.in_modules for knob in knobs)
    return other_numbers and next(model.parameters()).device.type == "cpu"


def redrawn(model: Transformer, config: Config, progress: Progress = _silent) -> Transformer:
    """The same model with fresh weights of a Config that differs from its own in what is drawn alone, as the seed does.

    They are drawn into the memory of the old ones: new memory takes as long as the numbers. A `progress` that raises
    leaves weights of both kinds.
    """
    untrained(model, config, progress)
    for module in model.modules():
        if isinstance(module, Linear):
            module.unpack()
    return with_knobs(model, config, drawn=True)


def _fresh(module: nn.Module, name: str, parameter: Tensor, config: Config) -> Tensor:
    values = torch.empty(parameter.shape) if parameter.is_meta else parameter.detach()
    if isinstance(module, (nn.LayerNorm, StdEpsNorm)):
        return values.fill_(1.0 if name.endswith("weight") else config.norm_shift)
    if parameter.dim() == 1:
        return values.zero_()
    drawn_as = original(name, config.initialization)
    generator = torch.Generator().manual_seed(zlib.crc32(f"{config.seed} {drawn_as}".encode()))
    if isinstance(module, nn.Embedding):
        return values.normal_(0, parameter.shape[1] ** -0.5, generator=generator)
    return nn.init.xavier_uniform_(values, generator=generator)


def original(name: str, initialization: str) -> str:
    """The parameter whose fresh values the parameter `name` has: itself, unless layers are copies of one another.

    cloned-layers: one attention and one feed-forward layer are made and deep-copied into every place. cloned-projections:
    one linear layer besides, for W_Q, W_K, W_V and W_O.
    """
    if initialization == "independent" or ".layers." not in name:
        return name
    part = re.sub(r"^(?:encoder|decoder)\.layers\.\d+\.(?:self_|cross_)?", "", name)
    return re.sub(r"project_\w+", "project", part) if initialization == "cloned-projections" else part
