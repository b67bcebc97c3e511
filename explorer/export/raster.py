"""From the SVG master to pixels and pages: PNG through QtSvg, PDF through QPdfWriter."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QFontDatabase, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer

from explorer.errors import NotEnoughMemory
from explorer.files import replacing
from explorer.picture.figure.png import encode_pixels
from explorer.picture.theme import FAMILY, STACK
from explorer.resources import asset

_SVG_DPI = 96.0  # one px of an SVG
_INCH_MM = 25.4
_INCH_POINTS = 72.0
_OPAQUE = 0xFF000000  # of a pixel's number
_LARGEST_PX = 32767  # the painter draws nothing beyond


@lru_cache(maxsize=1)
def add_fonts() -> tuple[str, ...]:
    """Make the bundled font known to Qt, once; returns the families it brought. Raises MissingAsset."""
    families: list[str] = []
    for weight in ("Regular", "Bold"):
        number = QFontDatabase.addApplicationFont(str(asset(f"fonts/TXSansSC-{weight}.otf")))
        families += QFontDatabase.applicationFontFamilies(number)
    return tuple(families)


def image(svg: str, dpi: float = 192.0, width_px: int | None = None) -> QImage:
    """The figure as an image at `dpi`, or just `width_px` wide. Raises NotEnoughMemory."""
    renderer = _renderer(svg)
    size = renderer.defaultSize()
    scale = width_px / size.width() if width_px else dpi / _SVG_DPI
    wide, high = (max(1, round(side * scale)) for side in (size.width(), size.height()))
    made = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
    if made.isNull() or max(wide, high) > _LARGEST_PX:
        raise NotEnoughMemory(need_mb=round(size.width() * size.height() * scale * scale * 4 / 2**20))
    made.setDotsPerMeterX(round(dpi / _INCH_MM * 1000))
    made.setDotsPerMeterY(round(dpi / _INCH_MM * 1000))
    made.fill(0)
    painter = QPainter(made)
    renderer.render(painter)
    painter.end()
    return made


def write_png(svg: str, path: Path, dpi: float = 192.0, width_px: int | None = None) -> None:
    """Raises CannotWrite, NotEnoughMemory."""
    png_job(svg, path, dpi, width_px)()


def png_job(svg: str, path: Path, dpi: float = 192.0, width_px: int | None = None) -> Callable[[], None]:
    """The figure is drawn now; what is returned compresses and writes it, on whatever thread. Raises NotEnoughMemory; the
    job raises CannotWrite.
    """
    drawn = image(svg, dpi, width_px)

    def write() -> None:
        made = _encoded(drawn)
        with replacing(path) as unfinished:
            unfinished.write_bytes(made)

    return write


def _encoded(drawn: QImage) -> bytes:
    """The image as a PNG file; one that is opaque everywhere has three channels."""
    opaque = bool((np.frombuffer(drawn.constBits(), np.uint32) >= _OPAQUE).all())  # four bytes a pixel: lines have no gaps
    channels = 3 if opaque else 4
    plain = drawn.convertToFormat(QImage.Format.Format_RGB888 if opaque else QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())  # lines may end in gaps
    return encode_pixels(rows[:, : channels * plain.width()], channels, drawn.dotsPerMeterX())


def write_pdf(svg: str, path: Path) -> None:
    """One page, as large as the figure. Raises CannotWrite."""
    renderer = _renderer(svg)
    size = renderer.defaultSize()
    file = QBuffer()
    file.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(file)
    writer.setCreator("Transformer Explorer")
    points = QSizeF(size.width() / _SVG_DPI * _INCH_POINTS, size.height() / _SVG_DPI * _INCH_POINTS)
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(300)
    painter = QPainter(writer)
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)  # else a large map would be a JPEG: other colours
    renderer.render(painter, QRectF(0, 0, writer.width(), writer.height()))
    painter.end()
    _write(file, path)


def _write(file: QBuffer, path: Path) -> None:
    """Qt draws into memory: it does not say why a file could not be written, nor that a PDF was cut short."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(file.data().data())


@lru_cache(maxsize=1)
def ensure_application() -> QGuiApplication:
    """The running application, or one without a screen, for the command line. Kept: it would end with its last user."""
    running = QGuiApplication.instance()
    application = running if isinstance(running, QGuiApplication) else QGuiApplication(["explorer", "-platform", "offscreen"])
    add_fonts()
    return application


def _renderer(svg: str) -> QSvgRenderer:
    """QtSvg takes a list of families for the name of one, and would draw in whatever font the machine has."""
    return QSvgRenderer(QByteArray(svg.replace(STACK, FAMILY).encode("utf-8")))
