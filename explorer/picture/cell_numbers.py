"""Numbers written into cells: the figures that have room, and the ink in which they can be read, for screen and SVG."""

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from explorer.picture.scales import Scale, palette
from explorer.picture.theme import LIGHT, THEMES, Theme

LEAST_WIDE_PX, LEAST_HIGH_PX = 30.0, 16.0
"""A smaller cell has no room for figures."""
NUMBER_PAD_PX = 4.0
"""The room at both sides of a number together."""
DARK_INK, LIGHT_INK = "#000000", "#ffffff"
"""One of the two has a contrast of at least 4.58 with any colour; a softer black would have less than 4.5 with middle greys."""
SMALL_WEIGHT = 0.1
"""A weight below this is written in fainter ink, so that the eye finds the others."""
_LEAST_REACH = 0.05
FAINTER = 0.7
"""The opacity of fainter ink."""


def has_room(wide_px: float, high_px: float) -> bool:
    """Whether cells of this size have numbers."""
    return wide_px >= LEAST_WIDE_PX and high_px >= LEAST_HIGH_PX


def tells_apart(scale: Scale) -> bool:
    """Whether numbers with two decimals tell the values of a scale apart; on a smaller one, all of them would be 0.00."""
    return scale.colours != "open" and max(abs(scale.low), abs(scale.high)) >= _LEAST_REACH


def figures(value: float) -> Iterator[str]:
    """The number with two decimals, then with fewer for a cell that is too narrow; a masked or unknown value has none."""
    if math.isfinite(value):
        for decimals in (2, 1, 0):
            text = f"{value:.{decimals}f}"
            yield text if text[0] != "-" else text.replace("-", "\N{MINUS SIGN}" if float(text) else "")


def is_small(value: float, scale: Scale) -> bool:
    """Whether a value is a small weight, on a scale of weights."""
    return not scale.centred and scale.high == 1 and value < SMALL_WEIGHT


@lru_cache(maxsize=16)  # Each cell of the page effects asks, which takes 0.1 ms.
def inks(colours: str, theme: Theme) -> tuple[str, ...]:
    """The ink for each colour index [256]: dark or light, whichever contrasts more. WCAG 2.2, relative luminance."""
    behind = luminance(palette(colours, THEMES[theme.name])[:, :3])  # [index]
    dark, light = (float(luminance(_channels(ink)[None, :])[0]) for ink in (DARK_INK, LIGHT_INK))
    # contrast(a, b) = (L_a + 0.05) / (L_b + 0.05) for L_a ≥ L_b
    better = (light + 0.05) / (behind + 0.05) >= (behind + 0.05) / (dark + 0.05)  # [index], True: light ink
    return tuple(LIGHT_INK if each else DARK_INK for each in better.tolist())


@lru_cache(maxsize=16)  # 6 ms of a key on the page effects
def fainter_inks(colours: str, theme: Theme) -> tuple[str, ...]:
    """Fainter ink on each colour index [256], as the colour that it then has.

    In a figure it is no opacity, because QtSvg takes three times as long to draw a letter that has one.
    """
    behind = palette(colours, THEMES[theme.name])[:, :3]  # [index, channel]
    ink = np.array([_channels(each) for each in inks(colours, theme)])
    mixed = np.rint(FAINTER * ink + (1 - FAINTER) * behind).astype(int)
    return tuple("#{:02x}{:02x}{:02x}".format(*each) for each in mixed.tolist())


def ink_on(colour: str) -> str:
    """The ink on a hexadecimal colour: dark or light, whichever contrasts more."""
    behind, dark, light = luminance(np.stack([_channels(each) for each in (colour, DARK_INK, LIGHT_INK)])).tolist()
    return LIGHT_INK if (light + 0.05) / (behind + 0.05) >= (behind + 0.05) / (dark + 0.05) else DARK_INK


def is_dark(index: int, colours: str) -> bool:
    """Whether a cell of this colour index is so dark that its number is written in light ink."""
    return inks(colours, LIGHT)[index] == LIGHT_INK


def luminance(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The relative luminance [colour] of colours [colour, red green blue], 0 for black and 1 for white. WCAG 2.2."""
    share = rgb.astype(np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    result: NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return result


def _channels(hexadecimal: str) -> NDArray[np.uint8]:
    return np.array([int(hexadecimal[place : place + 2], 16) for place in (1, 3, 5)], np.uint8)
