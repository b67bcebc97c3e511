"""The colours of an image, read at once: a million pixels one by one take a second."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage


def numbers(image: QImage, every: int = 1) -> NDArray[np.uint32]:
    """[row, column] red, green and blue of every so many pixels, as one number of six hexadecimal digits."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    whole = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), plain.bytesPerLine() // 4)
    return whole[::every, : plain.width() : every] & 0xFFFFFF


def colours(image: QImage, every: int = 1) -> set[str]:
    """The names of the colours that there are, as Qt says them: "#1f77b4"."""
    return {f"#{number:06x}" for number in np.unique(numbers(image, every)).tolist()}
