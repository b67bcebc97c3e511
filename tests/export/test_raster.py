"""From SVG to pixels and pages: the right colours, the right font, the right size."""

import errno
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QImage, QImageReader, QRawFont
from PySide6.QtWidgets import QApplication

from explorer.errors import CannotWrite, DiskFull, NotEnoughMemory
from explorer.export import raster
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import BOLD, REGULAR, width
from explorer.picture.kinds import Heatmap
from explorer.picture.scales import CLOSED, LEVELS, NOT_A_NUMBER, indices, palette
from explorer.picture.theme import FAMILY, THEMES, Theme
from tests.picture.examples import heatmap, words

Pixels = NDArray[np.int16]
ROOT = Path(__file__).parents[2]
LETTERS = "我爱北京天安门，数据 Attention √·−…→↓0123"


@pytest.fixture(autouse=True)
def fonts(qapp: QApplication) -> None:
    raster.add_fonts()


def pixels(image: QImage) -> Pixels:
    """[row, column, red green blue alpha], signed, so that a difference has both signs."""
    flat = image.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(bytes(flat.constBits()), np.uint8).reshape(flat.height(), flat.width(), 4)
    return rows.astype(np.int16)


def assert_same(one: Pixels, other: Pixels, tolerance: int = 1) -> None:
    """No pixel differs by more than `tolerance` in any channel, alpha too."""
    assert one.shape == other.shape
    assert np.abs(one - other).max() <= tolerance


def cells(svg: str) -> list[tuple[float, float, float, float]]:
    """x, y, width and height of a map's cells in px of the SVG."""
    inside = svg.partition("<g transform")[2]
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="#\w+"/>', inside)
    made = [tuple(float(number) for number in cell) for cell in found]
    return [cell for cell in made if cell[2] == made[0][2] and cell[3] == made[0][3]]


def expected(picture: Heatmap, theme: Theme) -> Pixels:
    return palette(picture.scale.colours, theme)[indices(picture.values, picture.scale, picture.closed)].astype(np.int16)


@pytest.mark.parametrize(("black", "white"), [(0, 255), (255, 0)])
def test_the_comparison_of_pixels_can_fail_both_ways(black: int, white: int) -> None:
    """Black against white and white against black, one pixel of many, and one that is only transparent."""
    with pytest.raises(AssertionError):
        assert_same(np.full((4, 4, 4), black, np.int16), np.full((4, 4, 4), white, np.int16))
    for channel in range(4):
        changed = np.full((4, 4, 4), 100, np.int16)
        changed[2, 1, channel] += 2 if black else -2
        with pytest.raises(AssertionError):
            assert_same(changed, np.full((4, 4, 4), 100, np.int16))


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("colours", ["cividis", "blue-red", "blue-red-dark"])
@pytest.mark.parametrize("dpi", [96.0, 150.0, 192.0])
def test_a_cell_has_the_colour_of_its_value(theme: str, colours: str, dpi: float) -> None:
    """Above the number in the middle of every rendered cell stands the table's very colour; a theme has its own signed ones."""
    values = np.random.default_rng(0).random((7, 9), np.float32)
    values[3, 3] = np.nan
    picture = heatmap(values, colours=colours)
    svg = render(picture, words(), THEMES[theme])
    drawn, scale = pixels(raster.image(svg, dpi)), dpi / 96
    places = cells(svg)
    assert len(places) == values.size
    for step in (-5, 0, 5):
        seen = [
            drawn[int((24 + y + high / 4 + step) * scale), int((24 + x + wide / 2 - step) * scale)]
            for x, y, wide, high in places
        ]
        assert_same(np.array(seen).reshape(7, 9, 4), expected(on_ground(picture, THEMES[theme]), THEMES[theme]))


def test_the_check_of_colours_can_fail() -> None:
    """A picture with one other value is not taken for the first."""
    values = np.random.default_rng(0).random((4, 4), np.float32)
    other = values.copy()
    other[2, 2] = 1 - other[2, 2]
    one, two = (expected(heatmap(each), THEMES["light"]) for each in (values, other))
    with pytest.raises(AssertionError):
        assert_same(one, two)


def test_no_background_shines_through_between_cells() -> None:
    """A map of one value is one even surface."""
    svg = render(heatmap(np.zeros((35, 35), np.float32)), words())
    (x, y, wide, high), *_rest = cells(svg)
    drawn = pixels(raster.image(svg, 96))
    area = drawn[int(24 + y) : int(24 + y + 35 * high), int(24 + x) : int(24 + x + 35 * wide)]
    assert_same(area, np.broadcast_to(area[0, 0], area.shape), 0)


def test_closed_cells_are_hatched_in_their_own_colour() -> None:
    """The theme's grey beside the line, which crosses the middle."""
    closed = np.array([[False, True], [False, False]])
    svg = render(heatmap(np.ones((2, 2), np.float32), closed=closed), words())
    x, y, wide, high = cells(svg)[1]
    drawn = pixels(raster.image(svg, 192))
    grey = palette("cividis", THEMES["light"])[CLOSED].astype(np.int16)
    assert_same(drawn[int((24 + y + high / 4) * 2), int((24 + x + wide / 4) * 2)], grey)
    assert np.abs(drawn[int((24 + y + high / 2) * 2), int((24 + x + wide / 2) * 2)] - grey).max() > 10


@pytest.mark.parametrize("dpi", [96.0, 192.0])
def test_a_large_map_has_the_colours_of_its_values(dpi: float) -> None:
    """As an image in the SVG, too: the cell's own colour at its centre."""
    values = np.random.default_rng(1).random((260, 260), np.float32)
    values[5, 5] = np.nan
    picture = heatmap(values, colours="viridis")
    svg = render(picture, words())
    x, y, wide, high = (
        float(n) for n in re.search(r'<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg).groups()
    )
    drawn, scale = pixels(raster.image(svg, dpi)), dpi / 96
    rows = [int((24 + y + (row + 0.5) * high / 260) * scale) for row in range(260)]
    columns = [int((24 + x + (column + 0.5) * wide / 260) * scale) for column in range(260)]
    assert_same(drawn[np.ix_(rows, columns)], expected(picture, THEMES["light"]), 2)
    assert (indices(values, picture.scale) == NOT_A_NUMBER).sum() == 1 and LEVELS == 251


def test_qt_knows_the_bundled_font() -> None:
    """In both weights, with the glyphs of our texts; the machine's own fonts cannot stand in for it."""
    assert set(raster.add_fonts()) == {FAMILY}
    assert FAMILY in QFontDatabase.families()
    for weight in (QFont.Weight.Normal, QFont.Weight.Bold):
        font = QFont(FAMILY, 12, weight)
        font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
        raw = QRawFont.fromFont(font)
        assert raw.familyName() == FAMILY
        assert not [letter for letter in LETTERS if not raw.supportsCharacter(ord(letter))]
        assert not raw.supportsCharacter(0xE000)


def test_the_font_is_loaded_once() -> None:
    """An export of many files must not load it for each."""
    assert raster.add_fonts() is raster.add_fonts()
    assert raster.ensure_application() is QGuiApplication.instance()


def one_line(family: str, letters: str) -> Pixels:
    return pixels(
        raster.image(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="40" font-family="{family}">'
            f'<text x="8" y="28" font-size="24" fill="#000000">{letters}</text></svg>'
        )
    )


@pytest.mark.parametrize("letters", ["北京天安门", "Attention 0.25"])
def test_labels_are_drawn_in_the_bundled_font(letters: str) -> None:
    """A figure's letters are those of the font by itself, and not those of a machine that lacks it, nor boxes."""
    line = render(heatmap(np.ones((1, 1), np.float32)), words())
    stack = re.search(r'font-family="([^"]*)"', line)[1]
    assert_same(one_line(stack, letters), one_line(FAMILY, letters), 0)
    assert np.abs(one_line(FAMILY, letters) - one_line("DejaVu Serif", letters)).max() > 100
    assert np.abs(one_line(FAMILY, letters) - one_line(FAMILY, "\ue000" * len(letters))).max() > 100


@pytest.mark.parametrize(
    "letters", ["我爱北京天安门", "Internationalization", "WWWW iiii 0.25 … −∞", "generator.logits [position 4]"]
)
@pytest.mark.parametrize("weight", [REGULAR, BOLD])
def test_text_is_as_wide_as_the_layout_thinks(letters: str, weight: int) -> None:
    """Qt's own measure; kerning may take a little off."""
    font = QFont(FAMILY)
    font.setPixelSize(100)
    font.setWeight(QFont.Weight(weight))
    measured = QFontMetricsF(font).horizontalAdvance(letters)
    assert width(letters, 100, weight) == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize(("dpi", "width_px"), [(96.0, None), (192.0, None), (300.0, None), (192.0, 777), (72.0, 16)])
def test_a_png_has_the_asked_size(dpi: float, width_px: int | None, tmp_path: Path) -> None:
    """Width by resolution or in pixels, the height in proportion, and the resolution in the file."""
    svg = render(heatmap(np.eye(3, dtype=np.float32)), words())
    wide, high = (int(n) for n in re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    raster.write_png(svg, tmp_path / "a.png", dpi, width_px)
    read = QImage(str(tmp_path / "a.png"))
    assert read.width() == (width_px or round(wide * dpi / 96))
    assert read.height() == pytest.approx(read.width() * high / wide, abs=1)
    assert read.dotsPerMeterX() == read.dotsPerMeterY() == round(dpi / 0.0254)
    assert read.pixelColor(QPoint(0, 0)).name() == THEMES["light"].card


@pytest.mark.parametrize(("dpi", "width_px"), [(192.0, 10**6), (1200.0, 32768)])
def test_an_image_that_cannot_be_is_refused(dpi: float, width_px: int) -> None:
    """Qt draws nothing beyond 32767 pixels: better no file than half a figure."""
    with pytest.raises(NotEnoughMemory) as raised:
        raster.image(render(heatmap(np.eye(2, dtype=np.float32)), words()), dpi, width_px)
    assert raised.value.values["need_mb"] > 1000


def test_a_flat_figure_keeps_a_line() -> None:
    """A width that leaves less than one pixel of height is no error."""
    made = raster.image('<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="2"/>', width_px=16)
    assert (made.width(), made.height()) == (16, 1)


def test_a_pdf_is_one_page_as_large_as_the_figure(tmp_path: Path) -> None:
    """With the bundled font in both weights, as text and not as an image."""
    svg = render(heatmap(np.eye(3, dtype=np.float32), ("我", "爱", "北京")), words())
    wide, high = (int(n) for n in re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    raster.write_pdf(svg, tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type /Page\b", data)) == 1
    box = [float(n) for n in re.search(rb"/MediaBox \[([^\]]*)\]", data)[1].split()]
    assert box[2:] == pytest.approx([wide * 0.75, high * 0.75], abs=1)
    fonts = set(re.findall(rb"/BaseFont /(?:\w+\+)?([\w-]+)", data))
    assert fonts == {b"TXSansSC-Regular", b"TXSansSC-Bold"}
    assert b"/Subtype /Image" not in data
    streams = [zlib.decompress(s) for s in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S) if s[:1] == b"\x78"]
    assert any(b"Tj" in stream or b"TJ" in stream for stream in streams)


@pytest.mark.parametrize("writer", [raster.write_png, raster.write_pdf])
def test_a_failed_write_leaves_the_old_file(writer: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, and a folder that is a file."""
    svg = render(heatmap(np.eye(2, dtype=np.float32)), words())
    (tmp_path / "a").write_text("old")
    with pytest.raises(CannotWrite):
        writer(svg, tmp_path / "a" / "b")

    def full(_path: Path, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DiskFull):
        writer(svg, tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


_TOGETHER = """
import threading
from PySide6.QtGui import QImageReader
from explorer.export import raster
from explorer.resources import asset

svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><title>a</title><text x="1" y="9">b</text></svg>'
raster.ensure_application()


def draw():
    for _ in range(150):
        raster.image(svg)


threads = [threading.Thread(target=draw) for _ in range(3)]
for each in threads:
    each.start()
while any(each.is_alive() for each in threads):
    QImageReader(str(asset("icons/chevron.svg"))).size()
"""


def test_figures_are_drawn_while_a_window_reads_its_icons() -> None:
    """Icons of a style sheet are read with Python's lock. Were figures read out of a buffer of Python's, all stood still."""
    subprocess.run([sys.executable, "-c", _TOGETHER], cwd=ROOT, timeout=60, check=True)


def test_the_file_that_is_read_does_not_stay_and_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no file can be written for a moment, the same image is painted without one."""
    svg, folder = render(heatmap(np.eye(2, dtype=np.float32)), words()), tmp_path / "for a moment"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    seen: list[list[Path]] = []

    class Reader(QImageReader):
        def read(self) -> QImage:
            seen.append(list(folder.iterdir()))
            return super().read()

    class Without(QImageReader):
        def read(self) -> QImage:
            """What is read where Qt has no plugin for SVG."""
            return QImage()

    monkeypatch.setattr(raster, "QImageReader", Reader)
    made = raster.image(svg)
    assert len(seen) == 1 and len(seen[0]) == 1 and not list(folder.iterdir())
    folder.rmdir()
    assert raster.image(svg) == made and len(seen) == 1
    folder.mkdir()
    monkeypatch.setattr(raster, "QImageReader", Without)
    assert raster.image(svg) == made
