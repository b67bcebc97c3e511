"""From numbers to colours: a Scale, and colour tables that people with any colour vision can read.

viridis and cividis: van der Walt and Smith 2015; Nuñez et al. 2018. blue-red and purple-orange: ColorBrewer, Brewer 2003;
its oranges are darkened here, so that +x is as dark as −x.
"""

from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

LEVELS = 253  # data colours 0…252; the rest of a byte marks what is no data
GAP, CLOSED, NOT_A_NUMBER = 253, 254, 255

_ANCHORS = {
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    "blue-red": "2166ac 67a9cf d1e5f0 f7f7f7 fddbc7 ef8a62 b2182b",
    "purple-orange": "542788 998ec3 d8daeb f7f7f7 f3d7ae c78633 723602",
    "open": "7fae98 7fae98",  # of a mask: no data, so no data colour
    "blue-orange-dark": "8cc8ff 4a90cf 23527a 1b1e22 7a4a1e cf8a3c ffc98a",
}
SEQUENTIAL = ("cividis", "viridis")
CENTRED = ("blue-red", "purple-orange", "blue-orange-dark")


@attrs.frozen
class Scale:
    """`low` and `high` are the values of the first and the last colour. A zero-centred scale has low = -high."""

    low: float
    high: float
    colours: str

    @property
    def centred(self) -> bool:
        """Whether zero has the middle colour."""
        return self.colours in CENTRED


def unit_scale(colours: str) -> Scale:
    """0 to 1, the same for every picture of weights, so that two pictures can be compared."""
    return Scale(0.0, 1.0, colours)


def centred_scale(values: NDArray[Any], colours: str) -> Scale:
    """Zero in the middle, the largest finite magnitude at both ends; an all-zero array gets ±1."""
    finite = np.abs(values[np.isfinite(values)])
    reach = float(finite.max()) if finite.size else 0.0
    return Scale(-reach or -1.0, reach or 1.0, colours)


def indices(values: NDArray[Any], scale: Scale, closed: NDArray[np.bool_] | None = None) -> NDArray[np.uint8]:
    """The colour index of each value; values beyond the scale take its end colour."""
    size = scale.high - scale.low
    kind = np.float32 if 1e-30 < size < 1e30 else np.float64  # float32 is fast, and overflows beyond
    share = (values - kind(scale.low)) * kind(LEVELS / size)
    unknown = ~np.isfinite(share)
    index: NDArray[np.uint8] = np.clip(np.where(unknown, 0, share), 0, LEVELS - 1).astype(np.uint8)
    index[unknown] = NOT_A_NUMBER
    if closed is not None:
        index[closed] = CLOSED
    return index


@lru_cache(maxsize=32)
def table(colours: str) -> NDArray[np.uint8]:
    """[LEVELS, 3] the red, green and blue of each data colour."""
    anchors = np.array([[int(hexa[i : i + 2], 16) for i in (0, 2, 4)] for hexa in _ANCHORS[colours].split()])
    where = np.linspace(0, len(anchors) - 1, LEVELS)
    channels = [np.interp(where, range(len(anchors)), anchors[:, channel]) for channel in range(3)]
    made: NDArray[np.uint8] = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    made.setflags(write=False)  # everybody gets the same
    return made


def curve_colours(on_dark: bool, count: int = 8) -> list[str]:
    """Hexadecimal, one a curve, from fast to slow: the part of viridis that is seen on white, or on black."""
    first, last = (110, LEVELS - 20) if on_dark else (40, LEVELS - 60)
    rows = table("viridis")[np.linspace(first, last, count).astype(int)]
    return ["#{:02x}{:02x}{:02x}".format(*(int(channel) for channel in row)) for row in rows]
