"""The layers in front of a change give out in every trial what they give out in the pass as it is: only those behind it run.

Where each layer is changed in turn, that saves about half of the work. The numbers are those of whole passes.

Decision: a layer that is left out has another `forward` meanwhile. Rejected: a forward hook, which is called when the layer has
computed already, and another module in the layer's place, in which changes would not find their taps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from math import ceil
from typing import Any

from torch import Tensor, nn

from explorer.engine.experiments.runs import AnyModel
from explorer.foreign.model import Foreign

MOST_NUMBERS = 2**26  # kept outputs, 256 MB; layers beyond that run in every trial
_PORTIONS = 8  # With eight batches, 9 of 16 layers run on the average; with more, a batch soon has too few rows.
WORTH_A_BATCH = 16  # rows; with fewer, a layer takes hardly less time


class LayersInFront:
    """What the layers of a model gave out in the pass as it is, from the first one on.

    All layers run in every trial of a model of others whose family is unknown, or which writes into tensors that it gave out.
    """

    def __init__(self, model: AnyModel) -> None:
        self._layers = _layers(model)  # by name, in the order of computation
        self._numbers = {name: number for number, name in enumerate(self._layers)}
        self._given_out: list[Any] = []  # [layer] with a batch of one row

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Inside the block, a pass of one row is made."""
        room = MOST_NUMBERS

        def note(layer: nn.Module, _args: tuple[Any, ...], found: Any) -> None:
            nonlocal room
            size = _size(found)
            # Only an unbroken row of layers can be left out.
            if numbers[layer] == len(self._given_out) and size is not None and size <= room:
                room -= size
                self._given_out.append(found)

        numbers = {layer: number for number, layer in enumerate(self._layers.values())}
        with ExitStack() as stack:
            for layer in numbers:  # Other hooks of the layer come after this one: they are called again where it is left out.
                stack.callback(layer.register_forward_hook(note, prepend=True).remove)
            yield

    @contextmanager
    def left_out(self, n_layers: int, n_rows: int) -> Iterator[None]:
        """Inside the block, the first `n_layers` give each of `n_rows` rows what they gave out before, and compute nothing."""

        def known(found: Any) -> Callable[..., Any]:
            return lambda *_args, **_kwargs: _for_rows(found, n_rows)

        some = list(zip(self._layers.values(), self._given_out, strict=False))[:n_layers]
        own = {layer: layer.forward for layer, _found in some if "forward" in vars(layer)}
        try:
            for layer, found in some:
                layer.forward = known(found)
            yield
        finally:
            for layer, _found in some:
                del layer.forward
                if layer in own:
                    layer.forward = own[layer]

    def batches(self, changed_taps: Mapping[int, Sequence[str]], most: int) -> Iterator[tuple[list[int], int]]:
        """Trials, by number the taps that each changes, in batches of at most `most`: those that begin at one layer together.

        Yields the numbers of a batch, and how many layers can be left out.
        """
        first = {number: self._first_changed(taps) for number, taps in changed_taps.items()}
        numbers = sorted(first, key=lambda number: first[number])
        at_once = min(most, max(WORTH_A_BATCH, ceil(len(numbers) / _PORTIONS)))
        for begin in range(0, len(numbers), at_once):
            some = numbers[begin : begin + at_once]
            yield some, first[some[0]]

    def _first_changed(self, taps: Sequence[str]) -> int:
        """The number of the first layer that has one of these taps; 0 where one of them is in no layer."""
        return min((self._numbers.get(".".join(tap.split(".")[:3]), 0) for tap in taps), default=0)


def _layers(model: AnyModel) -> dict[str, nn.Module]:
    """The layers by name, "decoder.layers.0", in the order of computation."""
    if isinstance(model, Foreign):
        return model.layers() if model.overwrites_nothing else {}
    sides = {"encoder": model.encoder, "decoder": model.decoder}
    stacks = ((name, side.layers) for name, side in sides.items() if side is not None)
    return {f"{name}.layers.{number}": layer for name, layers in stacks for number, layer in enumerate(layers)}


def _size(given_out: Any) -> int | None:
    """How many numbers a layer gave out; None where it is not known which of them belong to which row of a batch."""
    if isinstance(given_out, tuple):
        sizes = [_size(each) for each in given_out]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    if isinstance(given_out, Tensor):
        return given_out.numel() if given_out.dim() and given_out.shape[0] == 1 else None
    return 0 if given_out is None else None


def _for_rows(given_out: Any, n: int) -> Any:
    """The same for `n` rows."""
    if isinstance(given_out, tuple):
        return tuple(_for_rows(each, n) for each in given_out)
    return None if given_out is None else given_out.expand(n, *given_out.shape[1:])
