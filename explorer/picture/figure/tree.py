"""A Tree outside the window: as SVG with nothing folded away, as a table and in words."""

from collections.abc import Iterator

import numpy as np

from explorer.picture.decoding_kinds import Tree
from explorer.picture.figure.drawing import Drawing
from explorer.picture.figure.kind import Kind
from explorer.picture.figure.text import text, width
from explorer.picture.kinds import Axis
from explorer.picture.layout.tree import CHIP_PX, FIGURE_PX, PAD, TOKEN_PX, Chip, Link, layout
from explorer.picture.tables import Table
from explorer.picture.tree_branches import ROOT, depths, ink, score_of, summary

_TOKEN_BASE, _FIGURE_BASE = 15.0, 14.0  # px below a chip's top


def draw_tree(drawing: Drawing, picture: Tree, top: float) -> None:
    """Draw the lines first, so that the chips cover their ends."""
    made = layout(picture, width, controls=False)
    if not made.chips:
        drawing.reach(1, top)
        return
    drawing.add(f'<g transform="translate(0 {top:g})">', made.width + 1, top + made.height + 1)
    # The best sentence's line is drawn last, so that it lies on top where lines cross.
    for link in sorted(made.links, key=lambda each: ink(picture.branches[each.branch].state, drawing.theme).line_px):
        _draw_link(drawing, picture, link)
    for chip in made.chips.values():
        _draw_chip(drawing, picture, chip)
    drawing.add("</g>")


def _draw_link(drawing: Drawing, picture: Tree, link: Link) -> None:
    inked = ink(picture.branches[link.branch].state, drawing.theme)
    bend = (link.x1 + link.x2) / 2
    drawing.add(
        f'<path d="M{link.x0:.1f} {link.y0:.1f}H{link.x1:.1f}C{bend:.1f} {link.y0:.1f} {bend:.1f} {link.y2:.1f} '
        f'{link.x2:.1f} {link.y2:.1f}" fill="none" stroke="{inked.line}" stroke-width="{inked.line_px:g}"/>'
    )


def _draw_chip(drawing: Drawing, picture: Tree, chip: Chip) -> None:
    theme = drawing.theme
    state = "kept" if chip.branch == ROOT else picture.branches[chip.branch].state
    inked = ink(state, theme)
    dashes = ' stroke-dasharray="4 2"' if inked.dashed else ""
    drawing.add(
        f'<rect x="{chip.left:.1f}" y="{chip.top:.1f}" width="{chip.width:.1f}" height="{CHIP_PX:g}" rx="4" '
        f'fill="{theme.card}" stroke="{inked.edge}"{dashes}/>'
    )
    base = chip.top + _TOKEN_BASE
    drawing.add(text(chip.left + PAD, base, chip.token, size=TOKEN_PX, fill=inked.text))
    drawing.add(text(chip.left + chip.figure_left, chip.top + _FIGURE_BASE, chip.figure, size=FIGURE_PX, fill=theme.faint))
    if chip.verdict:
        fill = theme.accent if picture.branches[chip.branch].rank == 1 else theme.text
        drawing.add(text(chip.left + chip.verdict_left, chip.top + _FIGURE_BASE, chip.verdict, size=FIGURE_PX, fill=fill))


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
