"""Tables: what a result declares as its rows and columns, and the one way from there to pandas, which is an extra.

A result lists its tables by name, each as a function that makes the columns; the first one is meant where nobody names one. An
array becomes a table by `cells`: a row for each of its numbers, with the place along each axis.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.errors import ExtraMissing, UnknownTable

Columns = Mapping[str, Sequence[Any] | NDArray[Any]]
"""The columns of a table by name, all of one length."""
Tables = Mapping[str, Callable[[], Columns]]
_MOST_ROWS, _MOST_LETTERS = 12, 160  # of a table in a notebook, and of the line above it


class Tabular(ABC):
    """A result with tables."""

    __slots__ = ()

    @abstractmethod
    def tables(self) -> Tables:
        """What makes each table, by name; the first one is that of `to_pandas()`."""

    def to_pandas(self, table: str = "") -> Any:
        """One of the tables as a pandas DataFrame, the first one without a name. Raises UnknownTable, ExtraMissing."""
        columns = self.columns(table)
        return _pandas().DataFrame(dict(columns))

    def columns(self, table: str = "") -> Columns:
        """The columns of a table by name; the first table without one. Raises UnknownTable."""
        known = self.tables()
        if table and table not in known:
            raise UnknownTable(name=table, choices=", ".join(known))
        return known[table or next(iter(known))]()

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the short form's first line, and the first table, of a long one the largest numbers first."""
        return f"<p>{escape(shorten(repr(self).splitlines()[0], _MOST_LETTERS))}</p>{as_html(_ranked(self.columns()))}"


def cells(values: Mapping[str, NDArray[Any]], **axes: Sequence[Any] | None) -> Columns:
    """A row for each cell of arrays of one shape: a column for each axis, then one for each array.

    An axis is named with what stands along it, or None for numbers from 0.
    """
    shape = next(iter(values.values())).shape
    places = np.indices(shape).reshape(len(shape), -1)  # [axis, cell]
    made: dict[str, Any] = {}
    for (name, labels), place in zip(axes.items(), places, strict=True):
        made[name] = place if labels is None else [labels[each] for each in place.tolist()]
    return made | {name: array.ravel() for name, array in values.items()}


def listed(rows: Sequence[Any], *names: str) -> Columns:
    """A row for each of some values, with these attributes of theirs as columns."""
    return {name: [getattr(row, name) for row in rows] for name in names}


def joined(parts: Sequence[Columns]) -> Columns:
    """The rows of several tables with the same columns, one table after the other."""
    return {name: [each for part in parts for each in part[name]] for name in parts[0]} if parts else {}


def _ranked(columns: Columns) -> Columns:
    """The rows of a table with many, by the magnitude of its last column where that has fractions; others as they are."""
    last = np.asarray(list(columns.values())[-1]) if columns else np.empty(0)
    if len(last) <= _MOST_ROWS or last.dtype.kind != "f":
        return columns
    order = np.argsort(-np.nan_to_num(np.abs(last)), kind="stable")
    return {name: [column[each] for each in order.tolist()] for name, column in columns.items()}


def as_html(columns: Columns) -> str:
    """The first rows of a table as HTML, and how many more there are."""
    n_rows = len(next(iter(columns.values()), ()))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = [[column[n] for column in columns.values()] for n in range(min(n_rows, _MOST_ROWS))]
    body = "".join(f"<tr>{''.join(f'<td>{escape(_told(each))}</td>' for each in row)}</tr>" for row in rows)
    more = f"<p>… {n_rows - _MOST_ROWS} more</p>" if n_rows > _MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _told(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def _pandas() -> Any:
    """The library pandas. Raises ExtraMissing where it is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise ExtraMissing(name="pandas", extra="pandas") from error
    return pandas
