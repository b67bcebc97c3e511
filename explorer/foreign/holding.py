"""How the weights of a foreign model are held, depending on the free memory. This file needs no torch.

- "float32": all of them, in the data type of the computation, up to half of the free memory.
- "bfloat16": all of them with half the width; each matrix is widened while its layer computes.
- "streamed": only the matrix of the layer that computes, and the next ones, which are read ahead from the files.

Decision: the passes of all three compute in float32, so a recording does not depend on them, and a streamed pass equals a whole
one. Rejected: computing in bfloat16, because every number on screen would have three digits.
"""

from collections.abc import Mapping

import psutil

from explorer.errors import TooLarge

FLOAT, HALF = 4, 2  # bytes
READ_AHEAD = 2  # matrices at most, beside the one that is used; each as large as the largest one
_WHOLE, _HALF_WIDTH = 0.5, 0.75  # of the free memory
SPARE = 0.9  # Use at most 90 % of the free memory; leave the rest to the window and the system.


def way_to_hold(path: str, sizes: Mapping[str, int]) -> str:
    """How to hold weights of these sizes, numbers by name: "float32", "bfloat16" or "streamed". Raises TooLarge."""
    numbers, largest = sum(sizes.values()), max(sizes.values(), default=0)
    free = psutil.virtual_memory().available
    if FLOAT * numbers <= _WHOLE * free:
        return "float32"
    if HALF * numbers + FLOAT * largest <= _HALF_WIDTH * free:
        return "bfloat16"
    need = streamed_bytes(largest)
    if need > SPARE * free:
        raise TooLarge(path=path, need_mb=-(-need // 2**20), free_mb=free // 2**20)
    return "streamed"


def streamed_bytes(largest: int) -> int:
    """The most bytes of weights in a streamed pass whose largest matrix has so many numbers."""
    return FLOAT * largest * (1 + READ_AHEAD) + HALF * largest  # The last term is the part as it is stored in the file.
