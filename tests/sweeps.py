"""Sweeps: tests over every size, language, model or family. The default line takes a telling handful of each; CI takes all.

    @pytest.mark.parametrize("model", sweep(MODELS, telling=["tiny"]))

`python -m pytest` leaves out what is marked `exhaustive`, and `python -m pytest -m exhaustive` runs that alone.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

exhaustive = pytest.mark.exhaustive
"""Marks a test that is left out of the default line as a whole; something quicker there must see the same fault."""


def sweep(values: Iterable[Any], *, telling: Iterable[Any]) -> list[Any]:
    """The values of one parameter; those that are not `telling` are exhaustive. Raises ValueError for a telling one that is
    not among the values, so that a renamed one is not left out quietly."""
    every, chosen = list(values), list(telling)
    unknown = [value for value in chosen if value not in every]
    if unknown or not chosen:
        raise ValueError(f"not among what is swept over: {unknown}")
    return [pytest.param(value, marks=() if value in chosen else exhaustive) for value in every]


def every_nth(values: Sequence[Any], n: int) -> list[Any]:
    """The first value and each `n`-th behind it: the telling ones where none tells more than another."""
    return list(values[::n])
