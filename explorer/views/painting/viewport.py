"""Which part of a map is seen, in cells. Pure numbers; zoom, pan and fit give a new one."""

import attrs

_SMALLEST = 2.0  # cells: closer than this there is nothing more to see


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
        """Show 1/factor of what is seen; the cell at (x, y) stays where it is."""
        left, right = _around(x, self.left, self.right, factor, self.columns)
        top, bottom = _around(y, self.top, self.bottom, factor, self.rows)
        return attrs.evolve(self, left=left, right=right, top=top, bottom=bottom)

    def moved(self, dx: float, dy: float) -> "Viewport":
        """Move by so many cells, and not beyond the border."""
        dx = min(max(dx, -self.left), self.columns - self.right)
        dy = min(max(dy, -self.top), self.rows - self.bottom)
        return attrs.evolve(self, left=self.left + dx, right=self.right + dx, top=self.top + dy, bottom=self.bottom + dy)


def _around(at: float, low: float, high: float, factor: float, size: int) -> tuple[float, float]:
    span = min(max((high - low) / factor, min(_SMALLEST, size)), float(size))
    share = (at - low) / (high - low)
    start = min(max(at - share * span, 0.0), size - span)
    return start, start + span
