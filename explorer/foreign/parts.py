"""The hooks through which a foreign model's tensors go to taps, and its residual stream through a layer's additions."""

from collections.abc import Callable
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.model.tap import Tap

_Step = Callable[[Tensor], Tensor]


def after(module: nn.Module, step: _Step) -> None:
    """Replace the output of a module by `step` of it; of several outputs the first."""

    def hook(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> Any:
        return (step(output[0]), *output[1:]) if isinstance(output, tuple) else step(output)

    module.register_forward_hook(hook)


def before(module: nn.Module, step: _Step) -> None:
    """Replace the input of a module, its first argument or `hidden_states`, by `step` of it."""

    def hook(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if args:
            return (step(args[0]), *args[1:]), kwargs
        return args, {**kwargs, "hidden_states": step(kwargs["hidden_states"])}

    module.register_forward_pre_hook(hook, with_kwargs=True)


def halves(taps: tuple[Tap, Tap], *, gate_first: bool) -> _Step:
    """The taps of gate and hidden layer, which one layer makes together: two halves of its features."""
    gate, hidden = taps

    def step(both: Tensor) -> Tensor:
        parts = both.chunk(2, dim=-1)  # each [batch, position, feature]
        order = (gate, hidden) if gate_first else (hidden, gate)
        seen = [tap(part) for tap, part in zip(order, parts, strict=True)]
        return both if all(new is old for new, old in zip(seen, parts, strict=True)) else torch.cat(seen, dim=-1)

    return step


@attrs.define
class Stream:
    """The residual stream [batch, position, feature] inside a layer; `beside` waits to be added together with more.

    It is followed through the layer's additions, which are no modules. Some families multiply what is added with a `factor`:
    then the tap of the output shows the product.
    """

    vectors: Tensor | None = None
    beside: Tensor | None = None

    def begin(self, vectors: Tensor) -> Tensor:
        """The layer's input [batch, position, feature]."""
        self.vectors, self.beside = vectors, None
        return vectors

    def in_rows(self, step: _Step) -> _Step:
        """A step that is given [batch, position, feature] also where the layer puts the rows of all texts below each other."""

        def stepped(vectors: Tensor) -> Tensor:
            if vectors.dim() != 2 or self.vectors is None:
                return step(vectors)
            apart = vectors.reshape(len(self.vectors), -1, vectors.shape[-1])
            seen = step(apart)
            return vectors if seen is apart else seen.reshape(vectors.shape)

        return stepped

    def adding(self, output: Tap, residual: Tap, factor: float = 1.0) -> _Step:
        """The addend, after its tap. If a hook replaces the sum, the addend becomes its difference."""

        def added(vectors: Tensor) -> Tensor:
            scaled = vectors if factor == 1 else vectors * factor
            seen = output(scaled)
            assert self.vectors is not None  # The layer has begun.
            # In the order of the layer itself: what waits comes first.
            total = (seen if self.beside is None else seen + self.beside) + self.vectors
            replaced = residual(total)
            self.vectors = replaced
            made = seen if replaced is total else seen + (replaced - total)
            return vectors if made is scaled else made if factor == 1 else made / factor

        return added

    def waiting(self, output: Tap, factor: float = 1.0) -> _Step:
        """The addend that is added together with the next one, after its tap."""

        def waits(vectors: Tensor) -> Tensor:
            scaled = vectors if factor == 1 else vectors * factor
            self.beside = seen = output(scaled)
            return vectors if seen is scaled else seen if factor == 1 else seen / factor

        return waits

    def normed(self, norm: Tap) -> _Step:
        """The norm after an addition, whose result is the stream from then on."""

        def went_on(vectors: Tensor) -> Tensor:
            self.vectors = norm(vectors)
            return self.vectors

        return went_on
