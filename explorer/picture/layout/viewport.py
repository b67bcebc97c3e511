"""The visible part of a map, in cells (Viewport), and where its cells stand on a page (CellField)."""

import attrs

from explorer.picture.marks import Rect

_SMALLEST = 2.0  # cells across at the largest zoom


@attrs.frozen
class Viewport:
    """The visible rectangle [left, right) × [top, bottom) of a map of `columns` × `rows` cells.

    Zooming and panning give a new value.
    """

    columns: int
    rows: int
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def whole(cls, columns: int, rows: int) -> "Viewport":
        """All cells of a map."""
        return cls(columns, rows, 0.0, 0.0, float(columns), float(rows))

    @property
    def is_whole(self) -> bool:
        """Whether all cells are visible."""
        return self == Viewport.whole(self.columns, self.rows)

    def zoomed(self, x: float, y: float, factor: float) -> "Viewport":
        """The viewport after zooming by a factor around the cell (x, y)."""
        left, right = _around(x, self.left, self.right, factor, self.columns)
        top, bottom = _around(y, self.top, self.bottom, factor, self.rows)
        return attrs.evolve(self, left=left, right=right, top=top, bottom=bottom)

    def moved(self, dx: float, dy: float) -> "Viewport":
        """The viewport after moving by (dx, dy) cells, limited to the map."""
        dx = min(max(dx, -self.left), self.columns - self.right)
        dy = min(max(dy, -self.top), self.rows - self.bottom)
        return attrs.evolve(self, left=self.left + dx, right=self.right + dx, top=self.top + dy, bottom=self.bottom + dy)


def _around(at: float, low: float, high: float, factor: float, size: int) -> tuple[float, float]:
    span = min(max((high - low) / factor, min(_SMALLEST, size)), float(size))
    share = (at - low) / (high - low)
    start = min(max(at - share * span, 0.0), size - span)
    return start, start + span


@attrs.frozen
class CellField:
    """The rectangle (px) that the visible cells of a map fill."""

    rect: Rect
    view: Viewport

    @classmethod
    def whole(cls, rect: Rect, rows: int, columns: int) -> "CellField":
        """The field of a map of which all cells are visible."""
        return cls(rect, Viewport.whole(columns, rows))

    @property
    def wide(self) -> float:
        """The width of a cell (px)."""
        return self.rect.wide / (self.view.right - self.view.left)

    @property
    def high(self) -> float:
        """The height of a cell (px)."""
        return self.rect.high / (self.view.bottom - self.view.top)

    def x(self, column: float) -> float:
        """The left edge of a column (px)."""
        return self.rect.x + (column - self.view.left) * self.wide

    def y(self, row: float) -> float:
        """The upper edge of a row (px)."""
        return self.rect.y + (row - self.view.top) * self.high

    def cells(self, row: float, column: float, rows: float = 1, columns: float = 1) -> Rect:
        """The rectangle of a cell or of a block of cells (px)."""
        return Rect(self.x(column), self.y(row), columns * self.wide, rows * self.high)
