"""LoRA adapters in the layout of PEFT: a folder with adapter_config.json and adapter_model.safetensors. Hu et al. 2022.

    W' = W + s·B·A,   s = α / r, or α / √r with rank stabilization (Kalajdzievski 2023)

An adapter is read as data, and nothing of PEFT is imported. An adapter that is not exactly this sum is refused.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import torch
from safetensors import safe_open
from torch import Tensor, nn

from explorer.errors import (
    AdapterDoesNotFit,
    AdapterNotThere,
    BadFolder,
    BadWeights,
    NeedsSafetensors,
    NotAnAdapter,
    UnknownAdapter,
)
from explorer.foreign.lending import Borrower
from explorer.foreign.settings import check_number, read_json, reading_weights
from explorer.foreign.stores import Store
from explorer.foreign.thin import lending, lent_store, memory_of
from explorer.foreign.unrolled import copies_of
from explorer.json_text import shown
from explorer.model.weights_file import all_finite
from explorer.model.weights_header import read_header

SETTINGS, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_PICKLES = ("adapter_model.bin", "adapter_model.pt")
_PAIR = re.compile(r"^base_model\.model\.(?P<path>.+)\.lora_(?P<which>[AB])(?:\.default)?\.weight$")
_NAME = re.compile(r"\^?[A-Za-z0-9_.]+")
_PLAIN_STARTS = (True, False, None, "gaussian", "orthogonal")
"""Initializations that leave the base weights as they are. Others, such as PiSSA, change its weights too."""
_MUST_BE_OFF = (
    *("modules_to_save", "layer_replication", "target_parameters", "trainable_token_indices", "megatron_config", "lora_bias"),
    *("alora_invocation_tokens", "eva_config", "corda_config", "arrow_config"),
)
_LARGEST = torch.finfo(torch.float32).max
_TURNED = "Conv1D"  # GPT-2's layer, whose weight is [in, out]


@attrs.frozen(eq=False)
class Pair:
    """The two matrices of one layer: B·A, B [out, r] and A [r, in], and the factor `scale` before them."""

    a: Tensor
    b: Tensor
    scale: float

    def added(self, module: nn.Module) -> Tensor:
        """ΔW = s·B·A in the orientation of the module's own weight."""
        # ΔW[out,in] = s · Σ_r B[out,r]·A[r,in]
        added = self.scale * (self.b @ self.a)
        return added.T if _is_transposed(module) else added


@attrs.frozen(eq=False)
class Added:
    """ΔW of one weight, which is multiplied a few rows at a time, as the rows of the module's own weight."""

    pair: Pair
    is_transposed: bool

    def span(self, first: int, end: int) -> Tensor:
        """[row, column] the rows from `first` to before `end`, in float64."""
        left, right = (self.pair.a.T, self.pair.b.T) if self.is_transposed else (self.pair.b, self.pair.a)
        # ΔW[i,j] = s · Σ_r L[i,r]·R[r,j]
        return self.pair.scale * (left[first:end].double() @ right.double())


@attrs.frozen(eq=False)
class Adapter:
    """An adapter: its folder, and its pairs by the path of their layer in the model that it was trained for."""

    path: Path
    pairs: Mapping[str, Pair]


def read_adapter(folder: Path) -> Adapter:
    """The adapter in a folder.

    Raises AdapterNotThere, NotAnAdapter, NotANumber, NeedsSafetensors, BadWeights, and UnknownAdapter for what is not the plain
    sum.
    """
    path = folder.absolute()
    if not path.exists():
        raise AdapterNotThere(path=str(path))
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
        raise UnknownAdapter(path=str(path), what=f"peft_type = {shown(kind)}")
    for name, value in settings.items():
        own_way = name.startswith("use_") and name != "use_rslora"
        if value and (own_way or name in _MUST_BE_OFF):
            raise UnknownAdapter(path=str(path), what=name)
    if settings.get("bias", "none") != "none":
        raise UnknownAdapter(path=str(path), what=f"bias = {shown(settings['bias'])}")
    for name in ("rank_pattern", "alpha_pattern"):
        pattern = settings.get(name) or {}
        if not isinstance(pattern, dict) or not all(map(_NAME.fullmatch, pattern)):
            raise UnknownAdapter(path=str(path), what=name)
    start = settings.get("init_lora_weights", True)
    if not any(start is each or (isinstance(start, str) and start == each) for each in _PLAIN_STARTS):
        raise UnknownAdapter(path=str(path), what=f"init_lora_weights = {shown(start)}")


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
    with reading_weights(file):
        read_header(file).check_floats()
        with safe_open(file, framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118  The file is no mapping.
                tensor = opened.get_tensor(name).float()
                if not all_finite(tensor):
                    raise BadWeights(path=str(file), reason=f"{name}: NaN / ∞")
                yield name, tensor


def _pair(path: Path, name: str, both: Mapping[str, Tensor], settings: Mapping[str, Any]) -> Pair:
    """The pair of a layer with its factor. Raises BadWeights, NotANumber, NotAnAdapter."""
    if set(both) != {"A", "B"} or both["A"].shape[0] != both["B"].shape[1] or 0 in (*both["A"].shape, *both["B"].shape):
        raise BadWeights(path=str(path / WEIGHTS), reason=f"{name}: {[list(each.shape) for each in both.values()]}")
    rank = both["A"].shape[0]
    told = _number_of_layer(path, settings, "r", "rank_pattern", name)
    if told != rank:
        raise BadWeights(path=str(path / WEIGHTS), reason=f"{name}: r = {shown(told)} ≠ {rank}")
    alpha = _number_of_layer(path, settings, "lora_alpha", "alpha_pattern", name)
    if not abs(alpha) <= _LARGEST:  # The comparison is False for NaN, ∞ and 10⁴⁰⁰.
        raise NotAnAdapter(path=str(path), reason=f"lora_alpha = {shown(alpha)}")
    # s = α / r, or α / √r
    return Pair(both["A"], both["B"], alpha / (math.sqrt(rank) if settings.get("use_rslora") else rank))


def _number_of_layer(path: Path, settings: Mapping[str, Any], key: str, pattern: str, layer: str) -> float:
    """The number for a layer: that of the first key of the pattern which is the layer's name or its end, else the usual one.

    PEFT reads a key as a regular expression, which could run for ever, so `_check` refuses any that is more than a name. Raises
    NotANumber.
    """
    found: Any = settings.get(key)
    where = key
    for name, value in (settings.get(pattern) or {}).items():
        end = name.removeprefix("^")
        if layer == end or (not name.startswith("^") and layer.endswith(f".{end}")):
            found, where = value, f"{pattern}.{name}"
            break
    check_number(path / SETTINGS, where, found)
    number: float = found
    return number


@attrs.frozen(eq=False)
class _Adapted:
    """A lent weight plus an adapter's change. The sum is computed each time that the layer runs."""

    base: Store
    pair: Pair
    module: nn.Module

    @property
    def shape(self) -> tuple[int, ...]:
        """See Store."""
        return self.base.shape

    @property
    def dtype(self) -> str:
        """See Store."""
        return self.base.dtype

    @property
    def place(self) -> object:
        """See Store."""
        return self.base.place

    def fill(self, out: Tensor) -> Tensor:
        """See Store."""
        return self.base.fill(out).add_(self.pair.added(self.module))

    def rows(self, which: Sequence[int]) -> Tensor:
        """See Store."""
        return self.base.rows(which) + self.pair.added(self.module)[list(which)]

    def span(self, first: int, end: int) -> Tensor:
        """See Store."""
        return self.base.span(first, end) + self.pair.added(self.module)[first:end]


class Dressed:
    """A model whose adapter can be put on and taken off. The base weights are kept, so that they are restored to the bit.

    Weights that are lent to their layers (`lending`) stay unchanged, and the layer borrows the sum.
    """

    def __init__(self, model: nn.Module, prefix: str = "") -> None:
        self._model, self._prefix, self._copies = model, prefix, copies_of(model)
        self.adapter: Adapter | None = None
        self._before: dict[nn.Parameter, Tensor] = {}
        self._lent: dict[Borrower, Store] = {}

    def wear(self, adapter: Adapter | None) -> None:
        """Put this adapter on in place of another one, or take it off. Raises AdapterDoesNotFit; then nothing changes."""
        if adapter is self.adapter:
            return
        fitted = [] if adapter is None else list(self._fitted(adapter))
        lender = lending(self._model)
        if lender is not None:
            lender.forget()
        with torch.no_grad():
            self._take_off()
            for module, pair in fitted:
                self._put_on(module, pair)
        self.adapter = adapter

    def added(self, adapter: Adapter) -> dict[str, Added]:
        """What an adapter adds, by the name of the weight in this model. Raises AdapterDoesNotFit."""
        names = {module: name for name, module in self._model.named_modules()}
        return {f"{names[module]}.weight": Added(pair, _is_transposed(module)) for module, pair in self._fitted(adapter)}

    def _take_off(self) -> None:
        for parameter, before in self._before.items():
            parameter.copy_(before)
        for borrower, store in self._lent.items():
            borrower.stores["weight"] = store
        self._before, self._lent = {}, {}

    def _put_on(self, module: nn.Module, pair: Pair) -> None:
        store = lent_store(module)
        if store is not None:
            adapted = _Adapted(store, pair, module)
            for each in next((parts for parts in self._copies.values() if module in parts), (module,)):
                borrower: Borrower = each.__dict__["borrower"]
                self._lent[borrower], borrower.stores["weight"] = store, adapted
            return
        weight = module._parameters["weight"]
        assert weight is not None  # `_fitted` has looked.
        self._before[weight] = weight.detach().clone()
        weight.add_(pair.added(module).to(weight))  # In place, so that packed copies of the weight notice it.

    def _fitted(self, adapter: Adapter) -> Iterator[tuple[nn.Module, Pair]]:
        """Each layer with its pair; a layer that runs several times has one. Raises AdapterDoesNotFit."""
        path, seen = str(adapter.path), set[nn.Module]()
        several = {part for parts in self._copies.values() for part in parts}
        modules = {name: module for name, module in self._model.named_modules() if module not in several}
        modules |= {name: parts[0] for name, parts in self._copies.items()}
        owners: dict[object, list[str]] = {}
        for name, module in modules.items():
            if (at := memory_of(module)) is not None:
                owners.setdefault(at, []).append(name)
        for name, pair in adapter.pairs.items():
            names = (name, name.removeprefix(f"{self._prefix}."), f"{self._prefix}.{name}")
            found = next((modules[each] for each in names if each in modules), None)
            weight = getattr(found, "weight", None)
            if found is None or found in seen or not isinstance(weight, nn.Parameter) or isinstance(found, nn.Embedding):
                raise AdapterDoesNotFit(path=path, reason=f"{name} ?")
            added = (pair.b.shape[0], pair.a.shape[1])
            added = added[::-1] if _is_transposed(found) else added
            if added != tuple(weight.shape):
                raise AdapterDoesNotFit(path=path, reason=f"{name}: {list(added)} ≠ {list(weight.shape)}")
            if len(owners[memory_of(found)]) > 1:  # A tied weight would change the embedding, too.
                raise AdapterDoesNotFit(path=path, reason=" = ".join(sorted(owners[memory_of(found)])))
            seen.add(found)
            yield found, pair


def _is_transposed(module: nn.Module) -> bool:
    return type(module).__name__ == _TURNED
