"""Paints the visible parts of maps with too many cells for one image, and keeps what it has painted for the next time."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from explorer.picture.layout.cells import VisibleArea, VisiblePart, part
from explorer.picture.layout.viewport import CellField
from explorer.picture.scales import Scale
from explorer.picture.theme import Theme
from explorer.trace.levels import Levels
from explorer.views.painting.marks import qrect
from explorer.views.painting.paint import colour_image

_KEPT_CELLS = 2**22  # cells of painted parts that are kept: a few screens


class MapParts:
    """The last painted parts of the large maps of one view."""

    def __init__(self) -> None:
        self._kept: dict[object, tuple[VisiblePart, QImage]] = {}

    def forget(self) -> None:
        """Keep none of them: the maps have other cells or other colours."""
        self._kept.clear()

    def paint(
        self, painter: QPainter, field: CellField, levels: Levels, scale: Scale, theme: Theme, top: float, left: float
    ) -> None:
        """Paint the visible part of a map whose first cell stands at (top, left) of the field."""
        n_rows, n_columns = levels.shape
        seen = field.view
        from_row, to_row = max(0.0, seen.top - top), min(float(n_rows), seen.bottom - top)
        from_column, to_column = max(0.0, seen.left - left), min(float(n_columns), seen.right - left)
        if from_row >= to_row or from_column >= to_column:
            return
        wide, high = (to_column - from_column) * field.wide, (to_row - from_row) * field.high
        view = VisibleArea(from_column, from_row, to_column, to_row, wide, high)
        made, image = self._made(levels, scale, theme, view, top, left)
        _paint(painter, field, made, image, top, left)

    def paint_heads(
        self, painter: QPainter, field: CellField, levels: Levels, scale: Scale, theme: Theme, corners: list[tuple[int, int]]
    ) -> None:
        """Paint the whole [head, row, column] maps whose first cells stand at these rows and columns of the field.

        Their colours are made together: by themselves, 144 small maps took three times as long.
        """
        n_rows, n_columns = levels.shape
        view = VisibleArea(0.0, 0.0, float(n_columns), float(n_rows), n_columns * field.wide, n_rows * field.high)
        made, image = self._made(levels, scale, theme, view)
        for head, (top, left) in enumerate(corners):
            _paint(painter, field, made, image, top, left, head * made.index.shape[-2])

    def _made(
        self, levels: Levels, scale: Scale, theme: Theme, view: VisibleArea, top: float = 0, left: float = 0
    ) -> tuple[VisiblePart, QImage]:
        """The visible part of a map, or of the maps of several heads, and its image; a kept one if there is one."""
        key = (id(levels.arrays[0]), top, left, view)  # All heads of one layer have one array.
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        made = part(levels, scale, view)
        together = made.index.reshape(-1, made.index.shape[-1])  # [head · row, column]
        if sum(each.index.size for each, _image in self._kept.values()) + made.index.size > _KEPT_CELLS:
            self._kept.clear()
        self._kept[key] = made, colour_image(together, scale.colours, theme)
        return self._kept[key]


def _paint(
    painter: QPainter, field: CellField, made: VisiblePart, image: QImage, top: float, left: float, first: int = 0
) -> None:
    """Paint a part whose map begins at (top, left) of the field; its rows begin at row `first` of the image."""
    target = field.cells(top + made.top, left + made.left, made.bottom - made.top, made.right - made.left)
    # A map's last block may be smaller than the others; then only a part of its pixel is drawn.
    source = QRectF(0, first, (made.right - made.left) / made.across, (made.bottom - made.top) / made.down)
    painter.drawImage(qrect(target), image, source)
