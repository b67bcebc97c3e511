"""The pencil: dragged over the cells of an attention head, it closes them; with Shift their rows look at them alone.

The pass is made anew while the pen is down, and a stroke is one step of undo.
"""

import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from explorer.state.change_intents import AddChanges
from explorer.state.offers import ChangePlace
from explorer.trace.changes import Change

_FULL = 1.0  # the weight that Shift gives a cell; the other keys of its row are left none


class Pencil:
    """Draws on a view of one head's map.

    `place_of` gives the place of a cell of the view, and `open_keys` the keys that a row of it still sees.
    """

    def __init__(
        self,
        view: QWidget,
        wish: Callable[[AddChanges], None],
        place_of: Callable[[int, int], ChangePlace | None],
        open_keys: Callable[[int], frozenset[int]],
    ) -> None:
        self.on = False
        self._view, self._wish, self._place_of, self._open_keys = view, wish, place_of, open_keys
        self._stroke = 0  # 0 while the pen is up
        self._drawn: set[tuple[int, int]] = set()
        self._last: tuple[float, float] | None = None  # row and column, with fractions, where the pen was last

    def set_on(self, on: bool) -> None:
        """Take the pencil into the hand, or lay it down."""
        self.on = on
        self.lift()
        self._view.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    @property
    def is_down(self) -> bool:
        """Whether a stroke is being drawn."""
        return self._stroke > 0

    def put_down(self) -> None:
        """Begin a stroke."""
        self._stroke = time.monotonic_ns()  # No two strokes have the same number, in whichever view.
        self._drawn, self._last = set(), None

    def lift(self) -> None:
        """End the stroke."""
        self._stroke = 0

    def move_to(self, row: float, column: float, *, sets: bool) -> bool:
        """Draw all cells on the way to a place, because a fast pen skips some; returns False where one of them must stay."""
        from_row, from_column = self._last or (row, column)
        self._last = row, column
        n_steps = 1 + int(2 * max(abs(row - from_row), abs(column - from_column)))
        shares = [step / n_steps for step in range(1, n_steps + 1)]
        way = [
            (int(from_row + share * (row - from_row)), int(from_column + share * (column - from_column))) for share in shares
        ]
        drawn = [self.draw(*each, sets=sets) for each in dict.fromkeys(way)]
        return all(drawn)

    def draw(self, row: int, column: int, *, sets: bool) -> bool:
        """Draw a cell; returns False where it must stay, because no other key would be left in its row."""
        place = self._place_of(row, column)
        cell = None if place is None else place.cell
        if cell is None or (row, column) in self._drawn:
            return True
        if sets:
            change = Change(cell.tap("weights"), "set", head=cell.head, rows=(cell.query,), columns=(cell.key,), value=_FULL)
        else:
            drawn_here = {each for line, each in self._drawn if line == row}
            if not self._open_keys(row) - drawn_here - {column}:
                return False
            change = Change(cell.tap("masked"), "close", head=cell.head, rows=(cell.query,), columns=(cell.key,))
        self._drawn.add((row, column))
        self._wish(AddChanges((change,), self._stroke))
        return True
