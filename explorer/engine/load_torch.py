"""Bringing torch into the process while the window lives.

Python's own way to load a shared library holds the lock that all its threads share, and torch's largest one takes 0.2 s,
on a cold disk a second and more: so long the window would not answer. Called as a foreign function, the system's loader
holds nothing, and `import torch` finds the library there.
"""

import ctypes
import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LIBRARIES = {"linux": "libtorch_cpu.so", "darwin": "libtorch_cpu.dylib"}


def load_library() -> None:
    """Load torch's largest library; where it is not found, importing torch loads it as ever."""
    found = importlib.util.find_spec("torch")
    name = _LIBRARIES.get(sys.platform)
    if found is None or found.origin is None or name is None:
        return
    path = Path(found.origin).parent / "lib" / name
    if path.is_file():
        with suppress(OSError, AttributeError):
            load = ctypes.CDLL(None).dlopen
            load.restype, load.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
            load(os.fsencode(path), os.RTLD_NOW)


@contextmanager
def without_collecting() -> Iterator[None]:
    """What is made inside stays: torch alone brings half a million objects. They are not walked through by the garbage
    collector while they come, nor ever after, which would take a tenth of a second with the GUI thread standing still.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
