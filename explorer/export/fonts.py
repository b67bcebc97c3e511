"""The bundled font in Qt. The window needs it before all else, so nothing is imported here that draws figures."""

from functools import lru_cache

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFontDatabase, QImageReader

from explorer.resources import asset


@lru_cache(maxsize=1)  # Qt would register the same files again.
def add_fonts() -> tuple[str, ...]:
    """Register the bundled font with Qt and load what reads figures, once; returns the families. Raises MissingAsset."""
    families: list[str] = []
    for weight in ("Regular", "Bold"):
        number = QFontDatabase.addApplicationFont(str(asset(f"fonts/TXSansSC-{weight}.otf")))
        families += QFontDatabase.applicationFontFamilies(number)
    # Load Qt's reader of SVG now: loaded on another thread, it would wait for Python's lock while it holds Qt's own.
    QImageReader(str(asset("icons/chevron.svg")), QByteArray(b"svg")).canRead()
    return tuple(families)
