"""The parameters of a model as values: which there are, and what one of them looks like.

Beside them stand the circuits of attention heads, which are products of two weights (Elhage et al. 2021, "A Mathematical
Framework for Transformer Circuits"). They have names of their own, so that a circuit is asked for like any parameter.
"""

import math
from typing import Literal

import attrs

from explorer.trace.arrays import Array
from explorer.trace.levels import Levels, blocks
from explorer.trace.measures.measures import Summary
from explorer.trace.measures.streamed import Histogram

CIRCUITS = ("qk_circuit", "ov_circuit")
_MOST_CELLS = 2**22  # of a picture; of a larger matrix, each stands for a block of numbers
_SLAB = 2**21  # numbers that are read at once
Kind = Literal["parameters", "circuits"]


@attrs.frozen
class Parameter:
    """One tensor of weights: its name, its shape, what each axis runs along, and the type of its numbers in the model.

    `tied` are its further names, where several layers share it. With `quantized`, a file keeps codes from which the numbers are
    dequantized, and `dtype` is their kind, such as "Q4_K". The last two axes are a matrix; those before count matrices,
    which are looked at one by one: experts, or a circuit's heads.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    dtype: str
    tied: tuple[str, ...] = ()
    quantized: bool = False

    @property
    def kind(self) -> Kind:
        """Whether the model has the tensor, or it is the product of two weights of a head."""
        return "circuits" if self.name.endswith(CIRCUITS) else "parameters"

    @property
    def n_matrices(self) -> int:
        """How many matrices there are to choose from."""
        return math.prod(self.shape[:-2])

    @property
    def matrix(self) -> tuple[int, int]:
        """Rows and columns of one matrix; a vector is one row."""
        rows, columns = (1, 1, *self.shape)[-2:]
        return rows, columns

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)

    @property
    def badge(self) -> str:
        """The shape with its axes named: "[out 256, in 1024]"."""
        return "[" + ", ".join(f"{name} {size}" for name, size in zip(self.axes, self.shape, strict=True)) + "]"


@attrs.frozen
class ParameterList:
    """All parameters of a model in its own order, and the circuits of its heads.

    `without` is the key of a sentence that says why some attentions have no circuits; "" where all have them.
    """

    parameters: tuple[Parameter, ...]
    without: str = ""

    def of(self, kind: Kind) -> tuple[Parameter, ...]:
        """The parameters, or the circuits."""
        return tuple(each for each in self.parameters if each.kind == kind)


@attrs.frozen(eq=False)
class ParameterNumbers:
    """One matrix of a parameter: its figures, and its numbers or blocks of them.

    `values` are the numbers [row, column]; of a large matrix, those of each block of `block` × `block` numbers that are
    farthest from zero. `labels` are the tokens of the rows, where these are tokens. `levels` are there of more values than a
    screen shows.
    """

    parameter: Parameter
    number: int
    summary: Summary
    histogram: Histogram
    values: Array
    block: int = 1
    labels: tuple[str, ...] = ()
    levels: Levels | None = None


def pooling(parameter: Parameter) -> int:
    """How many rows and columns one cell of the picture stands for, a power of two; 1 where each number has its own."""
    rows, columns = parameter.matrix
    block = 1
    while -(-rows // block) * -(-columns // block) > _MOST_CELLS:
        block *= 2
    return block


def slabs(parameter: Parameter) -> tuple[tuple[int, int], ...]:
    """The first row of each slab in which a matrix is read, and the one after its last. No cell stands in two slabs."""
    (rows, columns), block = parameter.matrix, pooling(parameter)
    return tuple(blocks(rows, max(1, _SLAB // (columns * block)) * block))
