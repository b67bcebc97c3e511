"""A sheet of any size behind a window that zooms and pans over it. Pure geometry; the widget says when to paint."""

from PySide6.QtCore import QPointF, QRectF, QSizeF

_BORDER = 8.0  # px around what is shown
_READABLE = 0.7  # where a whole sheet would be smaller, its beginning is shown instead
_FIRST = 0.9
_SMALLEST, _LARGEST = 0.05, 4.0


class PanZoom:
    """`zoom` is how many pixels of the screen a pixel of the sheet takes; `shift` where the sheet begins on the screen."""

    def __init__(self) -> None:
        self.zoom = 1.0
        self.shift = QPointF(_BORDER, _BORDER)
        self._sheet = QSizeF(1, 1)
        self._window = QSizeF(1, 1)
        self._at_home = True  # the user has not moved it yet

    def hold(self, width: float, height: float) -> None:
        """A sheet of another size."""
        self._sheet = QSizeF(max(1.0, width), max(1.0, height))
        self._settle()

    def resize(self, width: float, height: float) -> None:
        """A window of another size."""
        self._window = QSizeF(width, height)
        self._settle()

    def home(self) -> None:
        """Everything if it can be read, else the beginning."""
        whole = self._whole()
        self.zoom = whole if whole >= _READABLE else _FIRST
        self.shift = QPointF(_BORDER, _BORDER)
        self._at_home = True
        self._keep_in()

    def stay(self) -> None:
        """Do not go home by itself when the sheet or the window changes."""
        self._at_home = False

    def fit(self) -> None:
        """Everything, however small."""
        self.zoom = self._whole()
        self.shift = QPointF(_BORDER, _BORDER)
        self._at_home = False

    def zoom_at(self, place: QPointF, factor: float) -> None:
        """Larger or smaller; what is at a place of the screen stays there."""
        at = self.under(place)
        self.zoom = min(max(self.zoom * factor, min(_SMALLEST, self._whole())), _LARGEST)
        self.shift = place - at * self.zoom
        self._at_home = False
        self._keep_in()

    def move(self, step: QPointF) -> None:
        """Pan, and not beyond the border."""
        if not step.isNull():
            self.shift += step
            self._at_home = False
            self._keep_in()

    def reveal(self, part: QRectF) -> None:
        """Pan as little as brings a part of the screen into the window."""

        def step(start: float, end: float, window: float) -> float:
            back = min(0.0, window - _BORDER - end)
            return max(back, _BORDER - start) if start + back < _BORDER else back

        self.move(
            QPointF(
                step(part.left(), part.right(), self._window.width()), step(part.top(), part.bottom(), self._window.height())
            )
        )

    def on_screen(self, part: QRectF) -> QRectF:
        """The pixels of a part of the sheet."""
        return QRectF(part.topLeft() * self.zoom + self.shift, part.size() * self.zoom)

    def under(self, place: QPointF) -> QPointF:
        """The place of the sheet under a pixel."""
        return (place - self.shift) * (1 / self.zoom)

    def seen(self) -> QRectF:
        """The part of the sheet in the window."""
        return QRectF(self.under(QPointF(0, 0)), self._window * (1 / self.zoom))

    def bars(self) -> list[QRectF]:
        """Where thin bars show how far along the window is; none for a direction in which everything is seen."""
        seen, made = self.seen(), []
        wide, high = self._window.width(), self._window.height()
        if seen.width() < self._sheet.width():
            start, end = (min(max(x / self._sheet.width(), 0.0), 1.0) for x in (seen.left(), seen.right()))
            made.append(QRectF(start * wide, high - 3, (end - start) * wide, 3))
        if seen.height() < self._sheet.height():
            start, end = (min(max(y / self._sheet.height(), 0.0), 1.0) for y in (seen.top(), seen.bottom()))
            made.append(QRectF(wide - 3, start * high, 3, (end - start) * high))
        return made

    def _whole(self) -> float:
        across = (self._window.width() - 2 * _BORDER) / self._sheet.width()
        down = (self._window.height() - 2 * _BORDER) / self._sheet.height()
        return max(0.01, min(1.0, across, down))

    def _settle(self) -> None:
        if self._at_home:
            self.home()
        else:
            self._keep_in()

    def _keep_in(self) -> None:
        """What has room stands at the left and the top; what has none does not leave a gap."""

        def kept(shift: float, sheet: float, window: float) -> float:
            return min(_BORDER, max(shift, min(_BORDER, window - _BORDER - sheet * self.zoom)))

        self.shift = QPointF(
            kept(self.shift.x(), self._sheet.width(), self._window.width()),
            kept(self.shift.y(), self._sheet.height(), self._window.height()),
        )
