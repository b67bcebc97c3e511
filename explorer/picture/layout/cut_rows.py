"""Where CutRows stand: a row for each cut, its words under the characters of the text, and its two maps at the right.

Words that overlap stand in lanes below one another. A word that fell apart is a frame around its pieces.
"""

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.cell_numbers import is_dark
from explorer.picture.cut_kinds import CutRow, CutRows
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.token_row import UNKNOWN_DASH
from explorer.picture.marks import Box, Rect
from explorer.picture.scales import Scale, indices
from explorer.picture.sums import told
from explorer.trace.arrays import Array

_LETTERS, _SMALL, _TINY = 13.0, 11.0, 10.0
_HEAD_PX, _PAD_PX, _SAID_PX, _GAP_PX = 20.0, 7.0, 17.0, 16.0
_LEAST_LANE_PX, _MOST_LANE_PX, _IDS_FROM_PX = 22.0, 38.0, 32.0
_LEAST_MAP_PX, _MOST_MAP_PX, _FIGURES_FROM_PX = 52.0, 92.0, 25.0
_ROOM_PX, _BLANK_PX = 10.0, 4.0  # around a character, and for white space
_WIDEST, _NARROWEST = 2.6, 0.8  # how far characters are spread or pushed together
_MOST_SPREAD = 1.7  # how many times further where there is room
_MOST_NAME_PX, _MARK_PX = 160.0, 3.0
_SAID, _BESIDE_PX, _ARROW_PX = 12.0, 230.0, 18.0  # a translation: its size, the least room beside the words, its arrow
_FACTORS = (1.8, 1.6, 1.4, 1.3, 1.2, 1.1)
_LEAST_WIDE_PX, _COMFORTABLE_PX = 760.0, 33.0  # rows are not enlarged beyond this width and this height of a lane


@attrs.frozen
class Tile:
    """A token of a row and its rectangle."""

    row: int
    token: int
    area: Rect


@attrs.frozen
class Places:
    """The rectangles (px): of each row and its name, of pieces, and of the maps, None where a row has none."""

    rows: tuple[Rect, ...]
    names: tuple[Rect, ...]
    pieces: tuple[Tile, ...]
    maps: tuple[Rect | None, ...]
    differences: tuple[Rect | None, ...]

    def enlarged(self, factor: float) -> "Places":
        """All of them, so many times as large."""

        def each(areas: tuple[Rect | None, ...]) -> tuple[Rect | None, ...]:
            return tuple(None if area is None else area.enlarged(factor) for area in areas)

        return Places(
            tuple(area.enlarged(factor) for area in self.rows),
            tuple(area.enlarged(factor) for area in self.names),
            tuple(attrs.evolve(piece, area=piece.area.enlarged(factor)) for piece in self.pieces),
            each(self.maps),
            each(self.differences),
        )

    def piece_at(self, x: float, y: float) -> Tile | None:
        """The piece at a point."""
        return next((piece for piece in self.pieces if _inside(piece.area, x, y)), None)

    def row_at(self, x: float, y: float) -> int | None:
        """The row whose name is at a point."""
        return next((row for row, area in enumerate(self.names) if _inside(area, x, y)), None)

    def cell_at(self, x: float, y: float, n_units: int) -> tuple[int, int, int] | None:
        """Row of the picture, row and column of its maps at a point."""
        for row, pair in enumerate(zip(self.maps, self.differences, strict=True)):
            for area in pair:
                if area is not None and _inside(area, x, y):
                    line, column = (y - area.y) / area.high * n_units, (x - area.x) / area.wide * n_units
                    return row, min(int(line), n_units - 1), min(int(column), n_units - 1)
        return None


def _inside(area: Rect, x: float, y: float) -> bool:
    return area.x <= x < area.right and area.y <= y < area.bottom


@attrs.frozen(eq=False)
class _Columns:
    """The columns (px): how wide names are, the edges of characters, the left edges of both maps and their side.

    Where there is room behind the words, translations stand `beside` them, else below.
    """

    named: float
    ruler: Rect
    edges: list[float]
    maps_x: float
    differences_x: float
    side: float
    beside: bool


def _columns(sketch: Sketch, picture: CutRows, area: Rect) -> _Columns:
    named = min(_MOST_NAME_PX, 12 + max(sketch.measure(row.name, _LETTERS, True) for row in picture.rows))
    side = min(_MOST_MAP_PX, max(_LEAST_MAP_PX, area.wide * 0.11))
    maps_x = area.right - 2 * side - _GAP_PX
    ruler = Rect(area.x + named + _GAP_PX, area.y, max(40.0, maps_x - area.x - named - 2 * _GAP_PX), area.high)
    edges = _edges(sketch, picture.text, ruler)
    beside = ruler.right - edges[-1] >= _BESIDE_PX
    if beside:  # Characters take the room that no translation needs.
        said = max(sketch.measure(row.said, _SAID, False) for row in picture.rows) + _ARROW_PX + 2 * _GAP_PX
        spare = ruler.right - edges[-1] - max(_BESIDE_PX, said)
        times = min(_MOST_SPREAD, 1 + max(0.0, spare) / max(1.0, edges[-1] - ruler.x))
        edges = [ruler.x + (edge - ruler.x) * times for edge in edges]
    return _Columns(named, ruler, edges, maps_x, maps_x + side + _GAP_PX, side, beside)


def height_px(picture: CutRows, lane_px: float = _LEAST_LANE_PX, *, beside: bool = False) -> float:
    """The height that all rows take with lanes of this height (px)."""
    return _HEAD_PX + sum(_row_px(row, lane_px, beside=beside) for row in picture.rows)


def comfortable_height_px(sketch: Sketch, picture: CutRows, wide: float) -> float:
    """The height that the rows should have in this width (px), so that every id can be read."""
    beside = _columns(sketch, picture, Rect(0, 0, wide, 0)).beside
    return height_px(picture, _COMFORTABLE_PX, beside=beside)


def _row_px(row: CutRow, lane_px: float, *, beside: bool) -> float:
    n_lanes = 1 + max(row.lanes, default=0)
    said = _SAID_PX if row.said and not beside else 0.0
    return max(_LEAST_MAP_PX, n_lanes * lane_px + said) + 2 * _PAD_PX


def enlargement(sketch: Sketch, picture: CutRows, area: Rect) -> float:
    """How many times as large the rows can be drawn in an area."""
    for factor in _FACTORS:
        small = area.enlarged(1 / factor)
        if small.wide >= _LEAST_WIDE_PX:
            beside = _columns(sketch, picture, small).beside
            if height_px(picture, _COMFORTABLE_PX, beside=beside) <= small.high:
                return factor
    return 1.0


def cut_rows(sketch: Sketch, picture: CutRows, words: Words, area: Rect, here: int | None = None) -> Places:
    """Draw all rows; `here` is the row whose name the mouse or the keys are at. Returns the rectangles."""
    at = _columns(sketch, picture, area)
    lane_px = _LEAST_LANE_PX
    while lane_px < _MOST_LANE_PX and height_px(picture, lane_px + 1, beside=at.beside) <= area.high:
        lane_px += 1
    _head(sketch, picture, words, at)
    rows, names, pieces = list[Rect](), list[Rect](), list[Tile]()
    maps, differences = list[Rect | None](), list[Rect | None]()
    top = area.y + _HEAD_PX
    for index, row in enumerate(picture.rows):
        own = Rect(area.x, top, area.wide, _row_px(row, lane_px, beside=at.beside))
        top = own.bottom
        rows.append(own)
        names.append(Rect(own.x, own.y, at.named + _GAP_PX / 2, own.high))
        sketch.line(own.x, own.y, own.right, own.y, sketch.theme.hairline)
        _name(sketch, picture, index, names[-1], lit=here == index)
        pieces += _words(sketch, row, index, at.edges, Rect(at.ruler.x, own.y + _PAD_PX, at.ruler.wide, lane_px))
        _said(sketch, picture, index, at, own)
        square = min(at.side, own.high - 2 * _PAD_PX)
        maps.append(_map(sketch, row.values, picture.scale, Rect(at.maps_x, own.y + _PAD_PX, square, square)))
        other = Rect(at.differences_x, own.y + _PAD_PX, square, square)
        if index == picture.present:
            said = sketch.fitting(words("cuts.shown"), _SMALL, at.side)
            sketch.write(other.x, own.y + own.high / 2 + 4, said, _SMALL, sketch.theme.faint)
            differences.append(None)
        else:
            differences.append(_map(sketch, row.difference, picture.difference_scale, other))
    return Places(tuple(rows), tuple(names), tuple(pieces), tuple(maps), tuple(differences))


def _edges(sketch: Sketch, text: str, ruler: Rect) -> list[float]:
    """The left edge of each character, and the right edge of the last one that has room (px)."""
    wides = [_BLANK_PX if each.isspace() else sketch.measure(each, _LETTERS + 1, False) + _ROOM_PX for each in text]
    spread = min(_WIDEST, max(_NARROWEST, ruler.wide / max(1.0, sum(wides))))
    edges = [ruler.x]
    for wide in wides:
        if edges[-1] + wide * spread > ruler.right + 1:
            break
        edges.append(edges[-1] + wide * spread)
    return edges


def _head(sketch: Sketch, picture: CutRows, words: Words, at: _Columns) -> None:
    """What the columns at the right are, with the ends of the scale of differences."""
    y, faint = at.ruler.y + 12, sketch.theme.faint
    sketch.write(at.maps_x, y, sketch.fitting(words("cuts.map"), _SMALL, at.side + 6), _SMALL, faint)
    reach = f"±{told(picture.difference_scale.high, 1).lstrip('+')}"
    difference = sketch.fitting(words("cuts.difference", reach=reach), _SMALL, at.side + 6)
    sketch.write(at.differences_x, y, difference, _SMALL, faint)


def _name(sketch: Sketch, picture: CutRows, index: int, area: Rect, *, lit: bool) -> None:
    row, theme = picture.rows[index], sketch.theme
    present = index == picture.present
    if lit:
        sketch.box(area.inset(0, 1), theme.window)
    if present:
        sketch.box(Rect(area.x, area.y + 4, _MARK_PX, area.high - 8), theme.accent)
    x, y = area.x + 10, area.y + _PAD_PX + 15
    sketch.write(x, y, sketch.fitting(row.name, _LETTERS, area.wide - 10, bold=present), _LETTERS, bold=present)
    unknown = any(not token.known for token in row.tokens)
    for line in sketch.lines(row.about, _SMALL, area.wide - 10)[:2]:
        y += 15
        sketch.write(x, y, line, _SMALL, theme.warning if unknown else theme.faint)


def _words(sketch: Sketch, row: CutRow, index: int, edges: list[float], first: Rect) -> list[Tile]:
    """The words of a row in their lanes; `first` is the first lane."""
    if row.refused:
        said = sketch.fitting(row.refused, _SMALL, first.wide)
        sketch.write(first.x, first.y + 16, said, _SMALL, sketch.theme.warning)
        return []
    found: list[Tile] = []
    for word, lane in enumerate(row.lanes):
        start, end = row.words[word]
        if end >= len(edges):
            continue
        top = first.y + lane * first.high
        frame = Rect(edges[start] + 1, top + 1, edges[end] - edges[start] - 2, first.high - 3)
        apart = row.fell_apart(word)
        if apart:
            sketch.box(frame, line=sketch.theme.grey, radius=4)
        found += _pieces(sketch, row, index, word, edges, frame.inset(0, 0), whole=not apart)
    return found


def _pieces(sketch: Sketch, row: CutRow, index: int, word: int, edges: list[float], frame: Rect, *, whole: bool) -> list[Tile]:
    found: list[Tile] = []
    places = row.pieces[word]
    spans = [(row.tokens[place].start, row.tokens[place].end) for place in places]
    for place, (start, end) in zip(places, spans, strict=True):
        # The bytes of one character stand at its place, beside one another.
        same = [each for each, span in zip(places, spans, strict=True) if span == (start, end)]
        wide = (edges[end] - edges[start] - 2) / len(same)
        area = Rect(edges[start] + 1 + wide * same.index(place), frame.y, wide, frame.high)
        _piece(sketch, row, place, area, whole=whole)
        if not whole and area.x > frame.x + 2:
            sketch.line(area.x - 1, area.y + 4, area.x - 1, area.bottom - 4, sketch.theme.hairline, dashed=True)
        found.append(Tile(index, place, area))
    return found


def _piece(sketch: Sketch, row: CutRow, place: int, area: Rect, *, whole: bool) -> None:
    token, theme = row.tokens[place], sketch.theme
    if whole:
        sketch.box(area, theme.window if token.known else "", line=theme.hairline if token.known else "", radius=4)
    if not token.known:  # Also without colours, and where its id has no room.
        sketch.marks.append(Box(area, "", theme.warning, 4.0, dash=UNKNOWN_DASH))
    with_id = area.high >= _IDS_FROM_PX - 3
    middle = area.x + area.wide / 2
    text = sketch.fitting(token.text, _LETTERS, area.wide - 2)
    y = area.y + (15 if with_id else area.high / 2 + 5)
    sketch.write(middle, y, text, _LETTERS, theme.text if token.known else theme.warning, "middle")
    said = str(token.id) if token.known else "<unk>"
    if with_id and sketch.measure(said, _TINY, False) <= area.wide - 2:
        sketch.write(middle, area.bottom - 5, said, _TINY, theme.faint if token.known else theme.warning, "middle")


def _said(sketch: Sketch, picture: CutRows, index: int, at: _Columns, row: Rect) -> None:
    """The translation of a cut; it stands back where it is the one of the present cut."""
    said = picture.rows[index].said
    if not said:
        return
    same = index != picture.present and said == picture.rows[picture.present].said
    colour = sketch.theme.faint if same else sketch.theme.text
    if not at.beside:
        text = sketch.fitting(f"→ {said}", _SAID, at.ruler.wide)
        sketch.write(at.ruler.x + 1, row.bottom - _PAD_PX - _SAID_PX + 13, text, _SAID, colour)
        return
    x, y = at.edges[-1] + _GAP_PX, row.y + _PAD_PX + 15
    sketch.write(x, y, "→", _SAID, sketch.theme.faint)
    lines = sketch.lines(said, _SAID, at.ruler.right - x - _ARROW_PX)
    room = max(1, int((row.high - 2 * _PAD_PX) / _SAID_PX))
    if len(lines) > room:
        lines = [*lines[: room - 1], sketch.fitting(" ".join(lines[room - 1 :]), _SAID, at.ruler.right - x - _ARROW_PX)]
    for place, line in enumerate(lines):
        sketch.write(x + _ARROW_PX, y + place * _SAID_PX, line, _SAID, colour)


def _map(sketch: Sketch, values: Array | None, scale: Scale, area: Rect) -> Rect | None:
    if values is None or not values.size:
        return None
    index = indices(values, scale)
    sketch.cells(area, index, scale.colours)
    high = area.high / len(values)
    if high >= _FIGURES_FROM_PX:
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                dark = is_dark(int(index[row, column]), scale.colours)
                colour = sketch.theme.on_dark if dark else sketch.theme.on_light
                figure = told(float(value), 2) if scale.centred else f"{value:.2f}"
                at = area.x + (column + 0.5) * high, area.y + (row + 0.5) * high + 4
                sketch.write(*at, figure, _TINY, colour, "middle")
    return area


def told_piece(picture: CutRows, row: int, token: int, words: Words) -> str:
    """One token in words: its text, id and place, the word that fell apart, and whether it is unknown."""
    piece = picture.rows[row].tokens[token]
    lines = [words("cuts.token", text=piece.text, id=piece.id, start=piece.start, end=piece.end)]
    if piece.word is not None:
        lines.append(words("cuts.of_word", word=picture.text[slice(*piece.word)]))
    if not piece.known:
        lines.append(words("token.unknown"))
    return "\n".join(lines)


def told_cell(picture: CutRows, row: int, query: int, key: int, words: Words) -> str:
    """One cell in words: who looks at whom, how much, and how much more than with the present cut."""
    made, present = picture.rows[row], picture.rows[picture.present]
    if made.values is None:
        return ""
    units = {"who": picture.units[query], "whom": picture.units[key]}
    lines = [words("cuts.cell", name=made.name, **units, value=f"{made.values[query, key]:.3f}")]
    if made.difference is not None and row != picture.present:
        difference = told(float(made.difference[query, key]), 3)
        lines.append(words("cuts.cell_difference", name=present.name, value=difference))
    return "\n".join(lines)
