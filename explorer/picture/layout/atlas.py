"""All thumbnails of a HeadGrid in one image of colour indices, which is painted much faster than many images."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.picture.kinds import HeadGrid
from explorer.picture.scales import GAP, indices


@attrs.frozen(eq=False)
class Atlas:
    """The places of all thumbnails, in cells, and their image.

    `index` [row, column] holds colour indices; it is empty where the wall is too large for one image. Thumbnail
    (layer, head) begins at (layer·pitch_rows, head·pitch_columns).
    """

    index: NDArray[np.uint8]
    height: int
    width: int
    pitch_rows: int
    pitch_columns: int
    n_rows: int
    n_columns: int

    def find(self, row: float, column: float) -> tuple[int, int, int, int] | None:
        """Layer, head, query and key at a point of the image; None between thumbnails and outside."""
        if not (0 <= row < self.height and 0 <= column < self.width):
            return None
        layer, query = divmod(int(row), self.pitch_rows)
        head, key = divmod(int(column), self.pitch_columns)
        return (layer, head, query, key) if query < self.n_rows and key < self.n_columns else None


def atlas(grid: HeadGrid) -> Atlas:
    """Lay out the thumbnails, layers downward and heads to the right, with gaps of an eighth of a thumbnail."""
    layers, heads, n_rows, n_columns = grid.values.shape
    gap = max(1, round(max(n_rows, n_columns) / 8))
    pitch_rows, pitch_columns = n_rows + gap, n_columns + gap
    index = np.full((layers, pitch_rows, heads, pitch_columns), GAP, np.uint8)
    coloured = indices(grid.values, grid.scale, _spread(grid))
    index[:, :n_rows, :, :n_columns] = coloured.transpose(0, 2, 1, 3)  # [layer, query, head, key]
    flat = index.reshape(layers * pitch_rows, heads * pitch_columns)[:-gap, :-gap]
    height, width = flat.shape
    return Atlas(np.ascontiguousarray(flat), height, width, pitch_rows, pitch_columns, n_rows, n_columns)


def places(grid: HeadGrid) -> Atlas:
    """The layout of `atlas` for a wall of large maps: in true cells instead of blocks, and without an image."""
    layers, heads = grid.values.shape[:2]
    n_rows, n_columns = grid.shape
    gap = max(1, round(max(n_rows, n_columns) / 8))
    pitch_rows, pitch_columns = n_rows + gap, n_columns + gap
    return Atlas(
        np.zeros((0, 0), np.uint8),
        layers * pitch_rows - gap,
        heads * pitch_columns - gap,
        pitch_rows,
        pitch_columns,
        n_rows,
        n_columns,
    )


def _spread(grid: HeadGrid) -> NDArray[np.bool_] | None:
    return None if grid.closed is None else np.broadcast_to(grid.closed, grid.values.shape)
