"""Freed memory: a part of it is kept for the next pass, and the rest is given back to the system.

Fetching it again page by page took a fifth of a translator's pass and a quarter of a training step, so the C library is set
to keep what it frees. By itself it then keeps far more: it returns only what is free at the end of a heap, and weights of some
megabytes lie between small blocks that are still in use. After a model of 478 million parameters, 1.9 GB stayed in the process.

Decision: the C library's allocator, with pages of the usual size. Rejected: large pages (single passes of 285 to 399 ms in
place of 232), and jemalloc, mimalloc and tcmalloc (an answer in a loop 13.0 to 13.8 ms in place of 14.9 to 15.8), because no
key in the window came sooner.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import psutil

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # These numbers are from glibc's malloc.h.
_LARGEST_BLOCK = 2**25  # bytes; the C library always asks the system for larger blocks.
_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _Mallinfo2(ctypes.Structure):
    """glibc's report on its heaps: `uordblks` bytes are in use, `fordblks` are free, `hblkhd` are in blocks of their own."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


def keep_freed_memory(n_bytes: int) -> None:
    """Let the C library keep up to `n_bytes` at the end of each heap for later, instead of giving it back to the system."""
    mallopt = _of_c_library("mallopt")
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, min(n_bytes, _LARGEST_BLOCK))
        mallopt(_M_TRIM_THRESHOLD, n_bytes)


class FreedMemory:
    """Tells how much resident memory of this process is free: what is resident and not in use has grown by so much since free
    memory was given back last."""

    def __init__(self, kept_bytes: int) -> None:
        """`kept_bytes` may stay free in the process."""
        self._kept_bytes = kept_bytes
        self._mallinfo, self._malloc_trim = _of_c_library("mallinfo2", _Mallinfo2), _of_c_library("malloc_trim")
        # It is not known which of the free bytes were given back before, so none counts as given back.
        self._least = 0 if self._mallinfo is None else self._unused() - self._mallinfo().fordblks

    def give_back(self) -> None:
        """Give all free memory back to the system if there is more of it than may stay, on Linux with glibc 2.33 or later.

        Looking takes less than a millisecond, giving 2 GB back a fifth of a second.
        """
        if self._mallinfo is None or self._malloc_trim is None:
            return
        self._least = min(self._least, self._unused())
        if self._unused() - self._least > self._kept_bytes:
            self._malloc_trim(0)
            self._least = self._unused()

    def _unused(self) -> int:
        """The bytes that are resident and in no block in use: free memory, libraries, and what Python itself maps.

        glibc's own count of free bytes would not do: it includes what was given back already.
        """
        assert self._mallinfo is not None  # Callers have checked.
        told = self._mallinfo()
        resident: int = psutil.Process().memory_info().rss
        in_use: int = told.uordblks + told.hblkhd
        return resident - in_use


def _of_c_library(name: str, result: type = ctypes.c_int) -> Callable[..., Any] | None:
    """A function of glibc that gives a `result`. None on other systems, and where glibc is too old to have it."""
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
    if function is not None:
        function.restype = result
    return function
