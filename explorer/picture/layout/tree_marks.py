"""The marks of a Tree: lines from chip to chip, the chips, and the handles that fold what is below them."""

from collections.abc import Callable, Iterable, Iterator

import attrs

from explorer.picture.decoding_kinds import Tree
from explorer.picture.layout.tree import CHIP_PX, CONTROL_PX, FIGURE_GAP, FIGURE_PX, PAD, TOKEN_PX, Chip, Link, TreeLayout
from explorer.picture.marks import Box, Label, Line, Mark, Path, Rect
from explorer.picture.theme import Theme
from explorer.picture.tree_branches import ROOT

_DASH = (4.0, 2.0)  # px
_EDGE, _STRONG_EDGE, _STRONGER = 1.2, 2.5, 0.8  # px


@attrs.frozen
class Ink:
    """How a branch's state is drawn: colours of the chip's edge and text and of its line, and the line's width (px)."""

    edge: str
    text: str
    line: str
    line_px: float
    dashed: bool = False
    crossed: bool = False


def ink(state: str, theme: Theme) -> Ink:
    """The Ink of a state: accent for the best sentence and for the user's tokens, grey for others, faint for the rest."""
    match state:
        case "best":
            return Ink(theme.accent, theme.text, theme.accent, 2.5)
        case "forced":
            return Ink(theme.accent, theme.text, theme.accent, 2.5, dashed=True)
        case "kept":
            return Ink(theme.faint, theme.text, theme.faint, 1.2)
        case "closed":
            return Ink(theme.hairline, theme.faint, theme.closed_line, 1.0, crossed=True)
        case _:
            return Ink(theme.hairline, theme.faint, theme.closed_line, 1.0)


@attrs.frozen
class Emphasis:
    """Branches that stand out: `lit` tokens, the `way` to the branch under mouse or keys, and the `selected` one."""

    lit: frozenset[int] = frozenset()
    way: frozenset[int] = frozenset()
    selected: int | None = None


def chip_rect(chip: Chip) -> Rect:
    """Where a chip stands on the sheet."""
    return Rect(chip.left, chip.top, chip.width, CHIP_PX)


def control_rect(chip: Chip) -> Rect:
    """Where a chip's handle stands on the sheet."""
    return Rect(chip.left + chip.width + 3, chip.top + (CHIP_PX - CONTROL_PX) / 2, chip.control_px, CONTROL_PX)


@attrs.frozen
class TreeMarks:
    """What draws one Tree. Without `letters`, where they could not be read, a chip has a bar in their place."""

    picture: Tree
    theme: Theme
    emphasis: Emphasis = Emphasis()
    letters: bool = True

    def of(self, made: TreeLayout, is_seen: Callable[[Rect], bool] = lambda _rect: True) -> Iterator[Mark]:
        """All that is seen of a layout. Lines come first, so that chips cover their ends, and the strongest last of them."""
        yield from self._links(link for link in made.links if is_seen(_extent(link)))
        for chip in made.chips.values():
            if is_seen(attrs.evolve(chip_rect(chip), wide=chip.right - chip.left)):
                yield from self._chip(chip)

    def _ink(self, branch: int) -> Ink:
        return ink("kept" if branch == ROOT else self.picture.branches[branch].state, self.theme)

    def _links(self, links: Iterable[Link]) -> Iterator[Path]:
        inked = [(link.branch in self.emphasis.way, self._ink(link.branch), link) for link in links]
        for on_way, each, link in sorted(inked, key=lambda entry: (entry[0], entry[1].line_px)):
            bend, corner = (link.x1 + link.x2) / 2, (link.x1, link.y0)
            level = ((link.x0, link.y0), (link.x0, link.y0), corner, corner)
            colour = self.theme.text if on_way and each.line != self.theme.accent else each.line
            yield Path(
                (*level, (bend, link.y0), (bend, link.y2), (link.x2, link.y2)),
                colour,
                each.line_px + (_STRONGER if on_way else 0),
                curved=True,
            )

    def _chip(self, chip: Chip) -> Iterator[Mark]:
        theme, inked, rect = self.theme, self._ink(chip.branch), chip_rect(chip)
        strong = chip.branch == self.emphasis.selected or chip.branch in self.emphasis.lit
        on_way = chip.branch in self.emphasis.way and inked.edge != theme.accent
        edge = theme.accent if strong else theme.text if on_way else inked.edge
        width, dash = _STRONG_EDGE if strong else _EDGE, _DASH if inked.dashed else ()
        yield Box(rect, theme.field if strong else theme.card, edge, 4, width, dash=dash)
        if self.letters:
            yield from self._texts(chip, inked)
        else:
            yield Box(rect.inset(PAD, 7, PAD, 7), inked.edge)
        if chip.control:
            yield from self._control(chip)

    def _texts(self, chip: Chip, inked: Ink) -> Iterator[Label | Line]:
        yield Label(chip.left + PAD, chip.middle, chip.token, TOKEN_PX, inked.text)
        if inked.crossed:
            yield Line(chip.left + PAD, chip.middle, chip.left + chip.figure_left - FIGURE_GAP, chip.middle, inked.text)
        yield Label(chip.left + chip.figure_left, chip.middle, chip.figure, FIGURE_PX, "faint")
        if chip.verdict:
            colour = "accent" if self.picture.branches[chip.branch].rank == 1 else "text"
            yield Label(chip.left + chip.verdict_left, chip.middle, chip.verdict, FIGURE_PX, colour)

    def _control(self, chip: Chip) -> Iterator[Mark]:
        rect = control_rect(chip)
        yield Box(rect, "closed" if chip.hidden else "card", "closed_line", 7)
        if self.letters:
            colour = "text" if chip.hidden else "faint"
            yield Label(rect.x + rect.wide / 2, rect.y + rect.high / 2, chip.control, FIGURE_PX, colour, align="middle")


def _extent(link: Link) -> Rect:
    top = min(link.y0, link.y2) - 2
    return Rect(link.x0, top, link.x2 - link.x0, max(link.y0, link.y2) + 2 - top)
