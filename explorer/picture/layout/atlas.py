"""All thumbnails of a HeadGrid in one image of colour indices, which is painted much faster than many images.

Layers run downward and heads to the right. Where a wall has another shape than its room, each layer's heads go on in
further lines, or several layers stand beside each other, so that the thumbnails grow.
"""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import HeadGrid
from explorer.picture.scales import GAP, indices

_WORTH = 1.7  # how many times the area of a thumbnail must grow before a wall is folded; the plain order is easier to read
_MOST_BESIDE = 4  # layers beside each other; the eye loses the order of more


@attrs.frozen
class Fold:
    """How a wall is laid out: so many heads of a layer in one line (0: all), and so many layers beside each other."""

    per_line: int = 0
    beside: int = 1


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

    @property
    def lines(self) -> int:
        """The number of lines that one layer takes."""
        return self.heads // self.per_line

    @property
    def is_folded(self) -> bool:
        """Whether a line is anything else than all heads of one layer."""
        return self.lines > 1 or self.beside > 1

    def corner(self, layer: int, head: int) -> tuple[int, int]:
        """The first row and column of a thumbnail."""
        line, place = divmod(head, self.per_line)
        down, across = divmod(layer, self.beside)
        return (down * self.lines + line) * self.pitch_rows, (across * self.per_line + place) * self.pitch_columns

    def thumbnail(self, down: int, across: int) -> tuple[int, int] | None:
        """Layer and head of the thumbnail at a place of the wall, counted in thumbnails; None where there is none."""
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

    A cell may be up to `stretch` times as wide as high.
    """
    layers, heads = grid.values.shape[:2]
    per_lines = [n for n in range(1, heads + 1) if heads % n == 0]
    folds = [Fold(n, beside) for n in per_lines for beside in range(1, min(layers, _MOST_BESIDE) + 1)]
    plain = _cell_area(grid, Fold(heads), wide_px, high_px, stretch)
    best = max(folds, key=lambda fold: _cell_area(grid, fold, wide_px, high_px, stretch))
    return best if _cell_area(grid, best, wide_px, high_px, stretch) > _WORTH * plain else PLAIN


def _cell_area(grid: HeadGrid, fold: Fold, wide_px: float, high_px: float, stretch: float) -> float:
    """The area of one cell (px²)."""
    made = _places(grid, fold)
    high = min(wide_px / made.width, high_px / made.height)
    return high * min(wide_px / made.width, stretch * high)


def atlas(grid: HeadGrid, fold: Fold = PLAIN) -> Atlas:
    """Lay out the thumbnails with gaps of an eighth of a thumbnail, and draw them."""
    made = _places(grid, fold, grid.values.shape[2:])
    rows = -(-made.layers // made.beside)
    index = np.full((rows * made.beside, made.heads, made.pitch_rows, made.pitch_columns), GAP, np.uint8)
    # [layer, head, query, key]
    index[: made.layers, :, : made.n_rows, : made.n_columns] = indices(grid.values, grid.scale, _spread(grid))
    # [layer row, layer beside, line, head in line, query, key] → [layer row, line, query, layer beside, head in line, key]
    blocks = index.reshape(rows, made.beside, made.lines, made.per_line, made.pitch_rows, made.pitch_columns)
    flat = blocks.transpose(0, 2, 4, 1, 3, 5).reshape(rows * made.lines * made.pitch_rows, -1)
    return attrs.evolve(made, index=np.ascontiguousarray(flat[: made.height, : made.width]))


def places(grid: HeadGrid, fold: Fold = PLAIN) -> Atlas:
    """The layout of `atlas` for a wall of large maps: in true cells instead of blocks, and without an image."""
    return _places(grid, fold)


def _places(grid: HeadGrid, fold: Fold, shape: tuple[int, ...] = ()) -> Atlas:
    layers, heads = grid.values.shape[:2]
    n_rows, n_columns = shape or grid.shape
    gap = max(1, round(max(n_rows, n_columns) / 8))
    pitch_rows, pitch_columns = n_rows + gap, n_columns + gap
    per_line = fold.per_line or heads
    down, across = -(-layers // fold.beside) * (heads // per_line), fold.beside * per_line
    return Atlas(
        np.zeros((0, 0), np.uint8),
        height=down * pitch_rows - gap,
        width=across * pitch_columns - gap,
        pitch_rows=pitch_rows,
        pitch_columns=pitch_columns,
        n_rows=n_rows,
        n_columns=n_columns,
        layers=layers,
        heads=heads,
        per_line=per_line,
        beside=fold.beside,
    )


def _spread(grid: HeadGrid) -> NDArray[np.bool_] | None:
    return None if grid.closed is None else np.broadcast_to(grid.closed, grid.values.shape)
