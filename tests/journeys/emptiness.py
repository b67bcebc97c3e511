"""How empty a page is: the largest rectangle of one colour, as a share of the page."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

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
    ).convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(small.constBits(), np.uint8).reshape(small.height(), small.bytesPerLine() // 4, 4)
    cells = raw[:, : small.width(), :3].astype(int)  # [row, column, channel]
    colours, counts = np.unique(cells.reshape(-1, 3), axis=0, return_counts=True)
    common = colours[np.argsort(-counts)[:_COLOURS]]
    alike = [(np.abs(cells - colour) <= _ALIKE).all(axis=2) for colour in common]
    return max(largest_rectangle(each) for each in alike) / (small.width() * small.height())


def largest_rectangle(flat: NDArray[np.bool_]) -> int:
    """The area of the largest rectangle of True, in cells: the largest one under the histogram of each row."""
    best, up = 0, np.zeros(flat.shape[1], int)
    for row in flat:
        up = np.where(row, up + 1, 0)
        stack: list[int] = []
        for x, height in enumerate([*up.tolist(), 0]):
            while stack and up[stack[-1]] >= height:
                tall = int(up[stack.pop()])
                best = max(best, tall * (x - (stack[-1] + 1 if stack else 0)))
            stack.append(x)
    return best
