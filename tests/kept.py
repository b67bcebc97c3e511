"""Values that the tests of a file share, made once: they go when the file has ended, and not when the process does."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

P, V = ParamSpec("P"), TypeVar("V")
_forgetting: list[Callable[[], None]] = []


def kept_for_the_file(make: Callable[P, V]) -> Callable[P, V]:
    """The same function, which makes the value of each set of arguments once."""
    once: Any = lru_cache(maxsize=None)(make)
    _forgetting.append(once.cache_clear)
    return once  # type: ignore[no-any-return]


def let_go() -> None:
    """Forget all values, when a file of tests has ended."""
    for forget in _forgetting:
        forget()
