"""Strips: bands beside each other, in which a row is the same token. In a file they go on in further lines."""

import math

from explorer.lang import Words
from explorer.picture.cell_text import number, told_reach
from explorer.picture.kinds import Heatmap, Strips
from explorer.picture.layout.map import has_unknown
from explorer.picture.layout.map_labels import Lit, every_row, longest_px, row_labels, unknown_meaning
from explorer.picture.layout.map_sheet import row_label_px, row_names, swatch, whole
from explorer.picture.layout.sketch import LABEL, USUAL_PX, Measure, Sketch
from explorer.picture.layout.viewport import CellField
from explorer.picture.marks import Rect, framed
from explorer.picture.scales import indices

_MOST_LABEL = 72.0  # px; longer labels of rows are elided in a window
_HEAD, _FOOT = 25.0, 20.0
_TITLE_LINE = 19.0  # px, the height of a further line of a band's title
_MOST_LINES = 2  # lines of a band's title
_LEAST_SEEN = 24.0  # px; a band of which less is visible has no name
_LINE_PX = 1400.0  # px; wider strips go on in the next line of a file
_BANDS_PX, _LEAST_BAND = 20.0, 90.0  # px between bands, and the least width of one


def pitch_of(picture: Strips) -> int:
    """How many columns lie from the beginning of a band to that of the next one, in a window."""
    n_columns = widest(picture)
    return n_columns + max(1, n_columns // 16)


def widest(picture: Strips) -> int:
    """The columns of the widest band: of some models, each head's values are not as wide as its keys."""
    return max(int(band.values.shape[1]) for band in picture.bands)


def strip_margins(
    picture: Strips, wide: float, px: float, letters: float, measure: Measure
) -> tuple[float, float, float, float]:
    """The room (px) at the left, top, right and bottom of the cells in a view of this width."""
    left = 10 + min(_MOST_LABEL * letters, longest_px(picture.bands[0].rows.labels, px, measure))
    foot = _FOOT + (_TITLE_LINE if _has_unknown(picture) else 0.0)
    room = (wide - left - 4) / len(picture.bands) - 8
    fits = room <= 0 or all(measure(band.caption.title, px, False) <= room for band in picture.bands)
    head = _HEAD + _TITLE_LINE * ((1 if fits else _MOST_LINES) - 1)
    return left, head * letters, 4, foot * letters


def _has_unknown(picture: Strips) -> bool:
    return any(has_unknown(band) for band in picture.bands)


def draw_beside_strips(
    sketch: Sketch, picture: Strips, words: Words, field: CellField, wide: float, px: float, letters: float, lit: Lit
) -> None:
    """Draw the rows' labels, the bands' names above and their ranges below."""
    rows, rect, pitch = picture.bands[0].rows, field.rect, pitch_of(picture)
    row_labels(sketch, rows, field, every_row(rows, field, px), px, gap=6, room=_MOST_LABEL * letters, lit=lit)
    for place, band in enumerate(picture.bands):
        left = max(rect.x, field.x(place * pitch))
        seen = min(rect.right, field.x(place * pitch + band.values.shape[1])) - left
        if seen >= _LEAST_SEEN:
            _name_above(sketch, band.caption.title, left, rect.y - 7, seen + 6, px)
            sketch.write(left, rect.bottom + 14 * letters, told_reach(band.scale, words), px, "faint", room=seen + 6)
    if _has_unknown(picture):
        unknown_meaning(sketch, rect.x, rect.bottom + _FOOT * letters + 1, wide, words("legend.nan"), px)


def _name_above(sketch: Sketch, title: str, left: float, last: float, room: float, px: float) -> None:
    """Write a band's title in at most two lines, the last one with its baseline at `last`."""
    lines = [title] if sketch.measure(title, px, False) <= room else sketch.lines(title, px, room)
    lines = [*lines[: _MOST_LINES - 1], "".join(lines[_MOST_LINES - 1 :])] if len(lines) > _MOST_LINES else lines
    for up, line in enumerate(reversed(lines)):
        sketch.write(left, last - up * _TITLE_LINE * px / USUAL_PX, line, px, room=room)


def draw_over_strips(sketch: Sketch, picture: Strips, field: CellField, lit: Lit) -> None:
    """Draw a frame around the rows of lit tokens."""
    for row in picture.bands[0].rows.indices(lit, field.view.rows):
        sketch.marks.append(framed(field.cells(row, 0, 1, field.view.columns), "accent", 1.5))


def strips_sheet(sketch: Sketch, picture: Strips, words: Words, top: float, room: float) -> list[tuple[Heatmap, CellField]]:
    """Draw bands in as many lines as they need, with the rows' labels at the left of each; returns where each band stands."""
    placed: list[tuple[Heatmap, CellField]] = []
    rows, (n_rows, n_columns) = picture.bands[0].rows, picture.bands[0].values.shape
    high = whole(min(24.0 if math.isinf(room) else 16.0, max(2.0, 640 / n_rows)))
    start = left = row_label_px(sketch, rows, high)
    wide = whole(max(1.0, min(12.0, 280 / n_columns)))
    if math.isfinite(room):
        wide = min(12.0, _band_px(sketch, picture, room - left) / n_columns)
    for band in picture.bands:
        reach = f"{number(band.scale.low)} … {number(band.scale.high)}"
        if band.scale.reach is not None:
            reach = told_reach(band.scale, words)
        taken = max(band.values.shape[1] * wide, *(sketch.measure(each, LABEL, False) for each in (band.caption.title, reach)))
        if left > start and left + taken > min(_LINE_PX, room):
            left, top = start, top + 62 + n_rows * high
        field = CellField.whole(Rect(left, top + 20, band.values.shape[1] * wide, n_rows * high), *band.values.shape)
        if left == start:
            row_names(sketch, rows, field)
        sketch.write(left, top + 12, band.caption.title, LABEL)
        sketch.cells(field.rect, indices(band.values, band.scale, band.closed), band.scale.colours)
        sketch.write(left, field.rect.bottom + 18, reach, LABEL, "faint")
        placed.append((band, field))
        left += taken + _BANDS_PX
    if _has_unknown(picture):
        swatch(sketch, start, top + 58 + n_rows * high, "unknown", words("legend.nan"), room)
    return placed


def _band_px(sketch: Sketch, picture: Strips, room: float) -> float:
    """The width (px) of a band where as many as can stand beside each other fill the room."""
    titles = max(sketch.measure(band.caption.title, LABEL, False) for band in picture.bands)
    a_line = max(1, min(len(picture.bands), int((room + _BANDS_PX) / (max(titles, _LEAST_BAND) + _BANDS_PX))))
    return (room - _BANDS_PX * (a_line - 1)) / a_line
