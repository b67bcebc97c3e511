"""From the SVG master to pixels and pages: PNG through QtSvg, PDF through QPdfWriter."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QFontDatabase, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer

from explorer.errors import NotEnoughMemory
from explorer.files import cannot_write, replacing
from explorer.resources import asset

_SVG_DPI = 96.0  # one px of an SVG
_INCH_MM = 25.4


def add_fonts() -> list[str]:
    """Make the bundled font known to Qt; returns the families it brought. Raises MissingAsset."""
    families: list[str] = []
    for weight in ("Regular", "Bold"):
        number = QFontDatabase.addApplicationFont(str(asset(f"fonts/TXSansSC-{weight}.otf")))
        families += QFontDatabase.applicationFontFamilies(number)
    return families


def image(svg: str, dpi: float = 192.0, width_px: int | None = None) -> QImage:
    """The figure as an image at `dpi`, or just `width_px` wide. Raises NotEnoughMemory."""
    renderer = _renderer(svg)
    size = renderer.defaultSize()
    scale = width_px / size.width() if width_px else dpi / _SVG_DPI
    made = QImage(round(size.width() * scale), round(size.height() * scale), QImage.Format.Format_ARGB32_Premultiplied)
    if made.isNull():
        raise NotEnoughMemory(need_mb=round(size.width() * size.height() * scale * scale * 4 / 2**20))
    made.setDotsPerMeterX(round(dpi / _INCH_MM * 1000))
    made.setDotsPerMeterY(round(dpi / _INCH_MM * 1000))
    made.fill(0)
    painter = QPainter(made)
    renderer.render(painter)
    painter.end()
    return made


def write_png(svg: str, path: Path, dpi: float = 192.0, width_px: int | None = None) -> None:
    """Raises CannotWrite."""
    made = image(svg, dpi, width_px)
    with replacing(path) as unfinished:
        if not made.save(str(unfinished), "PNG"):  # type: ignore[call-overload]  # the stubs know only bytes
            raise cannot_write(path, _why(unfinished))


def write_pdf(svg: str, path: Path) -> None:
    """One page, as large as the figure. Raises CannotWrite."""
    renderer = _renderer(svg)
    size = renderer.defaultSize()
    with replacing(path) as unfinished:
        writer = QPdfWriter(str(unfinished))
        writer.setCreator("Transformer Explorer")
        millimetres = QSizeF(size.width() / _SVG_DPI * _INCH_MM, size.height() / _SVG_DPI * _INCH_MM)
        writer.setPageSize(QPageSize(millimetres, QPageSize.Unit.Millimeter))
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        writer.setResolution(300)
        painter = QPainter()
        if not painter.begin(writer):
            raise cannot_write(path, _why(unfinished))
        renderer.render(painter, QRectF(0, 0, writer.width(), writer.height()))
        painter.end()


def ensure_application() -> QGuiApplication:
    """The running application, or one without a screen, for the command line."""
    running = QGuiApplication.instance()
    application = running if isinstance(running, QGuiApplication) else QGuiApplication(["explorer", "-platform", "offscreen"])
    add_fonts()
    return application


def _renderer(svg: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(svg.encode("utf-8")))


def _why(path: Path) -> OSError:
    """Qt does not say why a file could not be written; writing to it again does."""
    try:
        with path.open("ab") as file:
            file.write(b"\0" * 65536)
            file.flush()
    except OSError as error:
        return error
    return OSError(5, "I/O error")
