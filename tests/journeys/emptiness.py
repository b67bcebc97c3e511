"""How empty a page is: the largest rectangle of one colour, as a share of the page."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from tests.pixels import numbers

_PX = 6  # px; what is narrower than one step of the grid fills no gap
_ALIKE = 2  # of 255 in each channel
_COLOURS = 3  # the most frequent colours; a large empty rectangle has one of them


def emptiness(widget: QWidget) -> float:
    """The share of a widget that its largest rectangle of one colour takes, 0 to 1."""
    return largest_share(widget.grab().toImage())


def largest_share(image: QImage) -> float:
    """The same of an image, sampled every few pixels."""
    small = image.scaled(
        image.width() // _PX,
        image.height() // _PX,
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.FastTransformation,
    )
    names = numbers(small)  # [row, column]
    colours, counts = np.unique(names, return_counts=True)
    cells, common = _channels(names), _channels(colours[np.argsort(-counts)[:_COLOURS]])
    best = 0
    for colour in common:
        alike = (np.abs(cells - colour) <= _ALIKE).all(axis=2)
        if alike.sum() > best:  # A rectangle has no more cells than there are.
            best = max(best, largest_rectangle(alike))
    return best / (small.width() * small.height())


def _channels(names: NDArray[np.uint32]) -> NDArray[np.int64]:
    """[…, channel] red, green and blue of colours' numbers."""
    return np.stack([names >> 16 & 255, names >> 8 & 255, names & 255], axis=-1).astype(int)


def largest_rectangle(flat: NDArray[np.bool_]) -> int:
    """The area of the largest rectangle of True, in cells: the largest one under the histogram of each row."""
    best, up = 0, np.zeros(flat.shape[1] + 1, int)  # Behind the last column stands one of height 0.
    for row, below in zip(flat, [*flat[1:], np.zeros(flat.shape[1], bool)], strict=True):
        up[:-1] = np.where(row, up[:-1] + 1, 0)
        if not (row & ~below).any():  # Every rectangle that ends here goes on below.
            continue
        begins = np.flatnonzero(np.diff(up, prepend=-1))  # Columns of one height are one step.
        stack: list[tuple[int, int]] = []  # (where a height begins, height), rising
        for x, height in zip(begins.tolist(), up[begins].tolist(), strict=True):
            begin = x
            while stack and stack[-1][1] >= height:
                begin, tall = stack.pop()
                best = max(best, tall * (x - begin))
            stack.append((begin, height))
    return best
