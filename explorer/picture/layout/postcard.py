"""How a Postcard is laid out, 1200 × 630 px: sentence, translation before and after, one head's weights, and the rate."""

from collections.abc import Sequence

import attrs

from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard, Reworded
from explorer.picture.kinds import Heatmap
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.scales import indices

WIDE_PX, HIGH_PX = 1200.0, 630.0
_LEFT, _WORDS_X, _RIGHT = 64.0, 150.0, 1136.0  # px
_WORDS_TOP, _WORDS_HIGH = 166.0, 216.0  # px
_SIZES = (68.0, 56.0, 46.0, 38.0, 31.0, 25.0, 20.0)  # px, the letters of words; the largest that fits is taken
_LINE, _BLOCK = 1.5, 3.3  # lines and blocks of two lines are so many letters high
_MAP = Rect(_WORDS_X, 428, 210, 120)
_SECOND_MAP = Rect(_WORDS_X + 280, 428, 210, 120)
_SAYS_X, _SAYS_Y = 720.0, 440.0
_LEAST_CELL = 11.0  # px; narrower columns have no labels


@attrs.frozen
class _Placed:
    """A word in its column; `top` is that of its block of two lines (px)."""

    word: Reworded
    x: float
    top: float


def draw_postcard(sketch: Sketch, picture: Postcard, words: Words, top: float = 0.0) -> None:
    """Draw the whole sheet, from `top` px downward."""
    theme = sketch.theme
    sketch.box(Rect(0, top, WIDE_PX, HIGH_PX), theme.card)
    sketch.box(Rect(0, top, WIDE_PX, 8), theme.accent)
    sketch.write(_LEFT, top + 82, sketch.fitting(picture.changes, 30, _RIGHT - _LEFT, True), 30, theme.accent, bold=True)
    sketch.write(_LEFT, top + 132, sketch.fitting(picture.sentence, 34, _RIGHT - _LEFT), 34)
    _draw_words(sketch, picture.words, words, top)
    for area, made in ((_MAP, picture.map_before), (_SECOND_MAP, picture.map_after)):
        if made is not None:
            _draw_map(sketch, made, attrs.evolve(area, y=area.y + top))
    _draw_says(sketch, picture, top)
    sketch.line(_LEFT, top + 586, _RIGHT, top + 586, theme.hairline)
    sketch.write(_LEFT, top + 611, picture.made_by, 14, theme.faint)
    room = _RIGHT - _LEFT - sketch.measure(picture.made_by, 14, False) - 24
    sketch.write(_RIGHT, top + 611, sketch.fitting(picture.model, 14, room), 14, theme.faint, "end")


def _draw_words(sketch: Sketch, row: Sequence[Reworded], words: Words, top: float) -> None:
    size, placed = _fitting(sketch, row)
    theme = sketch.theme
    for block in sorted({each.top for each in placed}):
        for line, key in enumerate(("before", "after")):
            baseline = top + block + (1 + line * _LINE) * size
            sketch.write(_LEFT, baseline, words(f"change.{key}"), min(20.0, 0.6 * size + 6), theme.faint)
    for each in placed:
        _draw_word(sketch, each.word, each.x, top + each.top, size)


def _draw_word(sketch: Sketch, word: Reworded, x: float, top: float, size: float) -> None:
    """The word before above the word after. What is gone is underlined, what is new stands on a tint."""
    theme, same = sketch.theme, word.before == word.after
    first, second = top + size, top + (1 + _LINE) * size
    sketch.write(x, first, word.before, size, "" if same else theme.faint)
    if word.before and not word.after:
        wide = sketch.measure(word.before, size, False)
        sketch.line(x, first + 0.2 * size, x + wide, first + 0.2 * size, theme.accent, max(1.4, size / 28))
    if word.after and not same:
        pad = 0.16 * size
        wide = sketch.measure(word.after, size, True) + 2 * pad
        sketch.box(Rect(x - pad, second - 0.92 * size, wide, 1.2 * size), theme.soft, radius=0.1 * size)
    sketch.write(x, second, word.after, size, "" if same else theme.accent, bold=not same)


def _fitting(sketch: Sketch, row: Sequence[Reworded]) -> tuple[float, list[_Placed]]:
    """The largest letters in which all words fit, and their places; of a very long translation the first blocks."""
    size, placed = _SIZES[-1], []
    for size in _SIZES:
        placed = _placed(sketch, row, size)
        if not placed:
            return size, placed
        spare = _WORDS_TOP + _WORDS_HIGH - _bottom(placed[-1], size)
        if spare >= 0:
            return size, [attrs.evolve(each, top=each.top + 0.4 * spare) for each in placed]
    shown = [each for each in placed if _bottom(each, size) <= _WORDS_TOP + _WORDS_HIGH]
    last = shown[-1]
    return size, [*shown[:-1], _Placed(Reworded("…", "…"), last.x, last.top)]


def _bottom(placed: _Placed, size: float) -> float:
    """Where the letters of a word's block end (px)."""
    return placed.top + (_BLOCK - 0.5) * size


def _placed(sketch: Sketch, row: Sequence[Reworded], size: float) -> list[_Placed]:
    x, top, made = _WORDS_X, _WORDS_TOP, []
    for word in row:
        clings = not any(map(str.isalnum, word.before + word.after))
        wide = max(sketch.measure(word.before, size, False), sketch.measure(word.after, size, word.before != word.after))
        x += 0.0 if x == _WORDS_X else (0.06 if clings else 0.36) * size
        if x > _WORDS_X and x + wide > _RIGHT:
            x, top = _WORDS_X, top + _BLOCK * size
        made.append(_Placed(word, x, top))
        x += wide
    return made


def _draw_map(sketch: Sketch, made: Heatmap, area: Rect) -> None:
    """One head's weights with the keys' names below; its title says which head it is."""
    n_rows, n_columns = made.values.shape
    # Cells are whole pixels: between pixels, a light seam would show at each edge.
    area = Rect(area.x, area.y, n_columns * (area.wide // n_columns or 0.5), n_rows * (area.high // n_rows or 0.5))
    sketch.write(area.x, area.y - 10, sketch.fitting(made.caption.title, 13, _MAP.wide + 60), 13, sketch.theme.faint)
    index = indices(made.values, made.scale, made.closed)
    sketch.cells(area, index, made.scale.colours)
    labels = made.columns.labels
    cell = area.wide / max(1, len(labels))
    if labels and cell >= _LEAST_CELL:
        for place, label in enumerate(labels):
            told = sketch.fitting(label, 13, cell + 6)
            sketch.write(area.x + (place + 0.5) * cell, area.bottom + 17, told, 13, sketch.theme.faint, "middle")


def _draw_says(sketch: Sketch, picture: Postcard, top: float) -> None:
    """What the change means, the probability of the word that is hit most, and the share of sentences that change."""
    y, room = top + _SAYS_Y, _RIGHT - _SAYS_X
    for line in sketch.lines(picture.about, 22, room)[:3]:
        sketch.write(_SAYS_X, y, line, 22)
        y += 32
    y += 2
    for text, size in ((picture.hit, 17.0), (picture.rate, 15.0)):
        for line in sketch.lines(text, size, room)[:2] if text else ():
            sketch.write(_SAYS_X, y, line, size, sketch.theme.faint)
            y += 1.5 * size
