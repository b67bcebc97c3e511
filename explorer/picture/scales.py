"""From numbers to colours: a Scale, and colour tables that people with any colour vision can read.

viridis and cividis: van der Walt and Smith 2015; Nuñez et al. 2018. blue-red and purple-orange: ColorBrewer, Brewer 2003;
its oranges are darkened here, so that +x is as dark as −x.
"""

from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.state.look import SIGNED_COLOURS, UNIT_COLOURS

LEVELS = 251  # data colours 0…250; the rest of a byte marks outliers and what is no data
BELOW, ABOVE, GAP, CLOSED, NOT_A_NUMBER = 251, 252, 253, 254, 255
_USUAL, _ROOM = 0.98, 1.5  # a robust scale has this share of all values, and room beyond: 99.95 % of what is normal
_BEYOND = 0.35  # of an end colour's own shade is left in that of outliers
_FAR = 2.0  # times as far away as they do, something is an outlier
_MOST_SORTED = 200_000  # values; of more, every so many tells

_ANCHORS = {
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    "blue-red": "2166ac 67a9cf d1e5f0 f7f7f7 fddbc7 ef8a62 b2182b",
    "purple-orange": "542788 998ec3 d8daeb f7f7f7 f3d7ae c78633 723602",
    "open": "7fae98 7fae98",  # of a mask: no data, so no data colour
    "blue-orange-dark": "8cc8ff 4a90cf 23527a 1b1e22 7a4a1e cf8a3c ffc98a",
}
SEQUENTIAL, CENTRED = UNIT_COLOURS, SIGNED_COLOURS


@attrs.frozen
class Scale:
    """`low` and `high` are the values of the first and the last colour. A zero-centred scale has low = -high.

    `reach` is how far outliers go beyond it, which have a colour of their own; None where there are none.
    """

    low: float
    high: float
    colours: str
    reach: float | None = None

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


def robust_scale(values: NDArray[Any], colours: str) -> Scale:
    """Zero in the middle and at least 98 % of the finite values on it, where the others are so far away that these would be
    blank; `centred_scale` where none are. A model has one or two features of 256 that are outliers everywhere.
    """
    whole = centred_scale(values, colours)
    finite = np.abs(values[np.isfinite(values)].ravel())
    sample = finite[:: max(1, finite.size // _MOST_SORTED)]
    usual = _ROOM * float(np.quantile(sample, _USUAL)) if sample.size else 0.0
    return whole if whole.high <= _FAR * usual or usual == 0 else Scale(-usual, usual, colours, whole.high)


def indices(values: NDArray[Any], scale: Scale, closed: NDArray[np.bool_] | None = None) -> NDArray[np.uint8]:
    """The colour index of each value; values beyond the scale take its end colour, or where it has a `reach` that of
    outliers."""
    size = scale.high - scale.low
    kind = np.float32 if 1e-30 < size < 1e30 else np.float64  # float32 is fast, and overflows beyond
    share = (values - kind(scale.low)) * kind(LEVELS / size)
    unknown = ~np.isfinite(share)
    index: NDArray[np.uint8] = np.clip(np.where(unknown, 0, share), 0, LEVELS - 1).astype(np.uint8)
    if scale.reach is not None:
        index[values < scale.low] = BELOW
        index[values > scale.high] = ABOVE
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


@lru_cache(maxsize=32)
def outliers(colours: str) -> NDArray[np.uint8]:
    """[2, 3] the colours of what is below and above a scale: its ends, farther on the way that they go."""
    ends = table(colours)[[0, -1]].astype(float)
    middle = float(table(colours)[LEVELS // 2].mean())
    beyond = 0.0 if ends.mean() < middle else 255.0  # away from the middle: darker on a light one, lighter on a dark one
    made: NDArray[np.uint8] = np.rint(beyond + (ends - beyond) * _BEYOND).astype(np.uint8)
    made.setflags(write=False)
    return made


def curve_colours(on_dark: bool, count: int = 8) -> list[str]:
    """Hexadecimal, one a curve, from fast to slow: the part of viridis that is seen on white, or on black."""
    first, last = (110, LEVELS - 20) if on_dark else (40, LEVELS - 60)
    rows = table("viridis")[np.linspace(first, last, count).astype(int)]
    return ["#{:02x}{:02x}{:02x}".format(*(int(channel) for channel in row)) for row in rows]
