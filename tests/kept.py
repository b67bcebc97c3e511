"""Values that the tests of a file share, made once: they go when the file has ended, and not when the process does.

What a test leaves behind goes back to the system as soon as it is much: the objects of a closed window or of a Computer refer
to each other, Python's collector counts objects and no bytes, and the C library keeps what is freed.
"""

import gc
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

import psutil

from explorer.engine.freed_memory import FreedMemory

P, V = ParamSpec("P"), TypeVar("V")
_MOST = 16
_forgetting: list[Callable[[], None]] = []


def kept_for_the_file(make: Callable[P, V]) -> Callable[P, V]:
    """The same function, which makes the value of each set of arguments once, and keeps the last sixteen."""
    once: Any = lru_cache(maxsize=_MOST)(make)
    _forgetting.append(once.cache_clear)
    return once  # type: ignore[no-any-return]


def let_go() -> None:
    """Forget all values, when a file of tests has ended."""
    for forget in _forgetting:
        forget()


class Tidying:
    """Collects what tests left, and gives its memory back, when the process has grown by `most_bytes`."""

    def __init__(self, most_bytes: int = 2**26) -> None:
        self._most_bytes, self._process, self._freed = most_bytes, psutil.Process(), FreedMemory(kept_bytes=2**25)
        self._least = self._resident()

    def tidy(self) -> bool:
        """Whether it had grown so much. To look takes some microseconds."""
        self._least = min(self._least, self._resident())
        if self._resident() - self._least <= self._most_bytes:
            return False
        gc.collect()
        self._freed.give_back()
        self._least = self._resident()
        return True

    def _resident(self) -> int:
        return int(self._process.memory_info().rss)
