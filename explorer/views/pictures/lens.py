"""Draws a LensMap: the likeliest word of each layer at each position, and the ten words of one cell below.

Keys: the arrows walk the cells, Home and End go to the ends of a row, Enter looks at the position.
"""

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.figure.kinds import in_words
from explorer.picture.layout.lens_map import Grid, first_shown, grid, lens_map, told_cell
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import probability, unmarked
from explorer.picture.theme import Theme
from explorer.views.painting.marks import paint_marks
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.surface import Surface

_NOTCH = 120  # the angle of one notch of the wheel, in eighths of a degree


class LensView(Surface):
    """Shows a LensMap. Signals: stepped(position) for the position to look at."""

    draws_in_px = True

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.picture: LensMap | None = None
        self.cell = (0, 0)  # row and position whose words stand below
        self.here: tuple[int, int] | None = None  # the cell under the mouse
        self._first = 0
        self._grid: Grid | None = None
        self.sketch: Sketch | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 160)

    def draw(self, picture: LensMap, words: Words) -> None:
        before, self.picture, self.words = self.picture, picture, words
        n_rows, n_positions = picture.lens.ids.shape[:2]
        moved = before is None or before.chosen != picture.chosen or before.lens.ids.shape != picture.lens.ids.shape
        if moved:
            same_rows = before is not None and before.lens.ids.shape[0] == n_rows
            self.cell = (self.cell[0] if same_rows else n_rows - 1, picture.chosen)
        self.here = None if self.here is not None and self.here[1] >= n_positions else self.here
        self.setAccessibleDescription(f"{in_words(picture, words)}\n{words('lens.keys_hint')}")
        self._place(reveal=moved)
        self.tell_again(NOTHING if self.here is None else self.describe(*self.here))

    def enlarge_letters(self, times: float) -> None:
        super().enlarge_letters(times)
        self._place()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._place()

    def _area(self) -> Rect:
        return Rect(0, 0, self.wide, self.high)

    def _place(self, *, reveal: bool = False) -> None:
        """Make the marks. `reveal` scrolls to the chosen position."""
        self.sketch = self._grid = None
        if self.picture is not None and self.words is not None:
            made = Sketch(self.theme, self.theme.signed_colours, self.measure)
            if reveal:
                self._first = first_shown(made, self.picture, self._area(), self._first)
            self._first = grid(made, self.picture, self._area(), self._first).first
            shown = self.cell if self.here is None else self.here
            self._grid, self.sketch = lens_map(made, self.picture, self.words, self._area(), self._first, shown), made
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(reveal=True)

    def cell_area(self, row: int, position: int) -> Rect:
        """The rectangle of a cell (px)."""
        assert self._grid is not None  # Callers have a picture.
        return self._grid.cell(row, position)

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.sketch is not None:
            paint_marks(painter, self.sketch.marks, self.theme)
        self.paint_focus(painter)

    def describe(self, row: int, position: int) -> Pointed:
        """A cell's ten words with their probabilities, and the place of the written word."""
        picture, words = self.picture, self.words
        if picture is None or words is None:
            return NOTHING
        lens = picture.lens
        best = zip(lens.ids[row, position].tolist(), lens.probabilities[row, position].tolist(), strict=True)
        lines = [f"{rank}. {unmarked(lens.names[symbol])}  {probability(p)}" for rank, (symbol, p) in enumerate(best, 1)]
        about = f"{told_cell(picture, words, row, position)}\n{lens.taps[row]}[{position}]"
        last = words("lens.exact" if row == len(lens.taps) - 1 else "lens.heuristic")
        text = "\n".join((about, *lines, *self._measured(row), last))
        return Pointed(text, frozenset({("target", position)}), about)

    def _measured(self, row: int) -> list[str]:
        """What was measured of this row on held-out sentences, of both lenses."""
        picture, words = self.picture, self.words
        if picture is None or words is None or picture.agreement is None:
            return []
        plain, carried = (picture.agreement.shares(jacobian=jacobian)[row] for jacobian in (False, True))
        return [words("lens.measured_row", lens=f"{plain:.1%}", jacobian=f"{carried:.1%}", row=picture.rows[row])]

    def _over(self, place: QPointF) -> tuple[int, int] | None:
        return None if self._grid is None else self._grid.at(place.x(), place.y())

    def _point(self, cell: tuple[int, int] | None) -> None:
        if cell != self.here:
            self.here = cell
            self._place()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._over(self.at(event)))
        self.setCursor(Qt.CursorShape.ArrowCursor if self.here is None else Qt.CursorShape.PointingHandCursor)
        self.tell(event.globalPosition().toPoint(), NOTHING if self.here is None else self.describe(*self.here))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._over(self.at(event))
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self._choose(cell)

    def _choose(self, cell: tuple[int, int]) -> None:
        """Keep a cell's words below, and look at its position."""
        self.cell = cell
        self._place()
        self.pointed.emit(self.describe(*cell))
        if self.picture is not None and cell[1] != self.picture.chosen:
            self.stepped.emit(cell[1])

    def _walk(self, cell: tuple[int, int]) -> None:
        """Choose a cell by keys, which is told."""
        self._choose(cell)
        self.tell_by_keys(self.describe(*cell))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll through positions that have no room."""
        turned = event.angleDelta().x() or event.angleDelta().y()
        scrolls = self._grid is not None and self.picture is not None and self._grid.n_columns < len(self.picture.lens.written)
        if not scrolls or self.wheel_is_the_pages(event):
            super().wheelEvent(event)
            return
        self._first -= round(turned / _NOTCH) or (1 if turned < 0 else -1)
        self._place()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None:
            super().keyPressEvent(event)
            return
        n_rows, n_positions = self.picture.lens.ids.shape[:2]
        row, position = self.cell
        match event.key():
            case Qt.Key.Key_Up:
                row -= 1
            case Qt.Key.Key_Down:
                row += 1
            case Qt.Key.Key_Left:
                position -= 1
            case Qt.Key.Key_Right:
                position += 1
            case Qt.Key.Key_Home:
                position = 0
            case Qt.Key.Key_End:
                position = n_positions - 1
            case _:
                super().keyPressEvent(event)
                return
        self.here = None
        self._walk((min(max(row, 0), n_rows - 1), min(max(position, 0), n_positions - 1)))

    def left(self) -> None:
        self._point(None)
