"""The buttons above a river that choose what its bands show, and whether its lanes are words.

They stand in the row between the captions and the lanes, or beside the captions where there is one half. Where that row has no
room for the button of words, it stands above the others, among the captions. What has no room there either is left out whole,
the buttons of the bands last: keys do the same.
"""

import attrs

from explorer.lang import Words
from explorer.picture.marks import Box, Label, Mark, Rect
from explorer.picture.river.grid import RiverGrid
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.scene import Drawn, Hot, about_width

_LETTERS, _HIGH, _GAP, _PADDING = 11.0, 15.0, 5.0, 14.0  # px
_CAPTION_PX = 110.0  # what a caption in the same row has at least
_SHORT_CAPTION_PX = 64.0  # what the shortest caption takes
_LIFT = 1.5  # so that buttons in two rows do not touch


@attrs.frozen
class _Buttons:
    """What has room: where it begins, whether lanes of words have a button, in this row or `above` it, and whether the bands
    are named before theirs."""

    x: float
    words: bool
    named: bool
    bands: bool = True
    above: bool = False


def bands_left(river: River, grid: RiverGrid, words: Words, *, switched: bool) -> float:
    """Where the buttons, or what is told in their place, begin (px): other texts in their row end before it."""
    return _buttons(river, grid, words).x if switched else _told_left(river, grid, words)


def captions_end(river: River, grid: RiverGrid, words: Words) -> float:
    """Where the last caption of the layers ends (px): before the button in its row, or before the words to choose from."""
    return _above(grid, words).x if _buttons(river, grid, words).above else grid.out.x


def tell_bands(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """What bands show, as text in place of the buttons, if there is room for it."""
    x = _told_left(river, grid, words)
    return Drawn((Label(x, _middle(grid) + 1, _told(river, words), _LETTERS, "faint"),) if x < _right(grid) else ())


def _told(river: River, words: Words) -> str:
    return words("river.bands.told", name=words("river.bands.name"), shown=words(f"river.bands.{river.bands}"))


def _told_left(river: River, grid: RiverGrid, words: Words) -> float:
    x = _right(grid) - about_width(_told(river, words), _LETTERS)
    return x if x >= _left(grid) else _right(grid)


def _right(grid: RiverGrid) -> float:
    return grid.out.x - 18


def _left(grid: RiverGrid) -> float:
    first = grid.halves[0]
    return first.slabs[-1].x + first.slabs[-1].wide + 4 if len(grid.halves) == 2 else first.slabs[0].x + _CAPTION_PX


def _middle(grid: RiverGrid) -> float:
    return grid.halves[0].top - 9.0 if len(grid.halves) == 2 else grid.captions_y


def draw_switch(river: River, grid: RiverGrid, words: Words) -> Drawn:
    """The buttons that have room; a faint one answers with the reason why it cannot be chosen."""
    buttons = _buttons(river, grid, words)
    x, y = buttons.x, _middle(grid)
    scene: list[Mark] = []
    hot: list[Hot] = []
    if buttons.words or buttons.above:
        able = river.halves[0].block == 1
        rect = _above(grid, words) if buttons.above else Rect(x, y - _HIGH / 2, _wide(words("heads.unit_words")), _HIGH)
        scene += _button(rect, words("heads.unit_words"), on=able and river.unit == "words", able=able)
        hot.append(Hot(rect, Place("words")))
        x += 0 if buttons.above else rect.wide + _GAP
    if buttons.named:
        scene.append(Label(x, y + 1, words("river.bands.name"), _LETTERS, "faint"))
        x += _named(words)
    for key, text in _texts(words).items() if buttons.bands else ():
        rect = Rect(x, y - _HIGH / 2, _wide(text), _HIGH)
        scene += _button(rect, text, on=key == river.bands, able=not river.no_contributions or key == "weights")
        hot.append(Hot(rect, Place("bands", side=key)))
        x += rect.wide + 2
    return Drawn(tuple(scene), tuple(hot))


def _buttons(river: River, grid: RiverGrid, words: Words) -> _Buttons:
    left, right = _left(grid), _right(grid)
    bands = sum(_wide(text) for text in _texts(words).values()) + 2
    name = _named(words)
    unit = _wide(words("heads.unit_words")) + _GAP
    for found in (
        _Buttons(right - bands - name - unit, words=True, named=True),
        _Buttons(right - bands - unit, words=True, named=False),
        _Buttons(right - bands, words=False, named=False, above=_has_room_above(grid, words)),
    ):
        if found.x >= left:
            return found
    return _Buttons(right, words=False, named=False, bands=False)


def _above(grid: RiverGrid, words: Words) -> Rect:
    """Where the button of words stands in the row of the captions, at its right end."""
    wide = _wide(words("heads.unit_words"))
    return Rect(_right(grid) - wide, grid.captions_y - _HIGH / 2 - _LIFT, wide, _HIGH)


def _has_room_above(grid: RiverGrid, words: Words) -> bool:
    return len(grid.halves) == 2 and _above(grid, words).x >= grid.halves[1].slabs[0].x + _SHORT_CAPTION_PX


def _texts(words: Words) -> dict[str, str]:
    return {key: words(f"river.bands.{key}") for key in ("weights", "contributions")}


def _named(words: Words) -> float:
    return about_width(words("river.bands.name"), _LETTERS) + 2 * _GAP


def _wide(text: str) -> float:
    return about_width(text, _LETTERS) + _PADDING


def _button(rect: Rect, text: str, *, on: bool, able: bool) -> list[Mark]:
    box = Box(rect, "accent", radius=3) if on else Box(rect, "card", "hairline", radius=3)
    ink = "on_accent" if on else "text" if able else "disabled"
    return [box, Label(rect.x + rect.wide / 2, rect.y + rect.high / 2, text, _LETTERS, ink, on, "middle")]
