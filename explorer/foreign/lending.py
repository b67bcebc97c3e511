"""Weights that are lent to a layer while it computes, and taken back after it.

A layer that owns large weights has a `Borrower` in place of its `forward`. In between, its parameters have their shape and
are NaN throughout, in the memory of one number: a layer that computes without borrowing gives NaN, which the check at opening
finds.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.errors import NotFinite
from explorer.foreign.holding import READ_AHEAD
from explorer.foreign.stores import Stacked, Store
from explorer.model.weights_file import all_finite
from explorer.stops import Progress

SMALL = 2**16  # numbers; smaller tensors, as those of norms, stay in memory
_PRODUCTS = ("torch.nn.modules.linear.Linear", "transformers.pytorch_utils.Conv1D")
Lent = Mapping[str, Tensor]


def nothing_there(shape: tuple[int, ...]) -> nn.Parameter:
    """A parameter of this shape that is NaN throughout, in the memory of one number."""
    return nn.Parameter(torch.full((1,), torch.nan).expand(shape), requires_grad=False)


class WeightLender:
    """Lends weights to the layers of one model, in the order of its passes; `ahead` has the next ones read meanwhile.

    `going` receives the share of the layers that the pass has completed, and may raise an error to end it.
    """

    def __init__(self, *, ahead: bool) -> None:
        self.going: Progress = lambda _share: None
        self.n_borrowers = 0
        self.device = torch.device("cpu")
        self._order: list[Borrower] = []
        self._places: dict[Borrower, int] = {}
        self._read: dict[Borrower, Future[Lent]] = {}
        self._free: dict[int, list[Tensor]] = {}
        self._reader = ThreadPoolExecutor(1, "weights") if ahead else None

    def lend(self, borrower: "Borrower") -> Lent:
        """The weights of a layer. Raises Superseded, BadWeights."""
        place = self._places.setdefault(borrower, len(self._order))
        if place == len(self._order):
            self._order.append(borrower)
        self.going((place + 1) / self.n_borrowers)
        waiting = self._read.pop(borrower, None)
        lent = self.fetched(borrower) if waiting is None else waiting.result()
        self._read_on(place)
        return lent

    def fetched(self, borrower: "Borrower") -> Lent:
        """The weights of a layer, read now. Raises BadWeights."""
        found = {}
        with torch.inference_mode(False), torch.no_grad():  # Where gradients are made, the memory may be used again.
            for name, store in borrower.stores.items():
                found[name] = store.fill(self._room(store.shape) if borrower.is_product else torch.empty(store.shape))
                borrower.check(name, found[name])
        return found

    def forget(self) -> None:
        """Drop what was read ahead, because the weights are others now."""
        waiting, self._read = list(self._read.values()), {}
        for each in waiting:
            if not each.cancel():
                each.exception()  # Wait for it: nobody may read while the weights change.

    def take_back(self, borrower: "Borrower", lent: Lent) -> None:
        """Reuse the memory of a product's weights; other layers may have given away a part of theirs."""
        for tensor in lent.values() if borrower.is_product else ():
            waiting = self._free.setdefault(tensor.numel(), [])
            if len(waiting) < READ_AHEAD:
                waiting.append(tensor.view(-1))

    def _room(self, shape: tuple[int, ...]) -> Tensor:
        numbers = torch.Size(shape).numel()
        free = self._free.get(numbers)
        return free.pop().view(shape) if free else torch.empty(shape)

    def _read_on(self, place: int) -> None:
        """Read the weights of the next layers ahead, a few at a time."""
        if self._reader is None:
            return
        for borrower in [each for each in self._read if self._places[each] <= place]:
            self._read.pop(borrower).cancel()  # The pass took another layer than expected.
        for borrower in self._order[place + 1 : place + 1 + READ_AHEAD]:
            if borrower not in self._read:
                self._read[borrower] = self._reader.submit(self.fetched, borrower)


class Borrower:
    """Replaces the `forward` of a layer whose weights are lent; `stores` has them by name."""

    def __init__(self, layer: nn.Module, stores: Mapping[str, Store], lender: WeightLender, path: str) -> None:
        self.layer, self.stores, self._lender, self._path = layer, dict(stores), lender, path
        self._own: Callable[..., Any] = layer.forward
        kind = f"{type(layer).__module__}.{type(layer).__qualname__}"
        self.is_product = kind in _PRODUCTS
        self._transposed = kind == _PRODUCTS[1]
        self._looks_up = type(layer) is nn.Embedding
        self._unchecked = set(self.stores)
        lender.n_borrowers += not self._looks_up  # An embedding look-up needs no reading ahead.

    def store(self, name: str) -> Store | None:
        """Where the numbers of one of the layer's parameters are; None where the layer has them itself."""
        return self.stores.get(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the layer with its own weights."""
        if self._looks_up:
            return self._rows(args[0])
        if self.is_product and torch.is_grad_enabled() and args[0].requires_grad:
            return _Product.apply(args[0], self)  # type: ignore[no-untyped-call]  # torch
        return self.computed(*args, **kwargs)

    def computed(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the layer, without gradients through its products."""
        with self.weights():
            return self._own(*args, **kwargs)

    @contextmanager
    def weights(self) -> Iterator[Lent]:
        """Inside the block the layer has its weights."""
        lent = self._lender.lend(self)
        there = {name: tensor.to(self._lender.device) for name, tensor in lent.items()}
        own = self.layer._parameters
        before = {name: own[name] for name in there}
        for name, table in before.items():
            if table is not None and table.requires_grad and not self.is_product:
                there[name].requires_grad_(True)  # Gradients begin at a table of embeddings.
        own.update(there)  # type: ignore[arg-type]  # A tensor without gradients does for a parameter.
        try:
            yield there
        finally:
            own.update(before)
            self._lender.take_back(self, lent)

    def check(self, name: str, tensor: Tensor) -> None:
        """Refuse NaN and infinity, once. Raises NotFinite."""
        if name in self._unchecked:
            if not all_finite(tensor):
                raise NotFinite(path=self._path, tensor=name)
            self._unchecked.discard(name)

    def input_gradient(self, gradient: Tensor) -> Tensor:
        """The gradient of a product's input from the gradient of its output."""
        with self.weights() as lent:
            return gradient @ (lent["weight"].t() if self._transposed else lent["weight"])

    def _rows(self, ids: Tensor) -> Tensor:
        """[…, feature] the rows of a table: only those that are asked for are read."""
        self._lender.going(0.0)
        which, places = torch.unique(ids, return_inverse=True)
        if which.numel() and not 0 <= int(which[0]) <= int(which[-1]) < self.stores["weight"].shape[0]:
            raise IndexError("index out of range in self")  # The positions of the arguments are those of torch.
        rows = self.stores["weight"].rows(which.tolist()).to(ids.device)
        if not rows.isfinite().all():
            raise NotFinite(path=self._path, tensor="weight")
        table = self.layer._parameters["weight"]
        if torch.is_grad_enabled() and table is not None and table.requires_grad:
            rows.requires_grad_(True)  # Gradients begin here.
        return rows[places]


class OfExperts(Borrower):
    """Replaces the `forward` of a module with the weights of many experts: it reads an expert's weights when they are used.

    So only the chosen experts are read, and one matrix of one expert is in memory at a time.
    """

    def __init__(self, layer: nn.Module, stores: Mapping[str, Stacked], lender: WeightLender, path: str) -> None:
        super().__init__(layer, {}, lender, path)
        self._by_name = dict(stores)
        self._seen: set[tuple[str, int]] = set()

    def store(self, name: str) -> Store | None:
        """See Borrower."""
        return self._by_name.get(name)

    @contextmanager
    def weights(self) -> Iterator[Lent]:
        """Inside the block the layer has an object that returns each expert's weights by its number."""
        self._lender.lend(self)
        own = self.layer._parameters
        before = {name: own[name] for name in self._by_name}
        own.update({name: _ByNumber(self, name) for name in self._by_name})  # type: ignore[misc]  # Experts are looked up by number.
        try:
            yield {}
        finally:
            own.update(before)

    def expert(self, name: str, number: int) -> Tensor:
        """[row, feature] a matrix of one expert. Raises Superseded, BadWeights."""
        self._lender.lend(self)  # Lending nothing still reports progress and can end the pass.
        with torch.inference_mode(False), torch.no_grad():
            found = self._by_name[name].expert(number).to(self._lender.device)
        if (name, number) not in self._seen:
            if not all_finite(found):
                raise NotFinite(path=self._path, tensor=f"{name}[{number}]")
            self._seen.add((name, number))
        return found


@attrs.frozen
class _ByNumber:
    """Replaces a tensor [expert, row, feature] while its layer computes."""

    borrower: OfExperts
    name: str

    def __getitem__(self, number: object) -> Tensor:
        """The matrix of one expert, whose number may be a tensor."""
        return self.borrower.expert(self.name, int(number))  # type: ignore[call-overload]


class _Product(torch.autograd.Function):
    """A product whose weights are lent again for the gradient, since they are not kept in between."""

    @staticmethod
    def forward(context: Any, x: Tensor, borrower: Borrower) -> Tensor:
        context.borrower = borrower
        found: Tensor = borrower.computed(x)
        return found

    @staticmethod
    def backward(context: Any, *gradients: Any) -> tuple[Tensor, None]:
        return context.borrower.input_gradient(gradients[0]), None
