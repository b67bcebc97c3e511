"""A Tree outside the window: as SVG with nothing folded away, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.picture.decoding_kinds import Tree
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.marks import write_marks
from explorer.picture.figure.text import width
from explorer.picture.kinds import Axis
from explorer.picture.layout.tree import layout
from explorer.picture.layout.tree_marks import TreeMarks
from explorer.picture.tables import Table
from explorer.picture.tree_branches import depths, score_of, summary


def draw_tree(drawing: Drawing, picture: Tree, top: float) -> None:
    """Draw the whole tree."""
    made = layout(picture, width, controls=False)
    drawing.add(f'<g transform="translate(0 {top:g})">', made.width + 1, top + made.height + 1)
    write_marks(drawing, TreeMarks(picture, drawing.theme).of(made))
    drawing.add("</g>")


def _tables(picture: Tree) -> Iterator[Table]:
    cells = [
        [branch.parent, depth, branch.log_p, branch.total, score_of(picture, place), branch.rank]
        for place, (branch, depth) in enumerate(zip(picture.branches, depths(picture), strict=True))
    ]
    yield Table(
        "search",
        np.array(cells, np.float64).reshape(-1, 6),
        Axis("branch", tuple(branch.label for branch in picture.branches)),
        Axis("about", ("parent", "step", "log_p", "total", "score", "rank")),
    )


TREE = Kind(draw_tree, _tables, summary)
