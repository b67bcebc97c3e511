"""PNG and PDF files from a figure's SVG, through QtSvg and QPdfWriter; films as an APNG or as a folder of PNG files."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QGuiApplication, QImage, QImageReader, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from explorer.errors import NotEnoughMemory
from explorer.export.fonts import add_fonts
from explorer.files import replacing
from explorer.picture.figure.film import FRAMES_PER_SECOND, Film
from explorer.picture.figure.png import FilmWriter, encode_pixels
from explorer.picture.figure.svg import SVG_DPI
from explorer.picture.theme import FAMILY, STACK

INCH_MM = 25.4
_INCH_POINTS = 72.0
_HEAD = re.compile(r'<svg [^>]*?width="([\d.]+)(mm)?" height="([\d.]+)(?:mm)?"')
_TEXT, _ATTRIBUTE = re.compile(r"<text ([^>]*)>"), re.compile(r'([\w-]+)="([^"]*)"')
_STYLE = re.compile(r"<style>.*?</style>\n", re.DOTALL)  # Qt has the bundled font already.
_FINE = 16
_PART = 12_000  # characters, which are drawn in 1 to 2 ms
_OPAQUE = 0xFF000000  # the smallest 32-bit ARGB value of an opaque pixel
_FILM_PX = 960  # px, the width of a film where nobody asks for another one
_FILM_DOTS = 3780  # per meter: 96 per inch
_LARGEST_PX = 32767  # QPainter draws nothing beyond this coordinate


def image(svg: str, dpi: float = 192.0, width_px: int | None = None) -> QImage:
    """The figure as an image at `dpi`, or exactly `width_px` wide. Raises NotEnoughMemory."""
    size = size_px(svg)
    scale = width_px / size.width() if width_px else dpi / SVG_DPI
    wide, high = (max(1, round(side * scale)) for side in (size.width(), size.height()))
    made = QImage() if max(wide, high) > _LARGEST_PX else _drawn(svg, wide, high)
    if made.isNull():
        raise NotEnoughMemory(need_mb=round(size.width() * size.height() * scale * scale * 4 / 2**20))
    made.setDotsPerMeterX(round(dpi / INCH_MM * 1000))
    made.setDotsPerMeterY(round(dpi / INCH_MM * 1000))
    return made


def _drawn(svg: str, wide: int, high: int) -> QImage:
    """The figure as an image of so many px, without pixels where there is no memory for them.

    Decision: QImageReader draws with QtSvg too, and without Python's lock, which QSvgRenderer keeps: so several figures are
    drawn at once, and a window beside them does not wait. It takes images up to a size, and reads a file of its own. Rejected:
    a buffer in place of the file, which is an object of Python. The reader asked for Python's lock while it held Qt's lock of
    all image plugins, for which a painting window waited with Python's lock: a deadlock.
    """
    most_mb = QImageReader.allocationLimit()  # 0 for none
    if most_mb and 4 * wide * high > most_mb * 2**20:
        return _painted(svg, wide, high)
    try:
        number, name = tempfile.mkstemp(suffix=".svg")
    except OSError:
        return _painted(svg, wide, high)
    os.close(number)
    path = Path(name)
    try:
        path.write_bytes(_in_own_letters(svg))
        made = _read(path, wide, high)
    except OSError:
        made = QImage()
    finally:
        with suppress(OSError):  # A virus scanner may have it open.
            path.unlink()
    return _painted(svg, wide, high) if made.isNull() else made


def _read(path: Path, wide: int, high: int) -> QImage:
    """The SVG in a file as an image of so many px; the file is closed again."""
    reader = QImageReader(str(path), QByteArray(b"svg"))
    reader.setScaledSize(QSize(wide, high))
    return reader.read()


def _painted(svg: str, wide: int, high: int) -> QImage:
    """The same image, to the pixel, without QImageReader."""
    made = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
    if not made.isNull():
        made.fill(0)
        with _painter(made) as painter:
            _draw(svg, painter, QRectF(0, 0, wide, high))
    return made


@contextmanager
def _painter(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter that always ends: deleting a device with an active painter aborts the process."""
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()


def _draw(svg: str, painter: QPainter, bounds: QRectF) -> None:
    """Draw the figure in parts: while Qt draws one, no other thread of Python runs, and the window would freeze."""
    for part in _parts(svg):
        QSvgRenderer(QByteArray(_in_own_letters(part))).render(painter, bounds)


def _parts(svg: str) -> Iterator[str]:
    """The document split into several to draw over one another, each with some of its elements and the groups around them."""
    head, title, body = _STYLE.sub("", svg).partition("</title>\n")
    if len(svg) <= _PART or not title:
        yield svg
        return
    head += "</title>"
    around: list[str] = []  # the groups that are open
    part: list[str] = []
    length = 0
    for line in body.splitlines()[:-1]:
        opens = line.startswith("<g") and "</g>" not in line
        if not opens and line != "</g>" and length > _PART:
            yield "\n".join((head, *part, *["</g>"] * len(around), "</svg>"))
            part, length = [*around], 0
        part.append(line)
        length += len(line)
        if opens:
            around.append(line)
        elif line == "</g>":
            around.pop()
    yield "\n".join((head, *part, "</svg>"))


def write_png(svg: str, path: Path, dpi: float = 192.0, width_px: int | None = None) -> None:
    """Write the figure as PNG. Raises CannotWrite, NotEnoughMemory."""
    png_job(svg, path, dpi, width_px)()


def png_job(svg: str, path: Path, dpi: float = 192.0, width_px: int | None = None) -> Callable[[], None]:
    """A job that draws the figure, compresses and writes it, for any thread. It raises CannotWrite, NotEnoughMemory."""

    def write() -> None:
        made = _encoded(image(svg, dpi, width_px))
        with replacing(path) as unfinished:
            unfinished.write_bytes(made)

    return write


def _encoded(drawn: QImage) -> bytes:
    """The image as a PNG file, with three channels where all pixels are opaque, otherwise four."""
    opaque = bool((np.frombuffer(drawn.constBits(), np.uint32) >= _OPAQUE).all())  # Four bytes a pixel need no padding.
    channels = 3 if opaque else 4
    plain = drawn.convertToFormat(QImage.Format.Format_RGB888 if opaque else QImage.Format.Format_RGBA8888)
    # Lines of three bytes a pixel may end in padding.
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return encode_pixels(rows[:, : channels * plain.width()], channels, drawn.dotsPerMeterX())


def pixels(svg: str, width_px: int) -> NDArray[np.uint8]:
    """[row, column, red green blue] the figure, `width_px` wide. Raises NotEnoughMemory."""
    plain = image(svg, width_px=width_px).convertToFormat(QImage.Format.Format_RGB888)
    # Lines of three bytes a pixel may end in padding.
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    made: NDArray[np.uint8] = rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()
    return made


def write_pdf(svg: str, path: Path) -> None:
    """Write the figure as a PDF of one page of its size. Raises CannotWrite."""
    size = size_px(svg)
    file = QBuffer()
    file.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(file)
    writer.setCreator("Transformer Explorer")
    points = QSizeF(size.width() / SVG_DPI * _INCH_POINTS, size.height() / SVG_DPI * _INCH_POINTS)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(300)
    with _painter(writer) as painter:
        # Without this hint a large map would become a JPEG, which changes colours.
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        _draw(svg, painter, QRectF(0, 0, writer.width(), writer.height()))
    _write(file, path)


def _write(file: QBuffer, path: Path) -> None:
    """Write a PDF from memory, since Qt itself does not report why a file could not be written or was cut short."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(file.data().data())


@lru_cache(maxsize=1)
def ensure_application() -> QGuiApplication:
    """The running Qt application, or a new one without a screen, for the command line. The cache keeps it alive."""
    running = QGuiApplication.instance()
    application = running if isinstance(running, QGuiApplication) else QGuiApplication(["explorer", "-platform", "offscreen"])
    add_fonts()
    return application


def ensure_widgets() -> QGuiApplication:
    """The same with widgets, in which a page arranges its cards. One that has none gives way: a process has one application.

    Pictures alone make none with widgets, whose end together with the process's is not as sure.
    """
    running = QGuiApplication.instance()
    if running is None or isinstance(running, QApplication):
        application = running or QApplication(["explorer", "-platform", "offscreen"])
    else:
        for kept in (ensure_application, add_fonts):
            kept.cache_clear()
        running.shutdown()
        application = QApplication(["explorer", "-platform", "offscreen"])
    add_fonts()
    return application


def size_px(svg: str) -> QSizeF:
    """The size of a figure (px of 1/96 inch). QtSvg takes a millimetre for 1/90 inch, so the size is read here."""
    found = _HEAD.match(svg)
    assert found is not None  # Every figure says its size.
    wide, unit, high = found.groups()
    per_unit = SVG_DPI / INCH_MM if unit else 1.0
    return QSizeF(float(wide) * per_unit, float(high) * per_unit)


def _in_own_letters(svg: str) -> bytes:
    """An SVG with the bundled font alone. QtSvg takes a list of families for one unknown family."""
    found = _HEAD.match(svg)
    if found is not None and found[2]:
        svg = _TEXT.sub(_fine, svg)
    return _STYLE.sub("", svg).replace(STACK, FAMILY).encode("utf-8")


def _fine(found: re.Match[str]) -> str:
    """The beginning of a text with its letters enlarged and the text scaled down by the same factor.

    QtSvg rounds the size of letters to whole px and thickens small ones; on paper they have exactly the size asked for.
    """
    given = dict(_ATTRIBUTE.findall(found[1]))
    given |= {name: f"{float(given[name]) * _FINE:.4f}" for name in ("x", "y", "font-size")}
    given["transform"] = f"{given.get('transform', '')} scale({1 / _FINE:g})".strip()
    kept = " ".join(f'{name}="{value}"' for name, value in given.items())
    return f"<text {kept}>"


def write_apng(film: Film, path: Path, width_px: int | None) -> Iterator[list[Path]]:
    """Write the film as one APNG, frame by frame; the file appears with the last one. Raises CannotWrite."""
    ensure_application()
    writer = FilmWriter()
    for place, (time, delay_ms) in enumerate(zip(film.times, film.delays_ms(), strict=True)):
        writer.add(pixels(film.frame(time), width_px or _FILM_PX), delay_ms)
        if place < len(film) - 1:
            yield []
    with replacing(path) as unfinished:
        unfinished.write_bytes(writer.finished())
    yield [path]


def write_frames(film: Film, folder: Path, width_px: int | None) -> Iterator[list[Path]]:
    """Write PNG files into a folder, 30 for each second; a frame that lasts longer is repeated. Raises CannotWrite."""
    ensure_application()
    number = 0
    for time, delay_ms in zip(film.times, film.delays_ms(), strict=True):
        frame = pixels(film.frame(time), width_px or _FILM_PX)
        made = encode_pixels(frame.reshape(len(frame), -1), 3, _FILM_DOTS)
        paths = []
        for _ in range(max(1, round(delay_ms * FRAMES_PER_SECOND / 1000))):
            number += 1
            paths.append(folder / f"frame-{number:05d}.png")
            with replacing(paths[-1]) as unfinished:
                unfinished.write_bytes(made)
        yield paths
