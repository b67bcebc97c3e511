"""Zooming and panning of a sheet of any size behind a window. This is pure geometry; the widget paints."""

from PySide6.QtCore import QPointF, QRectF, QSizeF

_BORDER = 8.0  # px around the sheet
_READABLE = 0.7  # the smallest zoom at which the whole sheet is shown at first
_FIRST = 0.9  # the first zoom of a sheet that is too large for that
_SMALLEST, _LARGEST = 0.05, 4.0  # zoom


class PanZoom:
    """The view of a sheet: `zoom` is screen px per sheet px, `shift` the sheet's origin on the screen (px)."""

    def __init__(self) -> None:
        self.zoom = 1.0
        self.shift = QPointF(_BORDER, _BORDER)
        self._sheet = QSizeF(1, 1)
        self._window = QSizeF(1, 1)
        self._at_home = True  # The user has not moved the sheet yet.

    def hold(self, width: float, height: float) -> None:
        """Take a sheet of this size (px)."""
        self._sheet = QSizeF(max(1.0, width), max(1.0, height))
        self._settle()

    def resize(self, width: float, height: float) -> None:
        """Take a window of this size (px)."""
        self._window = QSizeF(width, height)
        self._settle()

    def home(self) -> None:
        """Show the whole sheet if it is readable then, otherwise its beginning."""
        whole = self._whole()
        self.zoom = whole if whole >= _READABLE else _FIRST
        self.shift = QPointF(_BORDER, _BORDER)
        self._at_home = True
        self._keep_in()

    def stay(self) -> None:
        """Keep the view when the sheet or the window changes its size."""
        self._at_home = False

    def fit(self) -> None:
        """Show the whole sheet, however small."""
        self.zoom = self._whole()
        self.shift = QPointF(_BORDER, _BORDER)
        self._at_home = False

    def zoom_at(self, place: QPointF, factor: float) -> None:
        """Zoom around a point of the screen."""
        at = self.under(place)
        self.zoom = min(max(self.zoom * factor, min(_SMALLEST, self._whole())), _LARGEST)
        self.shift = place - at * self.zoom
        self._at_home = False
        self._keep_in()

    def move(self, step: QPointF) -> None:
        """Pan by `step` (px), but not beyond the border."""
        if not step.isNull():
            self.shift += step
            self._at_home = False
            self._keep_in()

    def reveal(self, part: QRectF) -> None:
        """Pan as little as needed to bring a rectangle (screen px) into the window."""

        def step(start: float, end: float, window: float) -> float:
            back = min(0.0, window - _BORDER - end)
            return max(back, _BORDER - start) if start + back < _BORDER else back

        self.move(
            QPointF(
                step(part.left(), part.right(), self._window.width()), step(part.top(), part.bottom(), self._window.height())
            )
        )

    def on_screen(self, part: QRectF) -> QRectF:
        """The rectangle on the screen (px) of a part of the sheet."""
        return QRectF(part.topLeft() * self.zoom + self.shift, part.size() * self.zoom)

    def under(self, place: QPointF) -> QPointF:
        """The point of the sheet under a point of the screen."""
        return (place - self.shift) * (1 / self.zoom)

    def seen(self) -> QRectF:
        """The part of the sheet that the window shows."""
        return QRectF(self.under(QPointF(0, 0)), self._window * (1 / self.zoom))

    def bars(self) -> list[QRectF]:
        """Thin scroll bars (screen px), one for each direction in which the window shows only a part."""
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
        """Limit the shift: a sheet that fits stands at the left and top, a larger one leaves no gap."""

        def kept(shift: float, sheet: float, window: float) -> float:
            return min(_BORDER, max(shift, min(_BORDER, window - _BORDER - sheet * self.zoom)))

        self.shift = QPointF(
            kept(self.shift.x(), self._sheet.width(), self._window.width()),
            kept(self.shift.y(), self._sheet.height(), self._window.height()),
        )
