"""The stream of one layer of somebody's model, followed through its additions, which have no module of their own."""

from collections.abc import Callable

import attrs
from torch import Tensor

from explorer.model.tap import Tap


@attrs.define
class Stream:
    """The stream [batch, position, feature] as far as a layer has come; `beside` waits to be added together with more."""

    vectors: Tensor | None = None
    beside: Tensor | None = None

    def begin(self, vectors: Tensor) -> Tensor:
        """The layer's input [batch, position, feature]."""
        self.vectors, self.beside = vectors, None
        return vectors

    def adding(self, output: Tap | None, residual: Tap) -> Callable[[Tensor], Tensor]:
        """What is added, after its tap if it has one here. A hook that replaces the sum is obeyed by adding something else."""

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
        """What is added together with what comes next, after its tap."""

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
