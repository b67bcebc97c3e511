"""The names of curves beside their right ends, each in the colour of its curve with a line to its end."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.picture.layout.curve_names import name_places
from explorer.picture.theme import LIGHT, Theme
from explorer.views.painting.labels import advance

_LETTER_PX, _GAP_PX, _LINE_PX, _LEAST_LINE_PX = 12, 15, 18, 13  # of letters, of the line to a name, and from name to name


class CurveNames(QWidget):
    """Paints the names; `place` says where the curves end."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.names: tuple[str, ...] = ()
        self.rows: list[float] = []  # the height (px) of each name
        self._ends: list[float] = []
        self._colours: tuple[str, ...] = ()
        self._main: int | None = None
        self._theme = LIGHT

    def put(self, names: Sequence[str], colours: Sequence[str], main: int | None, theme: Theme) -> None:
        """These names in these colours; that of the `main` curve in bold letters."""
        self.names, self._colours, self._main, self._theme = tuple(names), tuple(colours), main, theme
        widest = max((advance(self._font(index), name) for index, name in enumerate(names)), default=0)
        self.setFixedWidth(_LINE_PX + 6 + int(widest))
        self.update()

    def place(self, ends: Sequence[float], bottom: float) -> None:
        """The curves end at these heights (px); no name stands below `bottom`."""
        half = _GAP_PX / 2
        self._ends = [min(max(end, 0.0), bottom) for end in ends]
        self.rows = name_places(self._ends, _GAP_PX, half, max(half, bottom))
        self.update()

    def least_px(self) -> int:
        """The height (px) below which names would lie over one another."""
        return _LEAST_LINE_PX * len(self.names)

    def _font(self, index: int) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(_LETTER_PX)
        font.setBold(index == self._main)
        return font

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.card))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, (name, end, row) in enumerate(zip(self.names, self._ends, self.rows, strict=False)):
            painter.setPen(QPen(QColor(self._colours[index]), 2.0 if index == self._main else 1.2))
            painter.drawLine(QPointF(0, end), QPointF(_LINE_PX - 6, row))
            painter.drawLine(QPointF(_LINE_PX - 6, row), QPointF(_LINE_PX, row))
            painter.setPen(QColor(self._theme.text if index == self._main else self._theme.faint))
            painter.setFont(self._font(index))
            room = QRectF(_LINE_PX + 4, row - _GAP_PX / 2, self.width(), _GAP_PX)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        painter.end()
