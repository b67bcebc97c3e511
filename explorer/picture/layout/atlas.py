"""All thumbnails of a HeadGrid in one image of colour indices, which is painted much faster than many images.

Layers run downward and heads to the right. Where a wall has another shape than its room, each layer's heads go on in
further lines, or several layers stand beside each other, so that the thumbnails grow. A wall that is sorted by a measure has
its heads one after the other, whatever their layer. Where lines and columns do not say whose a thumbnail is, and on a wall that
is measured, there is room for a label above each.
"""

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import HeadGrid
from explorer.picture.scales import GAP, indices

_WORTH = 1.7  # how many times the area of a thumbnail must grow before a wall is folded; the plain order is easier to read
_MOST_BESIDE = 4  # layers beside each other; the eye loses the order of more
_MOST_IN_LINE = 64  # heads of a sorted wall
LABEL_PX = 15.0  # px, the height of a label
_LABEL_WIDE_PX, _SHORT_LABEL_PX = 66.0, 44.0  # px, the room for "L0 H3 0.82" and, where layers are lines, "H3 0.82"
_NAME_PX, _MARK_PX = 6.0, 6.0  # px, the room around a name such as "L0 H3", and of each of its letters
_LEAST_LABEL_PX = 12.0  # px; a gap that became lower by rounding still has room for a label
_WORTH_OF_NAMES = 4.0  # how many times as large thumbnails must be before they are worth more than their names


@attrs.frozen
class Fold:
    """How a wall is laid out: the heads of a layer in one line (0: all), and the layers beside each other.

    `gap_rows` are the cells between two lines; 0 for an eighth of a thumbnail.
    """

    per_line: int = 0
    beside: int = 1
    gap_rows: int = 0


PLAIN = Fold()


@attrs.frozen(eq=False)
class Atlas:
    """The places of all thumbnails, in cells, and their image.

    `index` [row, column] holds colour indices; it is empty where the wall is too large for one image. Thumbnails begin
    `pitch_rows` and `pitch_columns` apart; `corner` says where.
    """

    index: NDArray[np.uint8]
    height: int
    width: int
    pitch_rows: int
    pitch_columns: int
    n_rows: int
    n_columns: int
    layers: int
    heads: int
    per_line: int  # heads of a layer in one line
    beside: int  # layers beside each other
    order: tuple[int, ...] = ()  # layer · heads + head of each place, where the wall is sorted
    ranks: tuple[int, ...] = ()  # and the place of each of them

    @property
    def lines(self) -> int:
        """The number of lines that one layer takes; of a sorted wall, all its lines."""
        return -(-len(self.order) // self.per_line) if self.order else self.heads // self.per_line

    @property
    def is_folded(self) -> bool:
        """Whether a line is anything else than all heads of one layer."""
        return bool(self.order) or self.lines > 1 or self.beside > 1

    def place(self, layer: int, head: int) -> tuple[int, int]:
        """Where a thumbnail stands, counted in thumbnails downward and across."""
        if self.order:
            return divmod(self.ranks[layer * self.heads + head], self.per_line)
        line, place = divmod(head, self.per_line)
        down, across = divmod(layer, self.beside)
        return down * self.lines + line, across * self.per_line + place

    def corner(self, layer: int, head: int) -> tuple[int, int]:
        """The first row and column of a thumbnail."""
        down, across = self.place(layer, head)
        return down * self.pitch_rows, across * self.pitch_columns

    def thumbnail(self, down: int, across: int) -> tuple[int, int] | None:
        """Layer and head of the thumbnail at a place of the wall, counted in thumbnails; None where there is none."""
        if self.order:
            place = down * self.per_line + across
            known = 0 <= across < self.per_line and 0 <= place < len(self.order)
            return divmod(self.order[place], self.heads) if known else None
        layer_row, line = divmod(down, self.lines)
        layer_column, place = divmod(across, self.per_line)
        layer, head = layer_row * self.beside + layer_column, line * self.per_line + place
        return (layer, head) if layer_column < self.beside and layer < self.layers else None

    def find(self, row: float, column: float) -> tuple[int, int, int, int] | None:
        """Layer, head, query and key at a point of the image; None between thumbnails and outside."""
        if not (0 <= row < self.height and 0 <= column < self.width):
            return None
        down, query = divmod(int(row), self.pitch_rows)
        across, key = divmod(int(column), self.pitch_columns)
        found = self.thumbnail(down, across)
        return (*found, query, key) if found is not None and query < self.n_rows and key < self.n_columns else None


def best_fold(grid: HeadGrid, wide_px: float, high_px: float, stretch: float = 1.0) -> Fold:
    """The fold that makes the thumbnails largest in a room; the plain one unless another is clearly larger.

    A cell may be up to `stretch` times as wide as high. Labels, where there are any, get their room first. A fold without room
    for them is none: nobody could tell whose thumbnail is whose.
    """
    room = (wide_px, high_px, stretch)
    layers, heads = grid.values.shape[:2]
    if grid.order:
        folds = [Fold(n) for n in range(1, min(_MOST_IN_LINE, layers * heads) + 1)]
        folds = [_with_labels(grid, fold, *room[:2]) for fold in folds]
        return max(folds, key=lambda fold: _worth(grid, fold, *room))
    per_lines = [n for n in range(1, heads + 1) if heads % n == 0]
    folds = [Fold(n, beside) for n in per_lines for beside in range(1, min(layers, _MOST_BESIDE) + 1)]
    folds = [_with_labels(grid, fold, *room[:2]) for fold in folds]
    plain = PLAIN if grid.measured is None else _with_labels(grid, PLAIN, *room[:2])
    if grid.measured is None:
        folds = [fold for fold in folds if _has_names(grid, fold, *room)]
    best = max(folds, key=lambda fold: _worth(grid, fold, *room), default=plain)
    if grid.measured is not None and not _has_names(grid, best, *room):
        return plain  # Where figures stand alone, lines and columns say whose they are.
    return best if _worth(grid, best, *room) > _WORTH * _worth(grid, plain, *room) else plain


def _worth(grid: HeadGrid, fold: Fold, wide_px: float, high_px: float, stretch: float) -> float:
    """The area of one cell (px²), which counts less where the labels have no room beside each other."""
    wide, high = _cell_px(_places(grid, fold), wide_px, high_px, stretch)
    named = grid.measured is None or _has_names(grid, fold, wide_px, high_px, stretch)
    return high * wide * (1.0 if named else 1 / _WORTH_OF_NAMES)


def _has_names(grid: HeadGrid, fold: Fold, wide_px: float, high_px: float, stretch: float) -> bool:
    """Whether a label with layer and head has room above each thumbnail."""
    made = _places(grid, fold)
    wide, high = _cell_px(made, wide_px, high_px, stretch)
    if grid.measured is not None:
        return made.pitch_columns * wide >= (_LABEL_WIDE_PX if made.is_folded else _SHORT_LABEL_PX)
    name = _NAME_PX + _MARK_PX * len(f"L{grid.layers[-1]} H{made.heads - 1}")
    return made.pitch_columns * wide >= name and (made.pitch_rows - made.n_rows) * high >= _LEAST_LABEL_PX


def _cell_px(made: Atlas, wide_px: float, high_px: float, stretch: float) -> tuple[float, float]:
    """How wide and how high a cell is."""
    high = min(wide_px / made.width, high_px / made.height)
    return min(wide_px / made.width, stretch * high), high


def _with_labels(grid: HeadGrid, fold: Fold, wide_px: float, high_px: float) -> Fold:
    """The fold with lines so far apart that a label stands between them."""
    made = _places(grid, fold)
    down = (made.height + made.pitch_rows - made.n_rows) // made.pitch_rows
    # high_px = down · n_rows · cell + (down − 1) · LABEL_PX
    cell_px = min(wide_px / made.width, (high_px - (down - 1) * LABEL_PX) / (down * made.n_rows))
    if cell_px <= 0:
        return fold
    return attrs.evolve(fold, gap_rows=max(made.pitch_rows - made.n_rows, math.ceil(LABEL_PX / cell_px)))


def atlas(grid: HeadGrid, fold: Fold = PLAIN) -> Atlas:
    """Lay out the thumbnails with gaps of an eighth of a thumbnail, or those of the fold, and draw them."""
    made = _places(grid, fold, grid.values.shape[2:])
    shape = (made.pitch_rows, made.pitch_columns)
    filled = (slice(0, made.n_rows), slice(0, made.n_columns))
    coloured = indices(grid.values, grid.scale, _spread(grid))  # [layer, head, query, key]
    if made.order:
        index = np.full((made.lines * made.per_line, *shape), GAP, np.uint8)
        index[: len(made.order), *filled] = coloured.reshape(-1, made.n_rows, made.n_columns)[list(made.order)]
        # [line, place in line, query, key] → [line, query, place in line, key]
        flat = index.reshape(made.lines, made.per_line, *shape).transpose(0, 2, 1, 3).reshape(made.lines * shape[0], -1)
    else:
        rows = -(-made.layers // made.beside)
        index = np.full((rows * made.beside, made.heads, *shape), GAP, np.uint8)
        index[: made.layers, :, *filled] = coloured
        # [layer row, layer beside, line, head in line, query, key] → [layer row, line, query, layer beside, head in line, key]
        blocks = index.reshape(rows, made.beside, made.lines, made.per_line, *shape)
        flat = blocks.transpose(0, 2, 4, 1, 3, 5).reshape(rows * made.lines * made.pitch_rows, -1)
    return attrs.evolve(made, index=np.ascontiguousarray(flat[: made.height, : made.width]))


def places(grid: HeadGrid, fold: Fold = PLAIN) -> Atlas:
    """The layout of `atlas` for a wall of large maps: in true cells instead of blocks, and without an image."""
    return _places(grid, fold)


def _places(grid: HeadGrid, fold: Fold, shape: tuple[int, ...] = ()) -> Atlas:
    layers, heads = grid.values.shape[:2]
    n_rows, n_columns = shape or grid.shape
    gap = max(1, round(max(n_rows, n_columns) / 8))
    gap_rows = fold.gap_rows or gap
    pitch_rows, pitch_columns = n_rows + gap_rows, n_columns + gap
    per_line = fold.per_line or heads
    down, across = -(-layers // fold.beside) * (heads // per_line), fold.beside * per_line
    if grid.order:
        down, across = -(-layers * heads // per_line), per_line
    return Atlas(
        np.zeros((0, 0), np.uint8),
        height=down * pitch_rows - gap_rows,
        width=across * pitch_columns - gap,
        pitch_rows=pitch_rows,
        pitch_columns=pitch_columns,
        n_rows=n_rows,
        n_columns=n_columns,
        layers=layers,
        heads=heads,
        per_line=per_line,
        beside=fold.beside,
        order=grid.order,
        ranks=() if grid.measured is None else grid.measured.ranks,
    )


def _spread(grid: HeadGrid) -> NDArray[np.bool_] | None:
    return None if grid.closed is None else np.broadcast_to(grid.closed, grid.values.shape)
