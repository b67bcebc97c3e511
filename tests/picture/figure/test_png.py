"""A palette PNG, held against Qt's decoder."""

import numpy as np
import pytest
from PySide6.QtGui import QImage

from explorer.picture.figure.png import encode, encode_pixels, palette
from explorer.picture.scales import CENTRED, CLOSED, GAP, LEVELS, NOT_A_NUMBER, SEQUENTIAL, table
from explorer.picture.theme import DARK, LIGHT, Theme


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (40, 256)])
def test_qt_reads_the_very_indices_and_colours(shape: tuple[int, int]) -> None:
    """Every byte, every colour, transparency too."""
    index = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    colours = np.random.default_rng(1).integers(0, 256, (256, 4), np.uint8)
    image = QImage.fromData(encode(index, colours), "PNG")
    assert (image.height(), image.width()) == shape
    assert image.format() == QImage.Format.Format_Indexed8
    assert [image.pixelIndex(x, y) for y in range(shape[0]) for x in range(shape[1])] == index.ravel().tolist()
    read = [((c >> 16) & 255, (c >> 8) & 255, c & 255, c >> 24) for c in image.colorTable()]
    assert read == [tuple(row) for row in colours.tolist()]


@pytest.mark.parametrize("colours", SEQUENTIAL + CENTRED)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_palette_holds_the_table_and_what_is_no_data(colours: str, theme: Theme) -> None:
    """Data are opaque, gaps are nothing, closed and unknown are the theme's."""
    made = palette(colours, theme)
    assert np.array_equal(made[:LEVELS, :3], table(colours))
    assert (made[:LEVELS, 3] == 255).all()
    assert made[GAP].tolist() == [0, 0, 0, 0]
    assert made[CLOSED].tobytes().hex() == theme.closed[1:] + "ff"
    assert made[NOT_A_NUMBER].tobytes().hex() == theme.unknown[1:] + "ff"


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (40, 256)])
def test_qt_reads_the_very_pixels(shape: tuple[int, int], channels: int) -> None:
    """Every channel of every pixel, and how large they are on paper."""
    pixels = np.random.default_rng(2).integers(0, 256, (*shape, channels), np.uint8)
    image = QImage.fromData(encode_pixels(pixels.reshape(shape[0], -1), channels, 7559), "PNG")
    read = [image.pixelColor(x, y).getRgb()[:channels] for y in range(shape[0]) for x in range(shape[1])]
    assert (image.height(), image.width(), image.dotsPerMeterX(), image.dotsPerMeterY()) == (*shape, 7559, 7559)
    assert image.hasAlphaChannel() == (channels == 4)
    assert read == [tuple(pixel) for pixel in pixels.reshape(-1, channels).tolist()]
