"""Where a LensMap stands: a word in each cell, coloured where it is the one that is written; below, ten words of one cell."""

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.causal_kinds import LensMap
from explorer.picture.layout.follow_scene import colour, ink
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Rect
from explorer.picture.sums import probability, unmarked

_LETTERS, _SMALL = 12.0, 11.0
_HEAD_PX, _ROW_PX, _LEAST_ROW_PX, _LINE_PX = 22.0, 56.0, 15.0, 17.0
_LEAST_CELL_PX, _MOST_CELL_PX, _SIGN_PX = 38.0, 160.0, 26.0
_AGREES_PX = 46.0  # the column with what was measured
_MOST_BARE = 6  # rows that must have room beside the list of words
_LIST_PX = 6 * _LINE_PX + 10


@attrs.frozen
class Grid:
    """The cells of a LensMap (px): `first` is the first position that has room, `n_columns` how many have.

    `rows` are the rows that have room: all of them, or those after whole layers, or every so many of these.
    """

    area: Rect
    first: int
    n_columns: int
    rows: tuple[int, ...]
    wide: float
    high: float

    def cell(self, row: int, position: int) -> Rect:
        """The rectangle of a cell; that of the row above where the row itself has no room."""
        line = max((place for place, each in enumerate(self.rows) if each <= row), default=0)
        return Rect(self.area.x + (position - self.first) * self.wide, self.area.y + line * self.high, self.wide, self.high)

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """The cell (row, position) at a point."""
        line, column = int((y - self.area.y) // self.high), int((x - self.area.x) // self.wide)
        inside = 0 <= line < len(self.rows) and 0 <= column < self.n_columns
        return (self.rows[line], column + self.first) if inside else None


def grid(sketch: Sketch, picture: LensMap, area: Rect, first: int) -> Grid:
    """The grid in an area; with more positions than have room, it begins at `first`, or so that the chosen one is seen."""
    n_positions = picture.lens.ids.shape[1]
    named = max(sketch.measure(name, _LETTERS, True) for name in picture.rows) + 12
    room = area.wide - named - (0.0 if picture.agreement is None else _AGREES_PX)
    n_columns = max(1, min(n_positions, int(room / _LEAST_CELL_PX)))
    if n_columns < n_positions:  # A sign at each side counts the positions that have no room.
        room -= _SIGN_PX
        n_columns = max(1, int(room / _LEAST_CELL_PX))
    first = min(max(first, 0), n_positions - n_columns)
    below = _LIST_PX if area.high - _HEAD_PX - _LIST_PX >= _MOST_BARE * _LEAST_ROW_PX else 0.0
    rows = _rows(picture.lens.taps, int((area.high - _HEAD_PX - below) / _LEAST_ROW_PX))
    high = min(_ROW_PX, (area.high - _HEAD_PX - below) / len(rows))
    wide = min(_MOST_CELL_PX, room / n_columns)
    return Grid(Rect(area.x + named, area.y + _HEAD_PX, wide * n_columns, high * len(rows)), first, n_columns, rows, wide, high)


def _rows(taps: tuple[str, ...], most: int) -> tuple[int, ...]:
    """At most `most` rows, the last of them the last: all, else the input and those after whole layers, else some of these."""
    rows = tuple(range(len(taps)))
    if len(rows) > most:
        ending = taps[-1].rpartition(".")[2]
        rows = tuple(row for row in rows if row == 0 or taps[row].endswith(ending))
    if len(rows) > most:
        places = np.linspace(0, len(rows) - 1, max(1, most)).round().astype(int)
        rows = tuple(rows[place] for place in dict.fromkeys(places.tolist()))
    return (*rows[:-1], len(taps) - 1)


def first_shown(sketch: Sketch, picture: LensMap, area: Rect, before: int) -> int:
    """The first position to show so that the chosen one is seen; as before where it is seen already."""
    made = grid(sketch, picture, area, before)
    if picture.chosen < made.first:
        return picture.chosen
    return max(made.first, picture.chosen - made.n_columns + 1)


def lens_map(sketch: Sketch, picture: LensMap, words: Words, area: Rect, first: int, cell: tuple[int, int]) -> Grid:
    """Draw the map, and the ten words of `cell` (row, position) below it."""
    made, theme = grid(sketch, picture, area, first), sketch.theme
    lens, agrees = picture.lens, picture.lens.agrees()
    sketch.write(made.area.x - 8, area.y + 15, words("lens.reads"), _SMALL, theme.faint, "end")
    for position in range(made.first, made.first + made.n_columns):
        top, chosen = made.cell(0, position), position == picture.chosen
        text = sketch.fitting(unmarked(lens.tokens[position]), _LETTERS, made.wide - 6, chosen)
        sketch.write(
            top.x + made.wide / 2, area.y + 15, text, _LETTERS, theme.accent if chosen else theme.faint, "middle", chosen
        )
    _signs(sketch, made, len(lens.written), area)
    _agreement(sketch, picture, words, made, area)
    all_right = _first_right(agrees)
    for line, row in enumerate(made.rows):
        name, middle = picture.rows[row], made.area.y + (line + 0.5) * made.high
        sketch.write(
            made.area.x - 8,
            middle + 4,
            name,
            _LETTERS,
            theme.text if row == all_right else theme.faint,
            "end",
            row == all_right,
        )
        for position in range(made.first, made.first + made.n_columns):
            _cell(sketch, picture, made.cell(row, position), row, position, right=bool(agrees[row, position]))
    _frames(sketch, picture, made, cell)
    under = Rect(area.x, made.area.bottom + 8, area.wide, area.bottom - made.area.bottom - 8)
    if under.high >= 3 * _LINE_PX:
        _list(sketch, picture, words, under, cell)
    return made


def _signs(sketch: Sketch, made: Grid, n_positions: int, area: Rect) -> None:
    """Say at both ends of the head how many positions lie beyond."""
    after = n_positions - made.first - made.n_columns
    if made.first:
        sketch.write(area.x, area.y + 15, f"‹ {made.first}", _SMALL, sketch.theme.accent, bold=True)
    if after:
        sketch.write(made.area.right + _SIGN_PX, area.y + 15, f"{after} ›", _SMALL, sketch.theme.accent, "end", bold=True)


def _agreement(sketch: Sketch, picture: LensMap, words: Words, made: Grid, area: Rect) -> None:
    """Behind each row: at which share of the places of held-out sentences its likeliest word is the output's."""
    if picture.agreement is None:
        return
    signs = 0.0 if made.n_columns == len(picture.lens.written) else _SIGN_PX
    theme, right = sketch.theme, made.area.right + _AGREES_PX + signs
    head = sketch.fitting(words("lens.held_out"), _SMALL, _AGREES_PX - 4)
    sketch.write(right, area.y + 15, head, _SMALL, theme.faint, "end")
    shares = picture.agreement.shares(jacobian=picture.jacobian)
    for line, row in enumerate(made.rows):
        y = made.area.y + (line + 0.5) * made.high
        tall, left = min(made.high - 2, 16.0), right - _AGREES_PX + 8
        sketch.box(Rect(left, y - tall / 2, right - left, tall), theme.pale)
        sketch.box(Rect(left, y - tall / 2, (right - left) * shares[row], tall), theme.water)
        sketch.write(right - 3, y + 4, f"{100 * shares[row]:.0f}%", min(_SMALL, made.high * 0.62), theme.text, "end")


def _first_right(agrees: NDArray[np.bool_]) -> int:
    """The first row from which on every row says all written words; -1 where there is none."""
    wrong = np.flatnonzero(~agrees.all(axis=1))
    first = int(wrong[-1]) + 1 if wrong.size else 0
    return first if first < len(agrees) else -1


def _cell(sketch: Sketch, picture: LensMap, area: Rect, row: int, position: int, *, right: bool) -> None:
    lens, theme = picture.lens, sketch.theme
    inner = area.inset(0.5, 0.5, 0.5, 0.5)
    p = float(lens.probabilities[row, position, 0])
    sketch.box(inner, colour(p, picture.scale) if right else theme.pale)
    said = f"{lens.ranks[row, position]:,}" if picture.ranks else unmarked(lens.names[int(lens.ids[row, position, 0])])
    text = sketch.fitting(said, _LETTERS, area.wide - 6)
    tint = ink(p, picture.scale, theme) if right else theme.faint
    sketch.write(area.x + area.wide / 2, area.y + area.high / 2 + 4, text, min(_LETTERS, area.high * 0.62), tint, "middle")


def _frames(sketch: Sketch, picture: LensMap, made: Grid, cell: tuple[int, int]) -> None:
    """An accent frame around the chosen position, and a stronger one around the cell whose words stand below."""
    theme = sketch.theme
    if made.first <= picture.chosen < made.first + made.n_columns:
        top = made.cell(0, picture.chosen)
        sketch.box(Rect(top.x, made.area.y, made.wide, made.area.high), line=theme.accent)
    row, position = cell
    if made.first <= position < made.first + made.n_columns:
        sketch.box(made.cell(row, position).inset(1, 1, 1, 1), line=theme.accent, width=2)


def _list(sketch: Sketch, picture: LensMap, words: Words, area: Rect, cell: tuple[int, int]) -> None:
    """The ten likeliest words of one cell in two columns, with p as bars; and the place of the written word."""
    lens, theme = picture.lens, sketch.theme
    row, position = cell
    sketch.write(area.x, area.y + 12, sketch.fitting(told_cell(picture, words, row, position), _SMALL, area.wide), _SMALL)
    written = lens.written[position]
    wide = (area.wide - 16) / 2
    lines = min(5, int((area.high - _LINE_PX) / _LINE_PX))
    for rank, symbol in enumerate(lens.ids[row, position].tolist()):
        column, line = divmod(rank, 5)
        if line >= lines:
            continue
        x, base = area.x + column * (wide + 16), area.y + _LINE_PX * (line + 2) - 4
        p = float(lens.probabilities[row, position, rank])
        named = min(76.0, wide * 0.36)
        own = symbol == written
        sketch.write(x + 18, base, f"{rank + 1}", _SMALL, theme.faint, "end")
        sketch.write(
            x + 24,
            base,
            sketch.fitting(unmarked(lens.names[symbol]), _LETTERS, named),
            _LETTERS,
            theme.accent if own else theme.text,
            bold=own,
        )
        start, room = x + 24 + named + 6, wide - named - 24 - 6 - 48
        sketch.box(Rect(start, base - 8, max(room, 1), 8), theme.pale)
        sketch.box(Rect(start, base - 8, max(room, 1) * p, 8), theme.accent if own else theme.grey)
        sketch.write(x + wide, base, probability(p), _SMALL, theme.faint, "end")


def told_cell(picture: LensMap, words: Words, row: int, position: int) -> str:
    """What a cell's words are, and the place of the written word among all."""
    lens = picture.lens
    return words(
        "lens.cell",
        row=picture.rows[row],
        token=unmarked(lens.tokens[position]),
        word=unmarked(lens.names[lens.written[position]]),
        rank=f"{lens.ranks[row, position]:,}",
        p=probability(float(lens.written_p[row, position])),
    )
