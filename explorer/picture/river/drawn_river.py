"""A River drawn into a room: where everything stands, and its scenes. It needs no window, so any thread may draw it."""

import attrs

from explorer.lang import Words
from explorer.picture.river.draw import draw_over, draw_river
from explorer.picture.river.grid import RiverGrid, lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside, draw_inside_over
from explorer.picture.river.inside_grid import Inside, lay_out_inside
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.pointing import Pointing, usual
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn


@attrs.frozen(eq=False)
class DrawnRiver:
    """A River in a room of whole px. `base` does not follow the mouse, `over` does.

    `inside` says where everything of an opened block stands; None while none is open. `kept` and `kept_over` hold the parts
    for the next river.
    """

    river: River
    words: Words
    room: tuple[int, int]  # width, height
    colours: Colours
    grid: RiverGrid
    inside: Inside | None
    base: Drawn
    over: Drawn
    kept: KeptMarks
    kept_over: KeptMarks

    def pointed_at(self, pointing: Pointing | None) -> Drawn:
        """What follows the mouse, for what it points at; None for what stands out by itself."""
        return _over(self.river, self.grid, self.inside, self.words, pointing, self.kept_over)


def drawn_river(
    river: River, words: Words, room: tuple[int, int], kept: KeptMarks, kept_over: KeptMarks, pointing: Pointing | None = None
) -> DrawnRiver:
    """Draw a River into a room. What is kept of the river before is taken over, and is this one's afterwards."""
    grid = lay_out(river, *room)
    colours = Colours(river.unit_colours, river.signed_colours)
    if river.opened is None:
        inside, base = None, draw_river(river, grid, words, colours, kept=kept)
    else:
        inside = lay_out_inside(river, *room)
        base = draw_inside(river, inside, words, colours)
    over = _over(river, grid, inside, words, pointing, kept_over)
    return DrawnRiver(river, words, room, colours, grid, inside, base, over, kept, kept_over)


def drawn_apart(river: River, words: Words, room: tuple[int, int], kept: KeptMarks, kept_over: KeptMarks) -> DrawnRiver:
    """The same on another thread, which leaves what is kept as it is."""
    return drawn_river(river, words, room, kept.copy(), kept_over.copy())


def _over(
    river: River, grid: RiverGrid, inside: Inside | None, words: Words, pointing: Pointing | None, kept: KeptMarks
) -> Drawn:
    pointing = pointing or usual(river)
    if inside is None:
        return draw_over(river, grid, words, pointing, kept=kept)
    return draw_inside_over(river, inside, words, Colours(river.unit_colours, river.signed_colours), pointing)
