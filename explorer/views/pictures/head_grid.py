"""Draws a HeadGrid: the wall of all heads of all layers as one image, with the chosen head outlined.

Arrow keys choose the next head; with Shift they move the cursor from cell to cell within the chosen one.
The wall is folded so that its thumbnails use the view: see `picture.layout.atlas`. On a sorted wall, arrow keys go
through the thumbnails as they stand.
"""

import itertools

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent

from explorer.lang import Words
from explorer.picture.cell_text import changeable_on_wall, followable_on_wall, grid_cell, grid_tip
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import HeadGrid, LargeWall
from explorer.picture.layout.atlas import PLAIN, Atlas, Fold, atlas, best_fold, places
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.layout.wall import draw_beside_wall, draw_over_wall, visible, wall_margins, wall_stretch
from explorer.picture.scales import NOT_A_NUMBER
from explorer.state.offers import ChangePlace
from explorer.trace.tap_names import Cell
from explorer.views.painting.cell_cursor import arrow
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.painting.spoken import say
from explorer.views.painting.walked_canvas import WalkedCanvas

_MOST_REVEALED = 6  # heads; with more of them in sight, a block is hardly larger than a pixel
_BLOCK_PX = 1.5  # px, the size from which blocks are replaced by single cells


class HeadGridView(WalkedCanvas):
    """Shows a HeadGrid. Signals: chosen(layer, head) on a click and by the arrow keys; wanted(list) as noted below."""

    chosen = Signal(int, int)
    wanted = Signal(list)  # (layer, head) of thumbnails zoomed in so far that their single cells are needed

    def __init__(self) -> None:
        super().__init__()
        self.square = True
        self.picture: HeadGrid | None = None
        self.atlas: Atlas | None = None
        self._unknown = False  # whether a cell is not a number, without being closed
        self._fold: Fold = PLAIN
        self._folded_for: tuple[object, ...] = ()  # the shapes of wall and view that the fold was chosen for
        self.moved.connect(self._reveal)

    def draw(self, picture: HeadGrid, words: Words) -> None:
        self.picture, self.words = picture, words
        self.stretch = wall_stretch(picture.shape)
        self._choose_fold(picture)
        self._lay(picture)
        self.tell_reader(in_words(picture, words))

    def _choose_fold(self, picture: HeadGrid) -> bool:
        """Fold the wall for the view's present size; returns whether the fold is another one."""
        left, top, right, bottom = self.margins()
        room = max(8.0, self.width() - left - right), max(8.0, self.height() - top - bottom)
        asked = picture.values.shape[:2], picture.shape, room, picture.measured is not None, bool(picture.order)
        if asked == self._folded_for:
            return False
        self._folded_for, before = asked, self._fold
        self._fold = best_fold(picture, *room, self.stretch)
        return self._fold != before

    def _lay(self, picture: HeadGrid) -> None:
        """Lay out the thumbnails and show them."""
        if picture.large is None:
            self.atlas = atlas(picture, self._fold)
            self._unknown = bool((self.atlas.index == NOT_A_NUMBER).any())
            self.set_cells(self.atlas.index, picture.scale.colours)
        else:
            self.atlas = places(picture, self._fold)
            unknown = ~np.isfinite(picture.values)  # of blocks
            self._unknown = bool((unknown if picture.closed is None else unknown & ~picture.closed).any())
            self.set_size(self.atlas.height, self.atlas.width)
            self._reveal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.picture is not None and self._choose_fold(self.picture):
            self._lay(self.picture)

    def paint_cells(self, painter: QPainter, field: QRectF) -> None:
        if self.picture is None or self.picture.large is None or self.atlas is None:
            super().paint_cells(painter, field)
            return
        made, large = self.atlas, self.picture.large
        alone = []  # the thumbnails that are not painted together with all others of their layer
        for layer, heads in itertools.groupby(sorted(self._visible()), key=lambda place: place[0]):
            seen = [head for _layer, head in heads]
            corners = [made.corner(layer, head) for head in seen]
            if len(seen) == len(large.layers[layer].arrays[0]) > 1 and self._are_whole(large, layer, corners):
                self.paint_heads(painter, large.layers[layer], self.picture.scale, corners)
            else:
                alone += [(layer, head) for head in seen]
        for layer, head in alone:
            self.paint_part(painter, large.of(layer, head), self.picture.scale, *made.corner(layer, head))

    def _are_whole(self, large: LargeWall, layer: int, corners: list[tuple[int, int]]) -> bool:
        """Whether all maps of a layer are wholly in view, and none of them has single cells of its own."""
        (n_rows, n_columns), view = large.layers[layer].shape, self.view
        inside = all(
            view.top <= top and top + n_rows <= view.bottom and view.left <= left and left + n_columns <= view.right
            for top, left in corners
        )
        return inside and not any((layer, head) in large.close_ups for head in range(len(corners)))

    def _visible(self) -> list[tuple[int, int]]:
        """Layer and head of the visible thumbnails."""
        return [] if self.atlas is None else list(visible(self.atlas, self.cells))

    def _reveal(self) -> None:
        """Ask for the single cells of the visible heads where a block is clearly larger than a pixel."""
        if self.picture is None or self.picture.large is None:
            return
        large, seen = self.picture.large, self._visible()
        missing = [place for place in seen if not large.of(*place).whole]
        if missing and len(seen) <= _MOST_REVEALED and min(self.cell_size()) * large.layers[0].block > _BLOCK_PX:
            self.wanted.emit([(self.picture.layers[layer], head) for layer, head in missing])

    def margins(self) -> tuple[float, float, float, float]:
        return wall_margins(self.letters)

    def describe(self, row: int, column: int) -> Pointed:
        if self.picture is None or self.atlas is None or self.words is None:
            return NOTHING
        found = self.atlas.find(row, column)
        if found is None:
            return NOTHING
        layer, head, query, key = found
        tokens = self.picture.rows.spots(query) | self.picture.columns.spots(key)
        text = grid_cell(self.picture, layer, head, query, key, self.words)
        return Pointed(text, tokens, grid_tip(self.picture, layer, head, query, key, self.words))

    def cell_to_follow(self, row: int, column: int) -> Cell | None:
        found = self.atlas.find(row, column) if self.atlas is not None else None
        return None if found is None or self.picture is None else followable_on_wall(self.picture, *found)

    def place_to_change(self, row: int, column: int) -> ChangePlace | None:
        found = self.atlas.find(row, column) if self.atlas is not None else None
        return None if found is None or self.picture is None else changeable_on_wall(self.picture, *found)

    def cursor_field(self) -> tuple[int, int]:
        return (0, 0) if self.picture is None else self.picture.shape

    def moves_cursor(self, event: QKeyEvent) -> bool:
        chosen = None if self.picture is None else self.picture.chosen_place
        return chosen is not None and bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)

    def begins(self) -> tuple[int, int]:
        return 0, 0

    def under_cursor(self, row: int, column: int) -> tuple[int, int]:
        """The cell of the chosen head's thumbnail."""
        layer, head = (self.picture.chosen_place if self.picture is not None else None) or (0, 0)
        made = self.atlas
        top, left = (0, 0) if made is None else made.corner(layer, head)
        return top + row, left + column

    def clicked_at(self, row: int, column: int) -> None:
        found = self.atlas.find(row, column) if self.atlas is not None else None
        if found is not None:
            super().clicked_at(found[2], found[3])

    def chosen_at(self, row: int, column: int) -> None:
        found = self.atlas.find(row, column) if self.atlas is not None else None
        if found is not None and self.picture is not None:
            self.chosen.emit(self.picture.layers[found[0]], found[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = arrow(event)
        place = None if self.picture is None else self.picture.chosen_place
        if step is None or self.moves_cursor(event) or self.picture is None or place is None:
            super().keyPressEvent(event)
            return
        found = self._beside(self.picture, *place, step)
        if found is not None:
            self.chosen.emit(self.picture.layers[found[0]], found[1])
            self._say_head(*found)

    def _say_head(self, layer: int, head: int) -> None:
        """Name the head that keys have chosen."""
        if self.words is not None and self.picture is not None:
            named = f"{self.words('axis.layer')} {self.picture.layers[layer]} · {self.words('axis.head')} {head}"
            say(self, f"{named}\n{in_words(self.picture, self.words)}")

    def _beside(self, picture: HeadGrid, layer: int, head: int, step: tuple[int, int]) -> tuple[int, int] | None:
        """Layer and head one step from a thumbnail; on a sorted wall, a step to the side goes on in the next line."""
        layers, heads = picture.values.shape[:2]
        if picture.order and self.atlas is not None:
            place = self.atlas.ranks[layer * heads + head] + step[0] * self.atlas.per_line + step[1]
            return divmod(picture.order[place], heads) if 0 <= place < len(picture.order) else None
        layer, head = layer + step[0], head + step[1]
        return (layer, head) if 0 <= layer < layers and 0 <= head < heads else None

    def draw_over(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None and self.atlas is not None:
            draw_over_wall(sketch, self.picture, self.atlas, field, self.here, self.lit)

    def draw_around(self, sketch: Sketch, field: CellField) -> None:
        if self.picture is not None and self.atlas is not None and self.words is not None:
            wide, px = self.width(), self.letter_px
            draw_beside_wall(sketch, self.picture, self.atlas, self.words, field, wide, px, unknown=self._unknown)
