"""Where the chips of a Tree stand: a column for each step, and as few rows as the branches leave room for.

The most promising child stands beside its parent, so the best sentence is the first row and a chain is a straight
line. Its siblings stand below, each as high as the contours above it allow (Reingold and Tilford 1981).
The window and the exported figure each pass in how wide their letters are, so no toolkit is needed here.
"""

from collections.abc import Callable, Mapping, Set
from types import MappingProxyType

import attrs

from explorer.picture.decoding_kinds import Tree
from explorer.picture.tree_branches import ROOT, depths, probability, verdict
from explorer.tokens.vocabulary import BEGIN, SPECIALS

TOKEN_PX, FIGURE_PX = 13.0, 10.0  # px, letter sizes
CHIP_PX, ROW_PX = 21.0, 26.0
PAD, FIGURE_GAP = 6.0, 5.0
CONTROL_PX = 15.0

_LONGEST = 24  # letters; a longer token is shortened
_CHAIN_GAP, _FORK_GAP, _WIDEST_GAP = 12.0, 26.0, 70.0

Measure = Callable[[str, float], float]
"""A function that gives the width (px) of a text at a letter size (px)."""


@attrs.frozen
class Chip:
    """A token in its place. `figure` is its probability, `verdict` the rank and score of a finished sentence.

    `control` is the text on the handle that folds its children, "" without a handle; `hidden` counts folded branches.
    """

    branch: int
    left: float
    top: float
    width: float
    token: str
    figure: str
    figure_left: float
    verdict: str
    verdict_left: float
    control: str
    control_px: float
    hidden: int
    column: int
    row: int

    @property
    def right(self) -> float:
        """The right end of the chip and its handle (px)."""
        return self.left + self.width + (self.control_px + 3 if self.control else 0)

    @property
    def middle(self) -> float:
        """The height at which lines enter and leave the chip (px)."""
        return self.top + CHIP_PX / 2


@attrs.frozen
class Link:
    """A line from `parent` to `branch`: level from x0 to x1 at y0, then a curve to (x2, y2)."""

    parent: int
    branch: int
    x0: float
    x1: float
    x2: float
    y0: float
    y2: float


@attrs.frozen
class TreeLayout:
    """Chips by the index of their branch, the beginning under ROOT; a folded branch has no chip."""

    chips: Mapping[int, Chip]
    links: tuple[Link, ...]
    width: float
    height: float


def layout(tree: Tree, measure: Measure, folded: Set[int] = frozenset(), controls: bool = True) -> TreeLayout:
    """Place the visible branches of a tree. `folded` are branches whose children are hidden."""
    if not tree.branches:
        return TreeLayout(MappingProxyType({}), (), 0.0, 0.0)
    children = _children(tree)
    shown = _shown(tree, folded)
    seen = {index: () if index in folded else below for index, below in children.items() if index == ROOT or shown[index]}
    rows = _rows(seen)
    columns = (*depths(tree), 0)  # ROOT is -1, so it finds the last entry.
    below = _counts(tree)
    chips = {
        index: _chip(
            tree,
            index,
            measure,
            columns[index],
            rows[index],
            _control(len(children[index]), below[index], index in folded) if controls else "",
            below[index] if index in folded else 0,
        )
        for index in seen
    }
    rights, lefts = _columns(chips, seen)
    chips = {index: attrs.evolve(chip, left=lefts[chip.column]) for index, chip in chips.items()}
    links = tuple(
        Link(index, child, chip.right, rights[chip.column], chips[child].left, chip.middle, chips[child].middle)
        for index, chip in chips.items()
        for child in seen[index]
    )
    return TreeLayout(
        MappingProxyType(chips),
        links,
        max(chip.right for chip in chips.values()),
        max(chip.top for chip in chips.values()) + CHIP_PX,
    )


def neighbour(made: TreeLayout, branch: int, across: int, down: int) -> int:
    """The branch that an arrow key leads to: left the parent, right the first child, up and down within the column.

    At a border it is the branch itself.
    """
    chip = made.chips[branch]
    if across < 0:
        return next((link.parent for link in made.links if link.branch == branch), branch)
    if across > 0:
        return next((link.branch for link in made.links if link.parent == branch), branch)
    column = [other for other in made.chips.values() if other.column == chip.column and (other.row - chip.row) * down > 0]
    return min(column, key=lambda other: abs(other.row - chip.row), default=chip).branch


def _children(tree: Tree) -> dict[int, tuple[int, ...]]:
    """The children of each branch and of ROOT: those that lead to better sentences first, then the likelier ones."""
    found: dict[int, list[int]] = {ROOT: []}
    ranks = [branch.rank or len(tree.branches) + 1 for branch in tree.branches]
    for index in reversed(range(len(tree.branches))):
        parent = tree.branches[index].parent
        if parent != ROOT:
            ranks[parent] = min(ranks[parent], ranks[index])
    for index, branch in enumerate(tree.branches):
        found[index] = []
        found[branch.parent].append(index)
    return {
        index: tuple(sorted(below, key=lambda each: (ranks[each], -tree.branches[each].log_p)))
        for index, below in found.items()
    }


def _shown(tree: Tree, folded: Set[int]) -> list[bool]:
    shown: list[bool] = []
    for branch in tree.branches:
        shown.append(branch.parent not in folded and (branch.parent == ROOT or shown[branch.parent]))
    return shown


def _counts(tree: Tree) -> list[int]:
    """How many branches stand below each branch; the last entry counts those below ROOT."""
    counts = [0] * (len(tree.branches) + 1)
    for index in reversed(range(len(tree.branches))):
        counts[tree.branches[index].parent] += counts[index] + 1
    return counts


def _rows(children: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """The row of each branch. `first` and `last` [column - own column] are the contours of the subtree below a branch."""
    first: dict[int, list[int]] = {}
    last: dict[int, list[int]] = {}
    offsets: dict[int, int] = {ROOT: 0}
    for index in sorted(children, reverse=True):  # Children come before parents, ROOT (-1) last.
        upper, lower = [0], [0]
        for child in children[index]:
            top, bottom = first.pop(child), last.pop(child)
            shared = min(len(lower) - 1, len(top))
            offset = max((lower[step + 1] + 1 - top[step] for step in range(shared)), default=0)
            offsets[child] = offset
            lower[1 : len(bottom) + 1] = [offset + row for row in bottom]
            upper += [offset + row for row in top[len(upper) - 1 :]]
        first[index], last[index] = upper, lower
    rows: dict[int, int] = {}
    for index in sorted(children):
        rows[index] = rows.get(index, 0)
        for child in children[index]:
            rows[child] = rows[index] + offsets[child]
    return rows


def _control(n_children: int, n_below: int, is_folded: bool) -> str:
    """The text on a branch's handle; it has one where the tree forks and where branches are folded."""
    if is_folded and n_below:
        return f"+{n_below}"
    return "−" if n_children > 1 else ""


def _chip(tree: Tree, index: int, measure: Measure, column: int, row: int, control: str, hidden: int) -> Chip:
    """A chip with everything but its left edge, which depends on its column. Its parts are measured from that edge."""
    is_root = index == ROOT
    begin = SPECIALS[BEGIN] if tree.told_as == "tree" else "…"
    token = begin if is_root else tree.branches[index].label
    token = token if len(token) <= _LONGEST else f"{token[:_LONGEST]}…"
    figure = "" if is_root else probability(tree.branches[index].log_p)
    ending = "" if is_root else verdict(tree, index)
    figure_left = PAD + measure(token, TOKEN_PX) + FIGURE_GAP
    verdict_left = figure_left + (measure(figure, FIGURE_PX) + 7 if figure else -5.0)
    width = verdict_left + (measure(ending, FIGURE_PX) + PAD if ending else PAD - 7 if figure else PAD)
    return Chip(
        branch=index,
        left=0.0,
        top=row * ROW_PX,
        width=width,
        token=token,
        figure=figure,
        figure_left=figure_left,
        verdict=ending,
        verdict_left=verdict_left,
        control="" if is_root else control,
        control_px=max(CONTROL_PX, measure(control, FIGURE_PX) + 7),
        hidden=hidden,
        column=column,
        row=row,
    )


def _columns(chips: Mapping[int, Chip], children: Mapping[int, tuple[int, ...]]) -> tuple[list[float], list[float]]:
    """Right and left edge of each column (px). The gap after a column is wide where lines fan out, narrow in a chain."""
    count = max(chip.column for chip in chips.values()) + 1
    wide, rise, forks = [0.0] * count, [0] * count, [False] * count
    for index, chip in chips.items():
        wide[chip.column] = max(wide[chip.column], chip.right - chip.left)
        for child in children[index]:
            rise[chip.column] = max(rise[chip.column], chips[child].row - chip.row)
            forks[chip.column] |= len(children[index]) > 1
    rights: list[float] = []
    lefts = [0.0]
    for column in range(count):
        gap = min(_WIDEST_GAP, _FORK_GAP + 3 * rise[column]) if forks[column] else _CHAIN_GAP
        rights.append(lefts[column] + wide[column])
        lefts.append(rights[column] + gap)
    return rights, lefts
