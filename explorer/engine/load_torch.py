"""Loads torch without blocking the window.

While Python loads a shared library, it holds the lock that all its threads share. torch's largest library takes 0.2 s to
load, and more than a second from a cold disk; the window would not react for that long. Here the system's loader is called as
a foreign function, which does not hold the lock, and `import torch` then finds the library already loaded. On Windows torch's
own import loads each library in this way before it imports any.
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
    """Load torch's largest library. If it is not found, `import torch` loads it in the usual way."""
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
    """Keep the garbage collector away from all objects that are made inside the block, then and later.

    `import torch` makes half a million objects that stay for good. To look through them would stop the GUI thread for a tenth
    of a second each time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
