"""Letters as outlines: no text is left, and the figure looks the same."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from explorer.export import raster
from explorer.picture.figure.elements import document, text
from explorer.picture.figure.outlines import lacking, outlined
from explorer.picture.figure.plate import render_print
from explorer.picture.figure.print import Print
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import BOLD
from tests.golden.test_figures import PICTURES
from tests.picture.examples import words
from tests.sweeps import every_nth, sweep

_BOX = 4  # pixels; a raster of letters and one of shapes differ by fractions of a pixel at their edges
_MOST = 60.0  # of 255, in a box
LINES = (
    ("我爱北京天安门，数据。", {}),
    ("Attention √·−…→↓ fjgW", {"weight": BOLD}),
    ("end 0.25", {"anchor": "end"}),
    ("中 middle", {"anchor": "middle", "size": 17.5}),
    ("turned 转", {"turn": -90}),
    ("<&> two  blanks ", {}),
)


@pytest.fixture(autouse=True)
def fonts(qapp: QApplication) -> None:
    raster.add_fonts()


def _written(shift: float = 0.0) -> str:
    body = [text(150, 40 + 30 * place + shift, each, fill="#000000", **more) for place, (each, more) in enumerate(LINES)]  # type: ignore[arg-type]  # keywords of text
    return document(320, 240, body, "#ffffff", "t", mm_per_px=0.2)


def difference(first: str, second: str) -> float:
    """The largest absolute difference of two figures in a box of pixels (0 … 255)."""
    boxed = [_boxes(raster.pixels(svg, 1280)) for svg in (first, second)]
    return float(np.abs(boxed[0] - boxed[1]).max())


def _boxes(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    high, wide = (side // _BOX * _BOX for side in pixels.shape[:2])
    grey = pixels[:high, :wide].astype(np.float64).mean(axis=2)
    return grey.reshape(high // _BOX, _BOX, wide // _BOX, _BOX).mean(axis=(1, 3))


def test_outlines_look_as_letters_do() -> None:
    """Chinese and Latin, bold, at either end, in the middle and turned, with the blanks that an SVG keeps."""
    svg = _written()
    shapes = outlined(svg)
    assert "<text" not in shapes and "font-face" not in shapes and "<style" not in shapes
    assert difference(svg, shapes) < _MOST


def test_the_comparison_can_fail() -> None:
    """By a letter, by a weight, and by a shift of two pixels."""
    svg = _written()
    for other in (svg.replace("Attention", "Attentien"), svg.replace(f'font-weight="{BOLD}"', ""), _written(shift=2)):
        assert difference(svg, outlined(other)) > _MOST


@pytest.mark.parametrize("name", sweep(sorted(PICTURES), telling=every_nth(sorted(PICTURES), 4)))
def test_every_kind_of_picture_looks_the_same_without_text(name: str) -> None:
    """As a figure for print, in which a raster has letters of exactly their size; in one for the screen no text is left."""
    svg = render_print(PICTURES[name], Print(width_mm=600), words())
    assert difference(svg, outlined(svg)) < _MOST
    for shapes in map(outlined, (svg, render(PICTURES[name], words()))):
        assert "<text" not in shapes and "font-face" not in shapes


def test_a_letter_that_the_font_lacks_becomes_a_box_and_is_told() -> None:
    """A box of the width that the line was measured with."""
    svg = document(200, 60, [text(10, 40, "我🀄x", size=20, fill="#000000")], "#ffffff", "t")
    assert lacking(svg) == "🀄"
    assert not lacking(_written())
    ink = raster.pixels(outlined(svg), 200)[..., 0] < 128
    columns = np.flatnonzero(ink.any(axis=0))
    assert columns.min() >= 10 and columns.max() <= 10 + 20 + 20 + 12
    inner = ink[26:38, 34:46]  # within the box, which is empty
    assert not inner.any() and ink[:, 30:50].any()
