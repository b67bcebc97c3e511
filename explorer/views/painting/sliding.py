"""Motion of a picture whose columns have moved: the new picture, stretched from where its columns were to where they are.

Numbers and colours are the new ones from the first frame on; only places move. It is off where pictures may not move.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEasingCurve, QObject, QRectF, QVariantAnimation
from PySide6.QtGui import QImage, QPainter

from explorer.views.painting.motion import may_move

_DURATION_MS = 220


class Sliding(QObject):
    """Runs from old edges to new ones (px from the left), and asks for a repaint at each frame.

    It belongs to the view that it repaints, and ends with it: a window may be closed while columns are on their way.
    """

    def __init__(self, repaint: Callable[[], None], view: QObject | None = None) -> None:
        super().__init__(view)
        self._old: tuple[float, ...] = ()
        self._new: tuple[float, ...] = ()
        self._run = QVariantAnimation(self)
        self._run.setDuration(_DURATION_MS)
        self._run.setStartValue(0.0)
        self._run.setEndValue(1.0)
        self._run.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._repaint = repaint
        self._run.valueChanged.connect(self._changed)
        self._run.finished.connect(self._changed)

    @property
    def runs(self) -> bool:
        """Whether it is on its way."""
        return self._run.state() == QVariantAnimation.State.Running

    def start(self, old: Sequence[float], new: Sequence[float]) -> None:
        """Begin, if there is something to move and pictures may move. Both have as many edges, in order."""
        self.end()
        if len(old) == len(new) and tuple(old) != tuple(new) and may_move():
            self._old, self._new = tuple(old), tuple(new)
            self._run.start()

    def end(self) -> None:
        """Jump to the end."""
        if self.runs:
            self._run.stop()

    def paint(self, painter: QPainter, picture: QImage) -> None:
        """Paint the new picture with its edges on their way."""
        share, ratio, height = float(self._run.currentValue()), picture.devicePixelRatio(), picture.height()
        now = [old + (new - old) * share for old, new in zip(self._old, self._new, strict=True)]
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for place in range(len(now) - 1):
            left, right = now[place], now[place + 1]
            source = QRectF(self._new[place] * ratio, 0, (self._new[place + 1] - self._new[place]) * ratio, height)
            if right - left > 0.5 and source.width() > 0:
                painter.drawImage(QRectF(left, 0, right - left, height / ratio), picture, source)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)

    def _changed(self) -> None:
        self._repaint()
