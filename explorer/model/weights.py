"""Untrained weights, drawn at random from a seed and the name of each parameter.

Decision: each parameter has its own random generator. So a layer keeps its weights when another layer is added after it, and
a reader who moves one slider sees the effect of that slider alone. Rejected: one generator for the whole model.
"""

import os
import re
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

from explorer.config import Config
from explorer.model.norm import StdEpsNorm
from explorer.model.transformer import Transformer
from explorer.stops import Progress

Weights = dict[str, Tensor]

_MOST_WORKERS = 4  # More threads bring nothing: drawing waits for memory more than for processors.
_NICE = 10  # Linux: drawing has so much less priority than the window.
_WORTH_A_WORKER = 2**16  # numbers; handing fewer of them to a thread takes longer than drawing them


def _silent(_share: float) -> None:
    pass


def build(config: Config, weights: Weights | None = None, progress: Progress = _silent) -> Transformer:
    """A model with these weights, or with fresh untrained ones. The Config says whether dropout is on.

    The modules are made without memory first, because torch would fill it with numbers that are replaced at once. `progress` is
    given the share that is done, 0 to 1, and may raise an error to end the work.
    """
    with torch.device("meta"):
        model = Transformer(config)
    model.load_state_dict(untrained(model, config, progress) if weights is None else weights, assign=True)
    if config.tied_embeddings:
        model.tie()
    return model.requires_grad_(False).train(config.dropout_active)


def with_knobs(model: Transformer, config: Config, *, drawn: bool = False) -> Transformer:
    """A model with the same weights and the knobs of `config`.

    It is the given model itself if its modules read all changed knobs at each pass, else a new one. Only knobs that apply to
    the pass may differ; with `drawn` also knobs that apply to the weights, which the caller has drawn again already.
    """
    if any(knob.in_modules or not (drawn or knob.applies == "pass") for knob in config.differing(model.config)):
        weights = model.state_dict()
        if config.position != "learned":  # The learned table is not used. Going back means going back to the old model.
            weights = {name: weight for name, weight in weights.items() if ".learned." not in name}
        return build(config, weights)
    switched = False
    for module in model.modules():
        own = vars(module)  # The usual way to set an attribute of a module takes 70 times as long, and there are thousands.
        if isinstance(module, nn.Dropout):
            own["p"] = config.dropout
        elif "config" in own:
            own["config"] = config
        switched = switched or own["training"] != config.dropout_active
    return model.train(config.dropout_active) if switched else model


def untrained(model: nn.Module, config: Config, progress: Progress = _silent) -> Weights:
    """Fresh weights for every parameter of a model, by name.

    Matrices are Xavier uniform (Glorot and Bengio 2010, equation 16). Embeddings have the deviation 1/√d_model, so that
    √d_model times them has variance 1. Biases are 0, norm weights 1 and norm biases `norm_shift`.
    """
    todo: dict[int, tuple[nn.Module, str, Tensor]] = {}  # A tied parameter is drawn once, under its first name.
    for path, module in model.named_modules():
        for name, parameter in module.named_parameters(prefix=path, recurse=False):
            todo.setdefault(id(parameter), (module, name, parameter))
    weights: dict[int, Tensor] = {}
    # Each parameter has its own generator, so several can be drawn at the same time.
    with ThreadPoolExecutor(min(_MOST_WORKERS, os.cpu_count() or 1), initializer=_stand_back) as pool:
        large = {which: each for which, each in todo.items() if each[2].numel() >= _WORTH_A_WORKER}
        drawn = {which: pool.submit(_fresh, *each, config) for which, each in large.items()}
        try:
            for done, (which, each) in enumerate(todo.items()):
                progress(done / len(todo))
                weights[which] = drawn[which].result() if which in drawn else _fresh(*each, config)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {name: weights[id(parameter)] for name, parameter in model.named_parameters(remove_duplicate=False)}


def _stand_back() -> None:
    """Let the window have the core first: drawing takes all cores, and the window waited up to 50 ms for one of them.

    Drawing does not hold Python's lock, so no other thread waits for one that has to wait here.
    """
    if sys.platform.startswith("linux"):  # There each thread has its own priority; elsewhere it is that of the process.
        os.nice(_NICE)


def can_be_redrawn(model: Transformer, config: Config) -> bool:
    """Whether the model of a Config has the same modules and only other numbers in them, as after a change of the seed."""
    knobs = config.differing(model.config)
    other_numbers = any(knob.applies == "weights" for knob in knobs) and not any(knob.in_modules for knob in knobs)
    return other_numbers and next(model.parameters()).device.type == "cpu"


def redrawn(model: Transformer, config: Config, progress: Progress = _silent) -> Transformer:
    """The same model with fresh weights of a Config for which `can_be_redrawn` is True.

    The new weights are drawn into the memory of the old ones, because getting new memory takes as long as drawing. If
    `progress` raises an error, the model is left with some old and some new weights.
    """
    untrained(model, config, progress)
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
    """The name under which the fresh values of the parameter `name` are drawn: its own, unless layers are copies.

    Two values of the knob `initialization` copy layers, as tutorials do. cloned-layers: one attention and one feed-forward
    are made and copied into every place. cloned-projections: in addition W_Q, W_K, W_V and W_O are copies of one matrix.
    """
    if initialization == "independent" or ".layers." not in name:
        return name
    part = re.sub(r"^(?:encoder|decoder)\.layers\.\d+\.(?:self_|cross_)?", "", name)
    return re.sub(r"project_\w+", "project", part) if initialization == "cloned-projections" else part
