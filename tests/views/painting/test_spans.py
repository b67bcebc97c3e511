"""Bands, lanes and curves without a stroker cover the same pixels as exact geometry and as QPainter's own strokes."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from explorer.picture.marks import Bands, Curves, Lanes, curve
from explorer.picture.theme import LIGHT
from explorer.views.painting.spans import STEPS, band_image, coverage, paint_bands, paint_curves, paint_lanes

_WIDE, _HIGH = 120, 160


def band(y0: float, y1: float, width: float, opacity: float = 0.6, fade: float = 0) -> Bands:
    one = [np.array([each], np.float32) for each in (y0, y1, width, opacity)]
    return Bands(0, _WIDE, *one, "band", (0.5, 0.5), fade)


def blank() -> QImage:
    image = QImage(_WIDE, _HIGH, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0xFFFFFFFF)
    return image


def darkness(image: QImage) -> np.ndarray:
    """[row, column] how far each pixel is from white, in shares of the band's colour."""
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(_HIGH, _WIDE, 4)[..., 2]  # red
    return (255.0 - pixels) / (255 - QColor(LIGHT.band).red())


def test_a_span_covers_exactly_its_share_of_each_pixel() -> None:
    """From 2.25 to 4.5: a half of nothing, three quarters of row 2, all of row 3, half of row 4."""
    y, half, ink = (np.array([[value]], np.float32) for value in (3.375, 1.125, 1.0))
    assert coverage(y, half, ink, 6)[:, 0] / STEPS == pytest.approx([0, 0, 0.75, 1, 0.5, 0])


def test_spans_beyond_the_edge_are_cut() -> None:
    """Nothing wraps around, and ink adds up."""
    y = np.array([[-3.0], [5.5], [2.0]], np.float32)
    half = np.array([[1.0], [2.0], [1.0]], np.float32)
    assert coverage(y, half, np.ones((3, 1), np.float32), 6)[:, 0] / STEPS == pytest.approx([0, 1, 1, 0.5, 1, 1])


def test_whole_steps_are_as_good_as_floats() -> None:
    """A few hundred spans over each other are within a 255th of opacity of the overlap of every span with every pixel."""
    rng = np.random.default_rng(2)
    y, half, ink = (rng.uniform(low, high, (300, 4)).astype(np.float32) for low, high in ((-5, 65), (0.2, 6), (0.001, 0.05)))
    pixel = np.arange(60)[:, None, None]
    overlap = np.clip(np.minimum(y + half, pixel + 1) - np.maximum(y - half, pixel), 0, 1)  # [row, span, column]
    expected = (overlap * ink).sum(axis=1, dtype=np.float64)
    found = coverage(y, half, ink, 60) / STEPS
    away = np.abs(255 * np.exp(-found) - 255 * np.exp(-expected))
    assert expected.max() > 0.5 and away.max() < 1
    assert np.abs(255 * np.exp(-np.roll(found, 1, axis=0)) - 255 * np.exp(-expected)).max() > 1  # One row lower it is told.


@pytest.mark.parametrize(("y0", "y1", "width"), [(40, 40, 5), (30, 120, 6), (130, 20, 2.5), (60, 75, 0.8)])
def test_bands_look_like_strokes(y0: float, y1: float, width: float) -> None:
    """The same ink in each column and pixels that differ little from QPainter's antialiased cubic."""
    ours, theirs = blank(), blank()
    with QPainter(ours) as painter:
        paint_bands(painter, band(y0, y1, width), LIGHT)
    with QPainter(theirs) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(LIGHT.band)
        colour.setAlphaF(0.6)
        path = QPainterPath(QPointF(0, y0))
        path.cubicTo(_WIDE / 2, y0, _WIDE / 2, y1, _WIDE, y1)
        painter.setPen(QPen(colour, width))
        painter.drawPath(path)
    a, b = darkness(ours), darkness(theirs)
    assert np.abs(a.sum(axis=0) - b.sum(axis=0))[2:-2].max() < 0.15 * b.sum(axis=0).max() + 0.1
    assert np.abs(a - b)[:, 3:-3].mean() < 0.01
    off = np.abs(a - np.roll(b, 4, axis=0))[:, 3:-3].mean()
    assert off > 4 * np.abs(a - b)[:, 3:-3].mean()  # Four rows lower it would be told.


def test_one_band_has_its_own_opacity_and_two_are_darker() -> None:
    """0.6 alone; 1 − 0.4² where two cross."""
    both = band(80, 80, 10)
    twice = Bands(0, _WIDE, *(np.repeat(each, 2) for each in (both.y0, both.y1, both.width, both.opacity)), "band", fade=0)
    for bands, expected in ((both, 0.6), (twice, 0.84)):
        image = blank()
        with QPainter(image) as painter:
            paint_bands(painter, bands, LIGHT)
        assert darkness(image)[80, 60] == pytest.approx(expected, abs=0.02)


def test_bands_are_the_ink_of_each_alone() -> None:
    """On a screen with two pixels in a px, too: ink adds up, and nothing wraps around at an edge of the image."""
    rng = np.random.default_rng(1)
    y0, y1 = (rng.uniform(0, 90, 3).astype(np.float32) for _ in range(2))
    width, opacity = np.array([0.8, 4, 9], np.float32), np.array([0.1, 0.3, 0.5], np.float32)

    def ink(*which: int) -> np.ndarray:
        bands = Bands(8, 61, *(each[list(which)] for each in (y0, y1, width, opacity)), "band", (0.68, 0.5), 5)
        image = QImage(160, 320, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(2)
        image.fill(0)
        with QPainter(image) as painter:
            painter.translate(0, 30)
            paint_bands(painter, bands, LIGHT)
        opaque = np.frombuffer(image.constBits(), np.uint8).reshape(320, 160, 4)[..., 3] / 255.1
        return -np.log1p(-opaque)

    together, alone = ink(0, 1, 2), ink(0) + ink(1) + ink(2)
    assert together.max() > 0.5 and np.abs(together - alone).max() < 0.02
    assert np.abs(np.roll(together, 1, axis=0) - alone).max() > 0.1  # One row lower it is told.


def test_no_band_is_no_image() -> None:
    """Where all weights are too small nothing is painted."""
    none = np.zeros(0, np.float32)
    assert band_image(Bands(0, 10, none, none, none, none, "band"), LIGHT, 1.0) is None


def test_a_lane_is_as_thick_as_it_is_told() -> None:
    """At its first point 4, at its last 10, in between neither less nor more."""
    image = blank()
    x, y, width = (np.array(each, np.float32) for each in ([0, _WIDE], [80], [[4, 10]]))
    lanes = Lanes(x, y, width, np.ones(1, np.float32), "band")
    with QPainter(image) as painter:
        paint_lanes(painter, lanes, LIGHT)
    thick = darkness(image).sum(axis=0)
    assert thick[0] == pytest.approx(4, abs=0.2) and thick[-1] == pytest.approx(10, abs=0.2)
    assert (np.diff(thick) > -0.05).all()


def test_a_curve_goes_through_its_points() -> None:
    """The middle of its ink in each column is the line's height."""
    image = blank()
    x = np.linspace(0, _WIDE, 61, dtype=np.float32)
    y = 80 + 30 * np.sin(x / 20)
    one = np.ones(1, np.float32)
    with QPainter(image) as painter:
        paint_curves(painter, Curves(x, y[None].astype(np.float32), one * 3, one, "band"), LIGHT)
    dark = darkness(image)
    middle = (dark * (np.arange(_HIGH)[:, None] + 0.5)).sum(axis=0) / dark.sum(axis=0)
    expected = np.interp(np.arange(_WIDE) + 0.5, x, y)
    assert np.abs(middle - expected).max() < 0.35


def test_the_cubic_begins_and_ends_level() -> None:
    """From (0, 0) to (1, 1), never back."""
    for bend in ((0.5, 0.5), (0.68, 0.5)):
        x, s = curve(bend)
        assert (x[0], s[0]) == (0, 0) and (x[-1], s[-1]) == pytest.approx((1, 1))
        assert (np.diff(x) >= 0).all() and (np.diff(s) >= 0).all()
