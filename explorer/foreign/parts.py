"""The parts of a layer of a foreign model, found by its family's row, and the residual stream through their additions."""

from collections.abc import Callable

import attrs
from torch import Tensor, nn

from explorer.foreign.experts import output_path, router_of
from explorer.foreign.families import Family, SidePaths, SublayerPaths
from explorer.model.tap import Tap


def found_in(layer: nn.Module, paths: tuple[str, ...]) -> nn.Module | None:
    """The first of these modules that exists."""
    known = dict(layer.named_modules())
    return next((known[path] for path in paths if path and path in known), None)


def norm_of(layer: nn.Module, sublayer: SublayerPaths) -> nn.Module:
    """The norm through which a sublayer reads, or in post-norm models the one behind its addition.

    Raises AttributeError where the layer has none of these names.
    """
    found = found_in(layer, sublayer.norms)
    if found is None:
        raise AttributeError(sublayer.norm)
    return found


def fits(base: nn.Module, family: Family) -> bool:
    """Whether the parts that a family's row names are there, in every layer."""
    try:
        for side in family.sides:
            for path in filter(None, (side.tokens, side.positions, side.segments, side.embedding_norm, side.final_norm)):
                base.get_submodule(path)
            for layer in base.get_submodule(side.layers):  # type: ignore[attr-defined]  # a list of modules
                if not _layer_fits(layer, side):
                    return False
    except AttributeError:
        return False
    return True


def _layer_fits(layer: nn.Module, side: SidePaths) -> bool:
    """Whether a layer has all parts. Raises AttributeError where one of them is missing."""
    for kind, sublayer in side.sublayers:
        layer.get_submodule(output_path(layer, side, kind, sublayer))
        norm_of(layer, sublayer)
        if sublayer.after:
            layer.get_submodule(sublayer.after)
    return router_of(layer, side) is not None or found_in(layer, side.hidden) is not None


@attrs.define
class Stream:
    """The residual stream [batch, position, feature] inside a layer; `beside` waits to be added together with more.

    It is followed through the layer's additions, which are no modules.
    """

    vectors: Tensor | None = None
    beside: Tensor | None = None

    def begin(self, vectors: Tensor) -> Tensor:
        """The layer's input [batch, position, feature]."""
        self.vectors, self.beside = vectors, None
        return vectors

    def adding(self, output: Tap | None, residual: Tap) -> Callable[[Tensor], Tensor]:
        """The addend, after its tap if it has one here. If a hook replaces the sum, the addend becomes its difference."""

        def added(vectors: Tensor) -> Tensor:
            vectors = vectors if output is None else output(vectors)
            assert self.vectors is not None  # The layer has begun.
            # In the order of the layer itself: what waits comes first.
            total = (vectors if self.beside is None else vectors + self.beside) + self.vectors
            replaced = residual(total)
            self.vectors = replaced
            return vectors if replaced is total else vectors + (replaced - total)

        return added

    def waiting(self, output: Tap) -> Callable[[Tensor], Tensor]:
        """The addend that is added together with the next one, after its tap."""

        def waits(vectors: Tensor) -> Tensor:
            self.beside = output(vectors)
            return self.beside

        return waits

    def normed(self, norm: Tap) -> Callable[[Tensor], Tensor]:
        """The norm after an addition, whose result is the stream from then on."""

        def went_on(vectors: Tensor) -> Tensor:
            self.vectors = norm(vectors)
            return self.vectors

        return went_on
