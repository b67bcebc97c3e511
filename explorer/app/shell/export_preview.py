"""What an export will look like: the very figure, drawn on a thread of its own. The last one stays until the next is there."""

import re
import threading

import attrs
from PySide6.QtCore import QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from explorer.errors import ExplorerError
from explorer.export import raster
from explorer.export.job import Export
from explorer.lang import Words
from explorer.picture.figure.outlines import lacking, outlined
from explorer.picture.figure.svg import SVG_DPI
from explorer.picture.layout.sketch import LABEL
from explorer.views.controls.layouts import filled

THREAD = "export preview"
_LEAST = QSize(300, 260)
_LETTERS = re.compile(r'<text [^>]*font-size="([\d.]+)"')


@attrs.frozen(eq=False)
class _Shown:
    """A figure as an image, its size in mm or px, and the sizes of its letters in it."""

    image: QImage
    wide: float
    high: float
    letters: tuple[float, float] | None  # pt; the smallest and the largest, of a figure that is set for print
    boxes: str  # letters that have no outline


class _Painter(QObject):
    """Draws one figure on a thread. It outlives a dialog that is closed meanwhile. Signals: ended(_Shown, or an error)."""

    ended = Signal(object)

    def paint(self, job: Export, room: QSize) -> None:
        outcome: object
        try:
            outcome = _shown(job, room)
        except Exception as error:  # The GUI thread tells a user's error from a bug.
            outcome = error
        if isValid(self):  # The program may have ended meanwhile; it waits for this thread, since Qt is drawing in it.
            self.ended.emit(outcome)
            self.deleteLater()


def _shown(job: Export, room: QSize) -> _Shown:
    """The figure of an Export, as large as the room (px) allows. Raises ExplorerError."""
    svg = job.preview()
    size = raster.size_px(svg)
    scale = min(room.width() / size.width(), room.height() / size.height())
    image = raster.image(outlined(svg) if job.outlines else svg, scale * SVG_DPI)
    boxes = lacking(svg) if job.outlines else ""
    set_for = job.set_for
    if set_for is None or set_for.grows:
        return _Shown(image, size.width(), size.height(), None, boxes)
    sizes = [float(each) * set_for.font_pt / LABEL for each in _LETTERS.findall(svg)]
    mm = raster.INCH_MM / SVG_DPI
    return _Shown(image, size.width() * mm, size.height() * mm, (min(sizes), max(sizes)) if sizes else None, boxes)


class ExportPreview(QWidget):
    """The figure and a line about its size. Signals: broke(error) for a bug while it is drawn; drawn() when it has changed."""

    broke = Signal(object)
    drawn = Signal()

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._waiting: Export | None = None
        self._job: Export | None = None  # the one that is shown or under way
        self._busy = False
        self.shown: _Shown | None = None
        # Begun at once, the thread would take Python's lock from a dialog that is still being made.
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._begin)
        self.sheet, self.about = _Sheet(), QLabel()
        self.about.setObjectName("faint")
        self.about.setWordWrap(True)
        self.about.setMinimumHeight(3 * self.about.fontMetrics().height())  # A sentence that comes does not move the figure.
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        filled(QVBoxLayout(self), (self.sheet, 1), self.about, margins_px=(0, 0, 0, 0))
        self.sheet.setAccessibleName(words("export.preview"))

    @property
    def settled(self) -> bool:
        """Whether what was asked for last is shown."""
        return not self._busy

    def ask(self, job: Export | None) -> None:
        """Show the figure of an Export as soon as it is drawn; None for what is no figure."""
        self._job = self._waiting = job
        if job is None:
            self._show(None, self._words("export.no_preview"))
        elif not self._busy:
            self._busy = True
            self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._job is not None:
            self.ask(self._job)

    def _begin(self) -> None:
        job, self._waiting = self._waiting, None
        self._busy = job is not None
        if job is None:
            return
        painter = _Painter(QApplication.instance())  # The application owns it, since the dialog may be closed first.
        painter.ended.connect(self._ended)
        room = self.sheet.room() * self.devicePixelRatioF()
        threading.Thread(target=painter.paint, name=THREAD, args=(job, room)).start()

    def _ended(self, outcome: object) -> None:
        self._busy = False
        if self._job is None or self._waiting is not None:
            self._begin()  # Something else is wanted by now.
        elif isinstance(outcome, _Shown):
            self._show(outcome, self._told(outcome))
        elif isinstance(outcome, ExplorerError):
            self.about.setText(self._words.error(outcome))
            self.sheet.dim()
            self.drawn.emit()
        else:
            self.broke.emit(outcome)

    def _show(self, shown: _Shown | None, told: str) -> None:
        self.shown = shown
        self.sheet.put(None if shown is None else shown.image)
        self.about.setText(told)
        self.drawn.emit()

    def _told(self, shown: _Shown) -> str:
        told = self._size(shown)
        return f"{told}\n{self._words('export.boxes', letters=shown.boxes)}" if shown.boxes else told

    def _size(self, shown: _Shown) -> str:
        if self._job is None or self._job.set_for is None or self._job.set_for.grows:
            dpi = SVG_DPI if self._job is None else self._job.dots_per_inch(shown.wide)
            sides = (max(1, round(side * dpi / SVG_DPI)) for side in (shown.wide, shown.high))
            return self._words("export.size_px", **dict(zip(("wide", "high"), sides, strict=True)), dpi=round(dpi))
        told = self._words("export.size_mm", wide=f"{shown.wide:.4g}", high=f"{shown.high:.0f}")
        if shown.letters is None:
            return told
        low, high = (f"{each:.3g}" for each in shown.letters)
        return f"{told} · {self._words('export.letters_pt', low=low, high=high)}"


class _Sheet(QWidget):
    """The image in the middle of the room, dimmed while it is not what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._dimmed = False
        self.setMinimumSize(_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def room(self) -> QSize:
        return self.size() - QSize(2, 2)

    def put(self, image: QImage | None) -> None:
        self._image, self._dimmed = image, False
        self.update()

    def dim(self) -> None:
        self._dimmed = True
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image is None:
            return
        size = self._image.size().scaled(self.room(), Qt.AspectRatioMode.KeepAspectRatio)
        corner = self.rect().center() - QRect(0, 0, size.width(), size.height()).center()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setOpacity(0.35 if self._dimmed else 1.0)
            painter.drawImage(QRect(corner, size), self._image)
            painter.setPen(self.palette().mid().color())
            painter.drawRect(QRect(corner, size).adjusted(-1, -1, 0, 0))
