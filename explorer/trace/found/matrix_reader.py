"""Reads one matrix of a parameter in pieces, for its figures and its picture.

The matrix is read twice, a slab of rows at a time: first for the figures and the cells of the picture, then for the histogram,
whose range depends on the figures.
"""

from typing import Protocol

import numpy as np

from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.parameters import Parameter, ParameterNumbers, pooling, slabs
from explorer.trace.levels import levels, pooled
from explorer.trace.measures.streamed import Streamed

_MOST_SHOWN = 2**19  # numbers; more are painted from levels, as large recorded maps are


class Rows(Protocol):
    """The rows of one matrix."""

    def span(self, first: int, end: int) -> Array:
        """[row, column] the rows from `first` to before `end`, as float32. They are not to be written to. Raises BadWeights."""


class MatrixReader:
    """Call `step` until it returns True, after two times as many steps as there are slabs; then `found` has it."""

    def __init__(self, rows: Rows, parameter: Parameter, number: int) -> None:
        self._rows, self._parameter, self._number = rows, parameter, number
        self._slabs = slabs(parameter)
        self._figures = Streamed()
        self._cells: list[Array] = []
        self._done = 0

    def step(self) -> bool:
        """Read the next slab; True when that was the last one. Raises BadWeights."""
        n = len(self._slabs)
        slab = self._rows.span(*self._slabs[self._done % n])
        if self._done < n:
            self._figures.take(slab)
            block = pooling(self._parameter)
            # A copy: the model's own memory may be given other numbers.
            self._cells.append(slab.astype(np.float32) if block == 1 else pooled(slab, block, signed=True))
        else:
            self._figures.count(slab)
        self._done += 1
        return self._done == 2 * n

    def found(self, labels: tuple[str, ...] = ()) -> ParameterNumbers:
        """What was read."""
        values = frozen_array(np.concatenate(self._cells))
        return ParameterNumbers(
            parameter=self._parameter,
            number=self._number,
            summary=self._figures.summary(self._parameter.matrix),
            histogram=self._figures.histogram(),
            values=values,
            block=pooling(self._parameter),
            labels=labels,
            levels=levels(values, signed=True) if values.size > _MOST_SHOWN else None,
        )


def read_at_once(rows: Rows, parameter: Parameter, number: int, labels: tuple[str, ...] = ()) -> ParameterNumbers:
    """One matrix of a parameter, read to its end. Raises BadWeights."""
    reader = MatrixReader(rows, parameter, number)
    while not reader.step():
        pass
    return reader.found(labels)
