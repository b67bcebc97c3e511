"""Models that do not hold their large weights as float32: those are lent to each layer while it computes (`lending`).

A model held in bfloat16 was loaded as any other. A streamed one is made here: its modules get no memory, small tensors are
read, large ones are found in the files, and those of no file are made by the family's formula.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import psutil
import torch
from torch import Tensor, nn

from explorer.errors import LacksTensors, NotEnoughMemory, TooLarge, WeightsDoNotFit
from explorer.foreign.folder import Folder
from explorer.foreign.holding import FLOAT, SPARE
from explorer.foreign.kind import ModelClass, made_by_formula
from explorer.foreign.lending import SMALL, Borrower, OfExperts, WeightLender, nothing_there
from explorer.foreign.stores import Held, InFile, Stacked, Store

Named = Callable[[Any, Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
"""Maps each tensor's name in a model to the names in its files that it is joined from, as columns [part, expert]."""


def lending(model: nn.Module) -> WeightLender | None:
    """The WeightLender of a model; None for a model that holds its weights as float32."""
    found: WeightLender | None = model.__dict__.get("lender")
    return found


def weight_of(module: nn.Module, name: str = "weight") -> Tensor:
    """The weight of a layer, or another of its parameters, as float32; read anew where it is lent. Raises BadWeights."""
    found = lent_store(module, name)
    if found is None:
        return _own_weight(module, name)
    with torch.inference_mode(False), torch.no_grad():
        return found.fill(torch.empty(found.shape))


def lent_store(module: nn.Module, name: str = "weight") -> Store | None:
    """The Store of a layer's weight, or of another of its parameters, if it is lent; None for any other."""
    borrower: Borrower | None = module.__dict__.get("borrower")
    return None if borrower is None else borrower.store(name)


def memory_of(module: nn.Module, name: str = "weight") -> object:
    """What tied parameters have in common, wherever their numbers are; None for a parameter that a layer lacks."""
    found = lent_store(module, name)
    return module._parameters.get(name) if found is None else found.place


def parameters_of(model: nn.Module) -> dict[object, nn.Parameter]:
    """The parameters of a model, tied ones once."""
    return {memory_of(module, name): own for module in model.modules() for name, own in _own_parameters(module)}


def _own_weight(module: nn.Module, name: str = "weight") -> Tensor:
    weight: Tensor = module._parameters[name]  # type: ignore[assignment]  # Callers ask for weights that there are.
    return weight


def row_count(table: nn.Module) -> int:
    """How many rows a table of embeddings has."""
    return len(_own_weight(table))


def some_rows(table: nn.Module, which: Sequence[int]) -> Tensor:
    """[row, feature] some rows of a table as float32; no others are read where they are lent. Raises BadWeights."""
    lent = lent_store(table)
    if lent is not None:
        return lent.rows(which)
    return _own_weight(table).detach()[torch.tensor(which, dtype=torch.int64)].float().cpu()


def span_of_rows(table: nn.Module, first: int, end: int) -> Tensor:
    """[row, feature] the rows from `first` to before `end`, in the same way. Raises BadWeights."""
    lent = lent_store(table)
    return _own_weight(table).detach()[first:end].float().cpu() if lent is None else lent.span(first, end)


def plainly(module: nn.Module, x: Tensor) -> Tensor:
    """The output of a module for x, without the taps on its method `forward`. Raises BadWeights."""
    borrower = module.__dict__.get("borrower")
    made: Tensor = type(module).forward(module, x) if borrower is None else borrower.computed(x)
    return made


def check_room(model: nn.Module) -> None:
    """Refuse to have all weights of a model in memory at the same time if they do not fit. Raises NotEnoughMemory."""
    need = FLOAT * sum(own.numel() for own in model.parameters())
    if lending(model) is not None and need > SPARE * psutil.virtual_memory().available:
        raise NotEnoughMemory(need_mb=round(need / 2**20))


def lend_half(model: Any, path: str) -> Any:
    """A model that was loaded with half the width, which from then on widens its weights layer by layer."""
    lender = model.__dict__["lender"] = WeightLender(ahead=False)
    widened: dict[nn.Parameter, nn.Parameter] = {}  # Tied parameters stay one.
    for module in list(model.modules()):
        stores: dict[str, Store] = {}
        for name, own in _own_parameters(module):
            if own.numel() > SMALL and own.dtype != torch.float32:
                stores[name] = Held(own.data)
            elif own.dtype != torch.float32:
                module._parameters[name] = widened.setdefault(own, nn.Parameter(own.data.float(), requires_grad=False))
        for name, buffer in module._buffers.items():
            if buffer is not None and buffer.is_floating_point():
                module._buffers[name] = buffer.float()
        _give(module, stores, lender, path)
    model.config.dtype = torch.float32
    return model


def streamed(kind: ModelClass, folder: Folder, named: Named) -> Any:
    """A model of a folder whose large weights stay in its files; `named` maps names in the files to names in the model.

    Raises LacksTensors, WeightsDoNotFit, BadWeights, TooLarge.
    """
    path = str(folder.path)
    model = kind.skeleton()
    model.tie_weights()
    places = _joined(_places(folder), named, model)
    if any(isinstance(place, Stacked) for place in places.values()):
        model.set_experts_implementation("eager")  # Ask for one expert after the other.
    _make_what_no_file_has(model, places, path)
    lender = model.__dict__["lender"] = WeightLender(ahead=True)
    shared: dict[int, nn.Parameter] = {}
    paths = {module: name for name, module in model.named_modules()}
    tied = _names(model)
    for module in paths:
        stores: dict[str, Store] = {}
        for name, own in _own_parameters(module):
            if not own.is_meta:
                continue
            store = next(places[each] for each in tied[id(own)] if each in places)
            if store.shape != tuple(own.shape):
                raise WeightsDoNotFit(path=path, reason=f"{paths[module]}.{name} {list(own.shape)}")
            if own.numel() > SMALL:
                stores[name] = store
            else:
                read = shared.setdefault(id(own), nn.Parameter(store.fill(torch.empty(store.shape)), requires_grad=False))
                module._parameters[name] = read
        _give(module, stores, lender, path)
    return model


def _give(module: nn.Module, stores: Mapping[str, Store], lender: WeightLender, path: str) -> None:
    if stores:
        of_experts = {name: store for name, store in stores.items() if isinstance(store, Stacked)}
        borrower: Borrower
        if of_experts and len(of_experts) == len(stores):
            borrower = OfExperts(module, of_experts, lender, path)
        else:
            borrower = Borrower(module, stores, lender, path)
        module.__dict__["borrower"] = borrower
        module.forward = borrower
        for name, store in stores.items():
            module._parameters[name] = nothing_there(store.shape)


def _own_parameters(module: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    return iter([(name, own) for name, own in module._parameters.items() if own is not None])


def _places(folder: Folder) -> dict[str, InFile]:
    """Every tensor of floats in the files of a folder."""
    return {
        name: InFile(path, header.places[name], header.dtypes[name], shape)
        for path, header in folder.headers.items()
        for name, shape in header.shapes.items()
        if "F" in header.dtypes[name]
    }


def _joined(places: Mapping[str, InFile], named: Named, model: Any) -> dict[str, Store]:
    """The tensors under the names that the model gives them; the tensors of many experts are one tensor of the model."""
    found: dict[str, Store] = {}
    shapes = {name: tuple(own.shape) for name, own in (*model.named_parameters(), *model.named_buffers())}
    for name, columns in named(model, list(places)).items():
        # [expert, part]: the files' tensors of one expert stand below each other.
        rows = tuple(zip(*([places[each] for each in column] for column in columns), strict=True))
        # Of parts of several shapes, the odd one is named where the model's tensor is looked for.
        odd = next((row[0] for row in rows if [each.shape for each in row] != [each.shape for each in rows[0]]), None)
        joined = len(shapes.get(name, ())) == len(rows[0][0].shape) + 1
        found[name] = odd or (Stacked(rows) if joined else rows[0][0])
    return found


def _names(model: nn.Module) -> dict[int, list[str]]:
    """All names of each parameter; tied ones have several."""
    found: dict[int, list[str]] = {}
    for name, own in model.named_parameters(remove_duplicate=False):
        found.setdefault(id(own), []).append(name)
    return found


def _make_what_no_file_has(model: Any, places: Mapping[str, Store], path: str) -> None:
    """Tensors that a family makes by a formula, such as waves. Raises LacksTensors, TooLarge for others."""
    by_formula = made_by_formula(model)
    tied = _names(model)
    missing = [names[0] for names in tied.values() if not any(each in places for each in names)]
    unknown = sorted(name for name in missing if not by_formula.search(name))
    if unknown:
        if len(set(places) - {name for names in tied.values() for name in names}) >= len(unknown):
            # The files have these tensors under other names, joined or split.
            need = FLOAT * sum(own.numel() for own in model.parameters())
            raise TooLarge(path=path, need_mb=need // 2**20, free_mb=psutil.virtual_memory().available // 2**20)
        raise LacksTensors(path=path, kind=type(model).__name__, missing=", ".join(unknown[:3]))
    made: list[tuple[dict[str, Any], str]] = []
    for at, module in model.named_modules():
        for name, own in _own_parameters(module):
            if f"{at}.{name}".removeprefix(".") in missing:
                module._parameters[name] = nn.Parameter(_unmade(own), requires_grad=False)
                made.append((module._parameters, name))
        for name, buffer in module._buffers.items():
            if buffer is not None:
                place = places.get(f"{at}.{name}".removeprefix("."))
                module._buffers[name] = _unmade(buffer) if place is None else place.fill(torch.empty(place.shape))
                made.append((module._buffers, name))
    with torch.no_grad():
        model.initialize_weights()
    for where, name in made:
        tensor = where[name]
        if (tensor.isnan() if tensor.is_floating_point() else tensor == _NEVER).any():
            raise LacksTensors(path=path, kind=type(model).__name__, missing=name)


_NEVER = -(2**31) + 7  # No family fills a tensor with this number.


def _unmade(like: Tensor) -> Tensor:
    """A tensor of NaN, which shows whether the family fills it. Booleans have no such value and are refused."""
    if like.is_floating_point():
        return torch.full(like.shape, torch.nan, dtype=like.dtype)
    if like.dtype in (torch.int64, torch.int32):
        return torch.full(like.shape, _NEVER, dtype=like.dtype)
    raise TypeError(like.dtype)
