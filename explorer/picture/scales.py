"""From numbers to colours: a Scale, and colour tables that people with any colour vision can read.

viridis and cividis: van der Walt and Smith 2015; Nuñez et al. 2018. blue-red and purple-orange: ColorBrewer, Brewer 2003;
its oranges are darkened here, so that +x is as dark as −x.
"""

import math
from functools import lru_cache
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.theme import Theme
from explorer.state.look import SIGNED_COLOURS, UNIT_COLOURS

LEVELS = 251  # colour indices 0…250 are data; the five below are not
BELOW, ABOVE, GAP, CLOSED, NOT_A_NUMBER = 251, 252, 253, 254, 255
# A robust scale ends at 1.5 times the 98 % quantile; of a normal distribution 99.95 % of the values lie on it.
_USUAL, _ROOM = 0.98, 1.5
_BEYOND = 0.35  # the share of an end colour that is left in the outliers' colour
_FAR = 2.0  # the robust scale is used where the largest value lies this many times beyond its end
_LEAST_END = 0.1  # the least end of a scale that is comparable between pictures
_MOST_SORTED = 200_000  # values that are sorted; a larger array is sampled evenly

_ANCHORS = {
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "viridis": "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    "blue-red": "2166ac 67a9cf d1e5f0 f7f7f7 fddbc7 ef8a62 b2182b",
    "purple-orange": "542788 998ec3 d8daeb f7f7f7 f3d7ae c78633 723602",
    "open": "7fae98 7fae98",  # the open cells of a mask, in a colour that no data has
    "tiles-light": "eef1f5 1d4a86",  # magnitudes, from the card's colour to that of the river's bands
    "tiles-dark": "242a31 8fb4de",
    "blue-red-dark": "8cc8ff 4a90cf 23527a 23272d 802b33 d8606a ffb4b8",
    "blue-orange-dark": "8cc8ff 4a90cf 23527a 23272d 7a4a1e cf8a3c ffc98a",
}
SEQUENTIAL, CENTRED = UNIT_COLOURS, SIGNED_COLOURS


@attrs.frozen
class Scale:
    """A colour scale: `low` and `high` are the values of the first and the last colour. A zero-centred one has low = -high.

    `reach` is the largest magnitude of the outliers beyond it, which have a colour of their own; None without outliers.
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
    """The scale from 0 to 1, the same for all pictures of weights, so that two pictures can be compared."""
    return Scale(0.0, 1.0, colours)


def centred_scale(values: NDArray[Any], colours: str) -> Scale:
    """A scale with zero in the middle and the largest finite magnitude at both ends; ±1 for an all-zero array."""
    finite = np.abs(values[np.isfinite(values)])
    reach = float(finite.max()) if finite.size else 0.0
    return Scale(-reach or -1.0, reach or 1.0, colours)


def ladder_end(largest: float) -> float:
    """The end of a scale that is comparable between pictures: the smallest of 0.1, 0.2, 0.4, 1, 2, 4, 10, … ≥ `largest`.

    A scale that follows its own maximum would show drama where there is none.
    """
    if not largest > _LEAST_END:  # This is so for NaN as well.
        return _LEAST_END
    return round_up(largest, (1, 2, 4, 10))


def round_up(value: float, steps: tuple[float, ...]) -> float:
    """The smallest step · 10ⁿ that is no less than a positive value; `steps` rise from 1 to 10. Infinity stays infinity."""
    if math.isinf(value):
        return value
    # power = 10^⌊log10 value⌋; the factor leaves room for rounding in float32.
    power = 10.0 ** math.floor(math.log10(value))
    return float(f"{next(step * power for step in steps if step * power >= value * (1 - 1e-6)):.2g}")


def robust_scale(values: NDArray[Any], colours: str) -> Scale:
    """A zero-centred scale that at least 98 % of the finite values lie on, for values that outliers would leave blank.

    Without such outliers, it is `centred_scale`. In a model, one or two features of 256 are outliers at every position.
    """
    whole = centred_scale(values, colours)
    finite = np.abs(values[np.isfinite(values)].ravel())
    sample = finite[:: max(1, finite.size // _MOST_SORTED)]
    usual = _ROOM * float(np.quantile(sample, _USUAL)) if sample.size else 0.0
    return whole if whole.high <= _FAR * usual or usual == 0 else Scale(-usual, usual, colours, whole.high)


def indices(values: NDArray[Any], scale: Scale, closed: NDArray[np.bool_] | None = None) -> NDArray[np.uint8]:
    """The colour index of each value, in the shape of `values`; `closed` has the shape of their last axes.

    Values beyond the scale take its end colour, or the outliers' colour where the scale has a `reach`.
    """
    size = scale.high - scale.low
    kind = np.float32 if 1e-30 < size < 1e30 else np.float64  # float32 is faster, but overflows outside this range
    share = values * kind(LEVELS / size) if scale.low == 0 else (values - kind(scale.low)) * kind(LEVELS / size)
    # The smallest and the largest share show whether any is NaN, infinite or outside; checking each takes twice as long.
    least, most = (float(share.min()), float(share.max())) if share.size else (0.0, 0.0)
    has_unknown = not (math.isfinite(least) and math.isfinite(most))
    if has_unknown:
        unknown = ~np.isfinite(share)
        share[unknown] = 0
    # np.clip would take as long as all the rest together where there are few values.
    if has_unknown or least < 0:
        np.maximum(share, 0, out=share)
    if has_unknown or most > LEVELS - 1:
        np.minimum(share, LEVELS - 1, out=share)
    index: NDArray[np.uint8] = share.astype(np.uint8)
    if scale.reach is not None:
        index[values < scale.low] = BELOW
        index[values > scale.high] = ABOVE
    if has_unknown:
        index[unknown] = NOT_A_NUMBER
    if closed is not None:
        index[..., closed] = CLOSED
    return index


@lru_cache(maxsize=32)  # A key on the pages why and effects asks 140 times, 5 to 9 ms.
def table(colours: str) -> NDArray[np.uint8]:
    """Red, green and blue of each data colour [LEVELS, 3]."""
    anchors = np.array([[int(hexa[i : i + 2], 16) for i in (0, 2, 4)] for hexa in _ANCHORS[colours].split()])
    where = np.linspace(0, len(anchors) - 1, LEVELS)
    channels = [np.interp(where, range(len(anchors)), anchors[:, channel]) for channel in range(3)]
    made: NDArray[np.uint8] = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    made.setflags(write=False)  # All callers share this array.
    return made


def outliers(colours: str) -> NDArray[np.uint8]:
    """Red, green and blue of outliers below and above a scale [2, 3]: its end colours, made more extreme."""
    ends = table(colours)[[0, -1]].astype(float)
    middle = float(table(colours)[LEVELS // 2].mean())
    # Outliers are darker than the ends where the middle is light, and lighter where it is dark.
    beyond = 0.0 if ends.mean() < middle else 255.0
    made: NDArray[np.uint8] = np.rint(beyond + (ends - beyond) * _BEYOND).astype(np.uint8)
    return made


def level_colour(colours: str, level: int) -> str:
    """One level of a colour table in hexadecimal."""
    return hexadecimal(table(colours)[level])


def bar_colour(colours: str) -> str:
    """The one colour of bars that have no sign: a third of the way up their scale."""
    return level_colour(colours, LEVELS // 3)


def hexadecimal(colour: NDArray[np.uint8]) -> str:
    """ "#00224e" from red, green and blue."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def curve_colours(on_dark: bool, count: int = 8) -> list[str]:
    """`count` hexadecimal colours for curves, from the part of viridis that is visible on white, or on black."""
    first, last = (110, LEVELS - 20) if on_dark else (40, LEVELS - 60)
    rows = table("viridis")[np.linspace(first, last, count).astype(int)]
    return [hexadecimal(row) for row in rows]


def colours_of_curves(theme: Theme, count: int, main: int | None) -> list[str]:
    """Hexadecimal colours for `count` curves or more: shades of one table, or where one curve is the `main` one the accent
    for that and a colour of its own for each other one.
    """
    if main is None:
        return curve_colours(theme.name == "dark", max(8, count))
    others = [theme.heads[place % len(theme.heads)] for place in range(max(8, count) - 1)]
    return [*others[:main], theme.accent, *others[main:]]


def palette(colours: str, theme: Theme) -> NDArray[np.uint8]:
    """[256, 4] red, green, blue, alpha of every colour index; gaps are transparent."""
    rgba = np.zeros((256, 4), np.uint8)
    rgba[:LEVELS] = np.column_stack([table(colours), np.full(LEVELS, 255)])
    rgba[[BELOW, ABOVE]] = np.column_stack([outliers(colours), [255, 255]])
    rgba[CLOSED] = (*_rgb(theme.closed), 255)
    rgba[NOT_A_NUMBER] = (*_rgb(theme.unknown), 255)
    rgba[GAP] = 0
    return rgba


def _rgb(hexa: str) -> tuple[Any, ...]:
    return tuple(bytes.fromhex(hexa[1:]))
