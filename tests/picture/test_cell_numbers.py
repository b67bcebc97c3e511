"""Numbers in cells can be read, and are the numbers of the cells."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage, QPainter

from explorer.picture.cell_numbers import (
    DARK_INK,
    FAINTER,
    LIGHT_INK,
    fainter_inks,
    figures,
    has_room,
    inks,
    is_small,
    luminance,
)
from explorer.picture.figure.svg import render
from explorer.picture.scales import BELOW, LEVELS, Scale, palette
from explorer.picture.theme import THEMES, Theme
from tests.picture.examples import heatmap, words

_LEAST_CONTRAST = 4.0
"""WCAG asks 4.5 of text; between black and white no ink reaches more than 4.6 on the middle grey."""


def contrast(one: str, two: str) -> float:
    """The contrast of two hexadecimal colours, computed one channel after the other. WCAG 2.2."""

    def light(colour: str) -> float:
        total = 0.0
        for weight, place in ((0.2126, 1), (0.7152, 3), (0.0722, 5)):
            share = int(colour[place : place + 2], 16) / 255
            total += weight * (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
        return total + 0.05

    return max(light(one) / light(two), light(two) / light(one))


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("colours", ["cividis", "viridis", "blue-red", "purple-orange", "blue-red-dark", "blue-orange-dark"])
def test_every_colour_has_an_ink_that_can_be_read(colours: str, theme: Theme) -> None:
    """Of the two inks the one with more contrast, against a second computation."""
    rgb = palette(colours, theme)
    for level in (*range(LEVELS), BELOW):
        cell = "#{:02x}{:02x}{:02x}".format(*map(int, rgb[level, :3]))
        ink = inks(colours, theme)[level]
        other = DARK_INK if ink == LIGHT_INK else LIGHT_INK
        assert contrast(cell, ink) >= max(_LEAST_CONTRAST, contrast(cell, other)), (level, cell)


def test_black_and_white_have_the_known_luminance() -> None:
    """0 and 1; the three channels add up to white."""
    rgb = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
    black, white, *channels = luminance(rgb)

    assert (black, white) == (0.0, pytest.approx(1.0))
    assert sum(channels) == pytest.approx(white)


@given(st.floats(-1e4, 1e4, width=32))
def test_figures_are_the_rounded_value(value: float) -> None:
    """Each is the value within half of its last decimal, and no zero has a sign."""
    for text, half in zip(figures(value), (0.005, 0.05, 0.5), strict=True):
        assert abs(float(text.replace("−", "-")) - value) <= half * 1.0001
        assert not (float(text.replace("−", "-")) == 0 and text.startswith("−"))


def test_a_masked_cell_has_no_figures() -> None:
    """Its value is no number; a small cell has no room, and a small weight is faint on a scale of weights alone."""
    assert [*figures(float("nan")), *figures(float("-inf"))] == []
    assert has_room(30, 16) and not has_room(29.9, 16) and not has_room(30, 15.9)
    assert is_small(0.09, Scale(0, 1, "cividis")) and not is_small(0.1, Scale(0, 1, "cividis"))
    assert not is_small(0.09, Scale(-1, 1, "blue-red")) and not is_small(0.001, Scale(0, 0.01, "cividis"))


def test_a_figure_writes_the_numbers_of_its_cells() -> None:
    """In reading order with two decimals; closed cells are empty, and a map of narrow cells has none."""
    values = np.random.default_rng(3).random((4, 4), np.float32)
    closed = np.triu(np.ones((4, 4), bool), 1)
    svg = render(heatmap(np.where(closed, np.nan, values), closed=closed), words("en"), THEMES["light"])
    numbers = re.findall(r">(\d\.\d\d)<", svg)

    assert numbers == [f"{value:.2f}" for value in values[~closed]]
    many = render(heatmap(np.random.default_rng(3).random((40, 40), np.float32)), words("en"), THEMES["light"])
    assert not re.findall(r">(\d\.\d\d)<", many)


@pytest.mark.parametrize("colours", ["cividis", "viridis"])
@pytest.mark.parametrize("theme", THEMES.values())
def test_fainter_ink_is_what_a_painter_would_make_of_it(colours: str, theme: Theme) -> None:
    """Ink of the same opacity, painted over the cell's colour."""
    behind = palette(colours, theme)
    for level in range(0, 256, 15):
        cell = QImage(1, 1, QImage.Format.Format_RGB32)
        cell.fill(QColor(*map(int, behind[level, :3])))
        ink = QColor(inks(colours, theme)[level])
        ink.setAlphaF(FAINTER)
        with QPainter(cell) as painter:
            painter.fillRect(cell.rect(), ink)
        painted, told = cell.pixelColor(0, 0), QColor(fainter_inks(colours, theme)[level])
        both = ((each.red(), each.green(), each.blue()) for each in (painted, told))
        assert all(abs(one - other) <= 1 for one, other in zip(*both, strict=True))
