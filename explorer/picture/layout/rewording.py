"""How a Rewording is laid out: two lines of words in shared columns, and below each word how its log p has changed."""

from collections.abc import Sequence

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.causal_kinds import Reworded, Rewording
from explorer.picture.cell_text import has_no_effect, told_difference
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.scales import indices

SCALE_NAT = 4.0  # nats at both ends of the scale; all sentences have one, so that two of them can be compared
_SIZES = (28.0, 22.0, 19.0, 16.0, 14.0)  # px, the letters of words; the largest that fits is taken
_SMALL = 11.0  # px, the letters of figures
_GAP, _CHIP, _LEAST = 14.0, 12.0, 34.0  # px: between columns, the height of a coloured chip, the least width of a column
_UNDERLINE = 1.4  # px


@attrs.frozen
class PlacedWord:
    """A word with its column: left edge and width, and the top of its block of lines (px)."""

    word: Reworded
    area: Rect


def draw_rewording(sketch: Sketch, picture: Rewording, words: Words, area: Rect) -> tuple[PlacedWord, ...]:
    """Draw the words into an area, in the largest letters that fit; returns where each word's column stands."""
    size, placed = _fitting(sketch, picture, words, area)
    for top in sorted({each.area.y for each in placed}):
        deltas = any(each.word.difference is not None for each in placed)
        _name_lines(sketch, words, area.x, top, size, deltas=deltas, once=picture.once)
    for each in placed:
        _draw_word(sketch, each, size, once=picture.once)
        if each.word.difference is not None:
            _draw_difference(sketch, each, picture, size, each.word.difference)
    return placed


def needed_px(sketch: Sketch, picture: Rewording, words: Words, area: Rect) -> float:
    """The height (px) of all words in the smallest letters, in the width of an area."""
    placed = _placed(sketch, picture.words, words, area, _SIZES[-1], once=picture.once)
    return placed[-1].area.bottom - area.y if placed else 0.0


def _fitting(sketch: Sketch, picture: Rewording, words: Words, area: Rect) -> tuple[float, tuple[PlacedWord, ...]]:
    """The size of the letters (px) and the places of all words."""
    placed: tuple[PlacedWord, ...] = ()
    for size in _SIZES:
        placed = _placed(sketch, picture.words, words, area, size, once=picture.once)
        if not placed or placed[-1].area.bottom <= area.bottom:
            return size, placed
    return _SIZES[-1], placed


def _placed(
    sketch: Sketch, row: Sequence[Reworded], words: Words, area: Rect, size: float, *, once: bool
) -> tuple[PlacedWord, ...]:
    left = area.x + _names_px(sketch, words)
    deltas = any(word.difference is not None for word in row)  # Without them words have the room to be large.
    high = _lines_px(size, once=once) + (_CHIP + _SMALL + 14 if deltas else 0)  # px
    wides = [max(*(sketch.measure(each, size, True) for each in (word.before, word.after)), _LEAST) for word in row]
    spare = area.right - left - sum(wides) - _GAP * len(row)
    gap = _GAP if deltas else _GAP + min(6 * _GAP, max(0.0, spare) / max(1, len(row)))  # Words without figures stand apart.
    x, y, made = left, area.y, []
    for word, wide in zip(row, wides, strict=True):
        if x > left and x + wide > area.right:
            x, y = left, y + high + 10
        made.append(PlacedWord(word, Rect(x, y, wide, high)))
        x += wide + gap
    return tuple(made)


def _names_px(sketch: Sketch, words: Words) -> float:
    """The width of the names of the lines (px)."""
    return 12 + max(sketch.measure(words(f"change.{key}"), 12, False) for key in ("before", "after", "delta"))


def _name_lines(sketch: Sketch, words: Words, x: float, top: float, size: float, *, deltas: bool, once: bool) -> None:
    faint = sketch.theme.faint
    if not once:
        sketch.write(x, top + size, words("change.before"), 12, faint)
        sketch.write(x, top + 2.5 * size, words("change.after"), 12, faint)
    if deltas:
        sketch.write(x, top + _lines_px(size, once=once) + 4 + _CHIP - 2, words("change.delta"), 12, faint)


def _lines_px(size: float, *, once: bool) -> float:
    """The height of the words above the chips (px)."""
    return (1.5 if once else 3) * size


def _draw_word(sketch: Sketch, placed: PlacedWord, size: float, *, once: bool) -> None:
    word, area, theme = placed.word, placed.area, sketch.theme
    same = word.before == word.after
    middle, first, second = area.x + area.wide / 2, area.y + size, area.y + 2.5 * size
    sketch.write(middle, first, word.before, size, theme.text if same else theme.faint, "middle")
    if once:
        return
    if word.before and not word.after:  # A deletion leaves nothing to mark in the second line.
        half = sketch.measure(word.before, size, False) / 2
        sketch.line(middle - half, first + 0.25 * size, middle + half, first + 0.25 * size, theme.accent, _UNDERLINE)
    if word.after and not same:
        sketch.box(area_around(sketch, word.after, size, middle, second), theme.soft, radius=4.0)
    sketch.write(middle, second, word.after, size, "" if same else theme.accent, "middle", bold=not same)


def area_around(sketch: Sketch, text: str, size: float, middle: float, baseline: float) -> Rect:
    """The rectangle behind a changed word."""
    wide = sketch.measure(text, size, True) + 10
    return Rect(middle - wide / 2, baseline - size, wide, 1.35 * size)


def _draw_difference(sketch: Sketch, placed: PlacedWord, picture: Rewording, size: float, difference: float) -> None:
    """A chip in the colour of Δ log p on the fixed scale, and its figures; faint where it is no effect."""
    area = placed.area
    top, middle = area.y + _lines_px(size, once=picture.once) + 4, area.x + area.wide / 2
    chip = Rect(middle - _LEAST / 2, top, _LEAST, _CHIP)
    sketch.cells(chip, indices(np.array([[difference]], np.float32), picture.scale), picture.scale.colours)
    sketch.box(chip, line=sketch.theme.hairline)
    told = told_difference(difference)
    sketch.write(
        middle, top + _CHIP + _SMALL + 2, told, _SMALL, sketch.theme.faint if has_no_effect(difference) else "", "middle"
    )
