"""LoRA adapters in the layout of PEFT: a folder with adapter_config.json and adapter_model.safetensors. Hu et al. 2022.

    W' = W + s·B·A,   s = α / r, or α / √r with rank stabilization (Kalajdzievski 2023)

An adapter is read as data; of PEFT nothing is imported. What would not be exactly this sum is refused.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from explorer.errors import AdapterDoesNotFit, BadFolder, BadWeights, CannotRead, NeedsSafetensors, NotAnAdapter, UnknownAdapter
from explorer.foreign.settings import read_json
from explorer.foreign.thin import check_whole
from explorer.model.weights_header import read_header

SETTINGS, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_PICKLES = ("adapter_model.bin", "adapter_model.pt")
_PAIR = re.compile(r"^base_model\.model\.(?P<path>.+)\.lora_(?P<which>[AB])(?:\.default)?\.weight$")
_NAME = re.compile(r"\^?[A-Za-z0-9_.]+")
_PLAIN_STARTS = (True, False, None, "gaussian", "orthogonal")
"""Ways to begin a training that leave the base as it is. Others, such as PiSSA, change its weights too."""
_MUST_BE_OFF = (
    *("modules_to_save", "layer_replication", "target_parameters", "trainable_token_indices", "megatron_config", "lora_bias"),
    *("alora_invocation_tokens", "eva_config", "corda_config", "arrow_config"),
)
_TRANSPOSED = "Conv1D"  # GPT-2's layer, whose weight is [in, out]


@attrs.frozen(eq=False)
class Pair:
    """The two matrices of one layer: B·A, B [out, r] and A [r, in], and the factor `scale` before them."""

    a: Tensor
    b: Tensor
    scale: float

    def added(self, module: nn.Module) -> Tensor:
        """What is added to the weight of a module, in its own orientation."""
        # ΔW[out,in] = s · Σ_r B[out,r]·A[r,in]
        added = self.scale * (self.b @ self.a)
        return added.T if type(module).__name__ == _TRANSPOSED else added


@attrs.frozen(eq=False)
class Adapter:
    """An adapter: its folder, and its pairs by the path of the layer in the model that it was trained with."""

    path: Path
    pairs: Mapping[str, Pair]


def read_adapter(folder: Path) -> Adapter:
    """The adapter in a folder.

    Raises NotAnAdapter, NeedsSafetensors, UnknownAdapter for what is not the plain sum, BadWeights.
    """
    path = folder.absolute()
    try:
        settings = read_json(path, SETTINGS)
    except BadFolder as error:
        raise NotAnAdapter(path=str(path), reason=error.values.get("reason", SETTINGS)) from error
    _check(path, settings)
    halves = _halves(path)
    pairs = {name: _pair(path, name, both, settings) for name, both in halves.items()}
    if not pairs:
        raise NotAnAdapter(path=str(path), reason=WEIGHTS)
    return Adapter(path, pairs)


def _check(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse settings under which the model would compute anything but the plain sum. Raises UnknownAdapter."""
    kind = settings.get("peft_type")
    if kind != "LORA":
        raise UnknownAdapter(path=str(path), what=f"peft_type = {kind}")
    for name, value in settings.items():
        own_way = name.startswith("use_") and name != "use_rslora"
        if value and (own_way or name in _MUST_BE_OFF):
            raise UnknownAdapter(path=str(path), what=name)
    if settings.get("bias", "none") != "none":
        raise UnknownAdapter(path=str(path), what=f"bias = {settings['bias']}")
    for name in ("rank_pattern", "alpha_pattern"):
        pattern = settings.get(name) or {}
        if not isinstance(pattern, dict) or not all(map(_NAME.fullmatch, pattern)):
            raise UnknownAdapter(path=str(path), what=name)
    start = settings.get("init_lora_weights", True)
    if not any(start is each or (isinstance(start, str) and start == each) for each in _PLAIN_STARTS):
        raise UnknownAdapter(path=str(path), what=f"init_lora_weights = {start}")


def _halves(path: Path) -> dict[str, dict[str, Tensor]]:
    """The matrices "A" and "B" of each layer in float32. Raises NeedsSafetensors, NotAnAdapter, UnknownAdapter, BadWeights."""
    file = path / WEIGHTS
    if not file.is_file():
        found = [name for name in _PICKLES if (path / name).exists()]
        if found:
            raise NeedsSafetensors(path=str(path), found=", ".join(found))
        raise NotAnAdapter(path=str(path), reason=WEIGHTS)
    halves: dict[str, dict[str, Tensor]] = {}
    for name, tensor in _tensors(file):
        place = _PAIR.match(name)
        if place is None or tensor.dim() != 2:
            raise UnknownAdapter(path=str(path), what=name)
        halves.setdefault(place["path"], {})[place["which"]] = tensor
    return halves


def _tensors(file: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        read_header(file).check_floats()
        with safe_open(file, framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118  The file is no mapping.
                tensor = opened.get_tensor(name).float()
                if not tensor.isfinite().all():
                    raise BadWeights(path=str(file), reason=f"{name}: NaN / ∞")
                yield name, tensor
    except CannotRead as error:
        raise BadWeights(path=str(file), reason=error.values.get("reason", error)) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise BadWeights(path=str(file), reason=str(error)) from error


def _pair(path: Path, name: str, both: Mapping[str, Tensor], settings: Mapping[str, Any]) -> Pair:
    """The pair of a layer with its factor. Raises BadWeights, NotAnAdapter."""
    if set(both) != {"A", "B"} or both["A"].shape[0] != both["B"].shape[1] or 0 in (*both["A"].shape, *both["B"].shape):
        raise BadWeights(path=str(path / WEIGHTS), reason=f"{name}: {[list(each.shape) for each in both.values()]}")
    told = _of_layer(settings.get("rank_pattern"), name, settings.get("r"))
    rank = both["A"].shape[0]
    alpha = _of_layer(settings.get("alpha_pattern"), name, settings.get("lora_alpha"))
    if told != rank:
        raise BadWeights(path=str(path / WEIGHTS), reason=f"{name}: r = {told} ≠ {rank}")
    if type(alpha) not in (int, float) or not math.isfinite(alpha):
        raise NotAnAdapter(path=str(path), reason=f"lora_alpha = {alpha}")
    # s = α / r, or α / √r
    return Pair(both["A"], both["B"], alpha / (math.sqrt(rank) if settings.get("use_rslora") else rank))


def _of_layer(pattern: object, name: str, usual: Any) -> Any:
    """The value for a layer: that of the first key of the pattern which is the layer's name or its end, else the usual one.

    PEFT takes a key for a regular expression. One of a stranger could run for ever, so `_check` refuses any that is more than
    a name.
    """
    for key, value in pattern.items() if isinstance(pattern, dict) else ():
        end = str(key).removeprefix("^")
        if name == end or (not str(key).startswith("^") and name.endswith(f".{end}")):
            return value
    return usual


class Dressed:
    """The weights of a model with an adapter, or without. Those of the base are kept, so that they come back to the bit."""

    def __init__(self, model: nn.Module, prefix: str = "") -> None:
        self._model, self._prefix = model, prefix
        self.adapter: Adapter | None = None
        self._before: dict[nn.Parameter, Tensor] = {}

    def wear(self, adapter: Adapter | None) -> None:
        """Put this adapter on in place of another one, or take it off.

        Raises AdapterDoesNotFit, and NotEnoughMemory for a model that is not held as float32; then nothing changes.
        """
        if adapter is self.adapter:
            return
        check_whole(self._model)
        added = [] if adapter is None else list(self._fitted(adapter))
        with torch.no_grad():
            for parameter, before in self._before.items():
                parameter.copy_(before)
            self._before = {parameter: parameter.detach().clone() for parameter, _added in added}
            for parameter, delta in added:
                parameter.add_(delta)  # In place, so that packed copies of the weight notice it.
        self.adapter = adapter

    def _fitted(self, adapter: Adapter) -> Iterator[tuple[nn.Parameter, Tensor]]:
        """Each weight with what is added to it. Raises AdapterDoesNotFit."""
        path = str(adapter.path)
        modules = dict(self._model.named_modules())
        owners: dict[nn.Parameter, set[str]] = {}
        for name, parameter in self._model.named_parameters(remove_duplicate=False):
            owners.setdefault(parameter, set()).add(name)
        for name, pair in adapter.pairs.items():
            module = (
                modules.get(name) or modules.get(name.removeprefix(f"{self._prefix}.")) or modules.get(f"{self._prefix}.{name}")
            )
            weight = getattr(module, "weight", None)
            if module is None or not isinstance(weight, nn.Parameter) or isinstance(module, nn.Embedding):
                raise AdapterDoesNotFit(path=path, reason=f"{name} ?")
            added = pair.added(module)
            if added.shape != weight.shape:
                raise AdapterDoesNotFit(path=path, reason=f"{name}: {list(added.shape)} ≠ {list(weight.shape)}")
            if len(owners[weight]) > 1 or weight.is_meta:  # A tied weight would change the embedding, too.
                raise AdapterDoesNotFit(path=path, reason=" = ".join(sorted(owners[weight])))
            yield weight, added.to(weight.dtype)
