"""A Scene: one beat of a followed cell that is to be drawn; and the small geometry that all beats share."""

import math
from collections.abc import Iterable

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.cell_numbers import inks
from explorer.picture.followed import Followed
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.scales import LEVELS, Scale, indices, table
from explorer.picture.theme import Theme


@attrs.frozen(eq=False)
class Scene:
    """Where a beat is drawn, how much of its motion has happened (`share`, 0 to 1), and whether it has the page for itself."""

    sketch: Sketch
    followed: Followed
    words: Words
    area: Rect
    share: float = 1.0
    large: bool = False

    @property
    def letters(self) -> float:
        """The size of ordinary letters (px)."""
        return 13.0 if self.large else 11.0

    @property
    def over(self) -> bool:
        """Whether the motion has ended."""
        return self.share >= 1

    def width(self, text: str, size: float = 0.0, bold: bool = False) -> float:
        """The width of a text (px)."""
        return self.sketch.measure(text, size or self.letters, bold)

    def widest(self, texts: Iterable[str], bold: bool = False) -> float:
        """The width of the widest text (px)."""
        return max((self.width(text, bold=bold) for text in texts), default=0.0)


def eased(share: float) -> float:
    """A motion that slows down at its end, from 0 to 1."""
    share = min(max(share, 0.0), 1.0)
    return 1 - (1 - share) ** 3


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most about `most` round numbers between two numbers: multiples of 1, 2 or 5 · 10ⁿ."""
    span = (high - low) / max(1, most)
    if not span > 0 or not math.isfinite(span):
        return [0.0]
    power = 10.0 ** math.floor(math.log10(span))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= span * (1 - 1e-9))
    return [step * place + 0.0 for place in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def tick_label(value: float) -> str:
    """The figure at a tick."""
    return f"{value:.6g}".replace("-", "−")


def around_zero(rows: Iterable[NDArray[np.floating]], colours: str) -> Scale:
    """One zero-centred scale for all of some rows; ±1 where all is zero or no number."""
    reach = max((float(np.abs(row[np.isfinite(row)]).max(initial=0.0)) for row in rows), default=0.0) or 1.0
    return Scale(-reach, reach, colours)


def pooled(row: NDArray[np.floating], most: int) -> NDArray[np.floating]:
    """A row in at most `most` cells: each one is the number farthest from zero of equally many neighbours."""
    if len(row) <= most:
        return row
    size = math.ceil(len(row) / max(1, most))
    padded = np.zeros(math.ceil(len(row) / size) * size, row.dtype)
    padded[: len(row)] = row
    blocks = padded.reshape(-1, size)  # [cell, neighbour]
    chosen: NDArray[np.floating] = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(axis=1)]
    return chosen


def strip(scene: Scene, row: NDArray[np.floating], area: Rect, scale: Scale, share: float = 1.0) -> None:
    """A row of numbers as coloured cells; of a strip under way, its first cells."""
    cells = pooled(row, int(area.wide))
    shown = math.ceil(len(cells) * min(max(share, 0.0), 1.0) - 1e-9)
    wide = area.wide * shown / len(cells)
    scene.sketch.cells(Rect(area.x, area.y, wide, area.high), indices(cells[None, :shown], scale), scale.colours)


def ink(value: float, scale: Scale, theme: Theme) -> str:
    """The colour of letters on the cell of a value, so that they can be read."""
    return inks(scale.colours, theme)[int(indices(np.array([value]), scale)[0])]


def colour(value: float, scale: Scale) -> str:
    """The hexadecimal colour of a value that is a number."""
    red, green, blue = (
        int(channel) for channel in table(scale.colours)[min(int(indices(np.array([value]), scale)[0]), LEVELS - 1)]
    )
    return f"#{red:02x}{green:02x}{blue:02x}"
