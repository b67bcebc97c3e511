"""The Viewport: the visible part of a map, in cells. Zooming and panning give a new value."""

import attrs

_SMALLEST = 2.0  # cells across at the largest zoom


@attrs.frozen
class Viewport:
    """The visible rectangle [left, right) × [top, bottom) of a map of `columns` × `rows` cells."""

    columns: int
    rows: int
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def whole(cls, columns: int, rows: int) -> "Viewport":
        return cls(columns, rows, 0.0, 0.0, float(columns), float(rows))

    @property
    def is_whole(self) -> bool:
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
