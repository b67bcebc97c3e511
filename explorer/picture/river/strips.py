"""The left of a half: its tokens, and for each the vector, the wave of its position and their sum."""

import numpy as np
from numpy.typing import NDArray

from explorer.picture.marks import Box, Cells, Label, Line, Mark, Rect
from explorer.picture.river.grid import LEAST_LABEL_PX, HalfGrid, RiverGrid
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.place import Place
from explorer.picture.river.river import Half
from explorer.picture.river.scene import Drawn, Hot, HotRows, about_width
from explorer.picture.scales import GAP, LEVELS, Scale, indices
from explorer.trace.arrays import Array

_SMALLER_PX, _SPARE = (12.0, 11.0, 10.0), 1.15  # sizes of labels; how much wider than about a label may be
_ID_PX, _LEAST_TOKEN_PX = 6.2, 36.0  # px of a digit of an id; of a token that is cut, so that its id has room
_BETWEEN_PX = 2.0  # between the labels of two columns
_COLUMN_PX, _LEAST_COLUMN_PX = 10.0, 20.0  # letters of labels that would not all fit larger; the room that tells a label
_MOST_HOT = 60  # lanes whose vectors answer to the mouse
_WAVE = 0.14  # where on the signed colour table the waves' colours lie, from its ends
_LEAST_WAVE, _APART = 7.0, 4  # px of height for a wave to be drawn as a shape; px between sines and cosines
_MOST_HEIGHT = 30.0
_SAME = 1e-3  # of the largest number; sums differ by less
_FAR = 4.0  # times smaller, vectors would be all but white on the scale of their sums


def draw_strips(
    half: Half,
    place: HalfGrid,
    grid: RiverGrid,
    colours: str,
    wanted: tuple[int, ...],
    kept: KeptMarks,
    *,
    sinusoidal: bool = True,
) -> Drawn:
    """Tokens and vectors of a half. `wanted` lanes get their labels first where not all have room."""
    bar = _bar(half, place)
    return Drawn(
        (*bar.scene, *_labels(half, place, grid, wanted), *_vectors(half, place, colours, kept, sinusoidal=sinusoidal)),
        (*bar.hot, _hot_tokens(half, place), *_hot_vectors(half, place)),
    )


def _hot_tokens(half: Half, place: HalfGrid) -> HotRows:
    rect = Rect(place.label.x, place.top, place.start - place.label.x, place.pitch * half.n)
    return HotRows(rect, half.n, lambda lane: Place("token", side=half.tokens, index=half.token(lane)))


def _hot_vectors(half: Half, place: HalfGrid) -> list[HotRows]:
    """The three columns of vectors, of few lanes."""
    if half.n > _MOST_HOT:
        return []
    return [
        HotRows(
            Rect(x, place.top, place.strip_w, place.pitch * half.n),
            half.n,
            lambda lane, part=part: Place("vector", half.tokens, half.token(lane), head=part),  # type: ignore[misc]
        )
        for part, x in enumerate(place.strips)
    ]


def bar_rect(half: Half, place: HalfGrid) -> Rect:
    """The bar left of the tokens that stands for the whole sentence, with the excerpt that has lanes."""
    left = place.label.x if not place.right_aligned else place.label.right
    return Rect(left - 10 if not place.right_aligned else left + 4, place.top, 4, max(place.pitch * place.n, 8.0))


def excerpt_told(half: Half) -> str:
    """Which tokens have lanes, counted from 1, such as "33–64 / 4,096"."""
    return f"{half.first + 1:,}–{half.end:,} / {half.n_tokens:,}"


def _bar(half: Half, place: HalfGrid) -> Drawn:
    if half.whole:
        return Drawn(())
    rect = bar_rect(half, place)
    y, high = rect.y + rect.high * half.first / half.n_tokens, rect.high * (half.end - half.first) / half.n_tokens
    return Drawn(
        (Box(rect, "hairline", radius=2), Box(Rect(rect.x, y, rect.wide, max(high, 4.0)), "band", radius=2)),
        (Hot(rect.grown(4), Place("scroll", side=half.tokens)),),
    )


def reaches(half: Half) -> tuple[float, float]:
    """The ends of the colour scales of a half's vectors before and after the positions are added.

    One scale for both lets the eye add them; where a norm stands behind the sums, or one is far smaller, each has its own.
    """
    before, after = (float(np.abs(values).max(initial=0)) for values in (half.scaled, half.output))
    both = max(before, after) or 1.0
    # Of blocks of tokens the largest numbers are shown, which are no sums. Of some models a layer widens the sum.
    alike = half.scaled.shape == half.output.shape
    is_sum = not half.single or (
        alike and bool(np.abs(half.scaled + half.positions - half.output).max(initial=0) <= _SAME * both)
    )
    return (both, both) if not min(before, after) or (is_sum and both <= _FAR * min(before, after)) else (before, after)


def shown_text(label: str) -> str:
    """A token's text without the mark that stands for a blank."""
    return label.removeprefix("␣") or label


def smaller(text: str, px: float, room: float) -> float:
    """The size of a label: of one that has no room the next smaller one that has."""
    sizes = [px, *(size for size in _SMALLER_PX if size < px)]
    return next((size for size in sizes if _SPARE * about_width(text, size) <= room), sizes[-1])


def id_told(half: Half, lane: int) -> str:
    """The id of a lane's token; of a word of several, how many."""
    n_tokens = len(half.tokens_of(lane))
    return str(half.ids[lane]) if n_tokens == 1 else f"×{n_tokens}"


def text_px(pitch: float, narrow: bool) -> float:
    """The size of tokens beside lanes of a pitch."""
    if pitch < 18:
        return 11.0 if pitch >= 14 else 10.0
    return (14.0 if narrow else 16.0) if pitch >= 24 else 13.0


def labelled(n: int, pitch: float, wanted: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[int, ...]:
    """The lanes that get a label: all where there is room; else `wanted`, the first, the last, then the longest."""
    if pitch >= LEAST_LABEL_PX:
        return tuple(range(n))
    gap = LEAST_LABEL_PX / pitch
    order = dict.fromkeys([*wanted, 0, n - 1, *sorted(range(n), key=lambda lane: -lengths[lane])])
    taken = np.zeros(n, bool)
    kept = []
    for lane in order:
        if not taken[lane]:
            kept.append(lane)
            taken[max(0, int(np.ceil(lane - gap + 1e-6))) : int(np.floor(lane + gap - 1e-6)) + 1] = True
    return tuple(sorted(kept))


def labelled_columns(labels: tuple[str, ...], wide: float, px: float, room: float) -> tuple[int, ...]:
    """The columns of a map that get a label in the middle: the first, the last, then the longest that touch no other one."""
    n = len(labels)
    needs = [min(about_width(shown_text(label), px), room) for label in labels]
    kept: list[int] = []
    for column in dict.fromkeys([0, n - 1, *sorted(range(n), key=lambda column: -len(labels[column]))]):
        if all(abs(column - other) * wide >= (needs[column] + needs[other]) / 2 + _BETWEEN_PX for other in kept):
            kept.append(column)
    return tuple(sorted(kept))


def fitted_columns(labels: tuple[str, ...], wide: float, px: float, room: float) -> tuple[float, float, tuple[int, ...]]:
    """Size and room (px) of the labels of a map's columns, and the columns that get one: all of them, where smaller letters
    or shorter pieces of long labels make that possible.
    """
    cut = range(int(room) - 1, int(_LEAST_COLUMN_PX) - 1, -1) if wide * len(labels) > _LEAST_COLUMN_PX else ()
    for size, most in ((px, room), (_COLUMN_PX, room), *((_COLUMN_PX, float(most)) for most in cut)):
        columns_ = labelled_columns(labels, wide, size, most)
        if len(columns_) == len(labels):
            return size, most, columns_
    return px, room, labelled_columns(labels, wide, px, room)


def _labels(half: Half, place: HalfGrid, grid: RiverGrid, wanted: tuple[int, ...]) -> list[Mark]:
    px = text_px(place.pitch, grid.narrow)
    big = place.pitch >= 18
    made: list[Mark] = []
    lengths = tuple(len(label) for label in half.labels)
    for lane in labelled(half.n, place.pitch, wanted, lengths):
        if place.right_aligned:
            made += lane_label(half, place, lane, px, "text")
            continue
        made += lane_label(half, place, lane, px, "text", bold=big)
        if not big:
            made.append(Line(place.label.right - 3, place.y(lane), place.strips[0] - 2, place.y(lane), "hairline"))
    return made


def lane_label(half: Half, place: HalfGrid, lane: int, px: float, ink: str, *, bold: bool = False) -> list[Label]:
    """A lane's token, and at the left half its id, where both have room."""
    y, text = place.y(lane), shown_text(half.labels[lane])
    if place.right_aligned:
        size = smaller(text, min(px, 14), place.label.wide)
        return [Label(place.label.right, y, text, size, ink, align="right", room=place.label.wide)]
    number, big = id_told(half, lane), place.pitch >= 18
    left = place.label.wide - (_ID_PX * len(number) + 8 if big else about_width(number, 10) + 10)
    has_id = left > _LEAST_TOKEN_PX or about_width(text, px) <= left
    room = left if has_id else place.label.wide
    size = smaller(text, px, room) if half.groups else px
    made = [Label(place.label.x, y, text, size, ink, bold=bold, room=room)]
    if has_id:
        made.append(Label(place.label.right - (0 if big else 6), y, number, 11 if big else 10, "faint", align="right"))
    return made


def _vectors(half: Half, place: HalfGrid, colours: str, kept: KeptMarks, *, sinusoidal: bool) -> list[Mark]:
    """The three columns as one image each: [lane, feature] in whole pixels, with gaps between thick lanes."""
    width = round(place.strip_w)
    high = min(_MOST_HEIGHT, max(place.pitch - 6, place.pitch * 0.62)) if place.pitch > 10 else place.pitch
    made: list[Mark] = []
    drawn = zip((place.strips[0], place.strips[2]), (half.scaled, half.output), reaches(half), strict=True)
    for x, values, most in drawn:
        made.append(_column(indices(columns(values, width), Scale(-most, most, colours)), x, place, high, colours))
    if np.any(half.positions):
        # Sentences of one length have the same positions.
        key = "positions", half.positions.tobytes(), half.positions.shape, place, colours, sinusoidal
        made.append(kept.of(key, lambda: _positions(half, place, high, colours, sinusoidal=sinusoidal)))
    return made


def _positions(half: Half, place: HalfGrid, high: float, colours: str, *, sinusoidal: bool) -> Cells:
    """The column of positions. Of waves the sines stand at the left and the cosines at the right, each as a shape where there
    is height for one: at place 0 all sines are 0 and all cosines 1."""
    width, x = round(place.strip_w), place.strips[1]
    left = (width - _APART) // 2
    if not sinusoidal:
        reach_ = float(np.abs(half.positions).max())
        return _column(indices(columns(half.positions, width), Scale(-reach_, reach_, colours)), x, place, high, colours)
    parts = [(half.positions[:, ::2], left), (half.positions[:, 1::2], width - _APART - left)]
    if high < _LEAST_WAVE:
        drawn = [indices(columns(values, wide), Scale(-1, 1, colours)) for values, wide in parts]
        return _column(_apart(drawn), x, place, high, colours)
    return _tall(_apart([waves(values, wide, round(high)) for values, wide in parts]), x, place, high, colours)


def _apart(parts: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Two images beside each other, with a gap."""
    gap = np.full((*parts[0].shape[:-1], _APART), GAP, np.uint8)
    return np.concatenate([parts[0], gap, parts[1]], axis=-1)


def columns(values: Array, width: int) -> Array:
    """[lane, feature] to [lane, px]: of the features in one pixel the value farthest from zero."""
    n = values.shape[1]
    if n <= width:
        return values
    edges = (np.arange(width) * n) // width
    high, low = np.maximum.reduceat(values, edges, axis=1), np.minimum.reduceat(values, edges, axis=1)
    pooled: Array = np.where(high >= -low, high, low)
    return pooled


def waves(values: Array, width: int, height: int) -> NDArray[np.uint8]:
    """[lane, row, px] colour indices: the area between zero and each value between −1 and 1, empty elsewhere."""
    reduced = columns(values, width)  # [lane, px]
    rows = 1 - (np.arange(height) + 0.5) * 2 / height  # the value at the middle of each row, from 1 down to −1
    v = np.clip(reduced, -1, 1)[:, None, :]  # [lane, 1, px]
    up = (rows[None, :, None] <= v) & (rows[None, :, None] >= 0)
    down = (rows[None, :, None] >= v) & (rows[None, :, None] < 0)
    index = np.full(up.shape, GAP, np.uint8)
    index[up] = round((LEVELS - 1) * (1 - _WAVE))
    index[down] = round((LEVELS - 1) * _WAVE)
    return index


def _column(index: NDArray[np.uint8], x: float, place: HalfGrid, high: float, colours: str) -> Cells:
    """One column of strips; where lanes have gaps, rows of gaps are put between."""
    if high >= place.pitch:
        return Cells(Rect(x, place.top, place.strip_w, place.pitch * place.n), index, colours)
    return _tall(np.repeat(index[:, None, :], max(1, round(high)), axis=1), x, place, high, colours)


def _tall(blocks: NDArray[np.uint8], x: float, place: HalfGrid, high: float, colours: str) -> Cells:
    """[lane, row, px] blocks in lanes of whole pixels, each in the middle of its lane."""
    n, rows, width = blocks.shape
    pitch = max(round(place.pitch), rows)
    index = np.full((n, pitch, width), GAP, np.uint8)
    start = (pitch - rows) // 2
    index[:, start : start + rows] = blocks
    return Cells(Rect(x, place.top, place.strip_w, place.pitch * place.n), index.reshape(n * pitch, width), colours)


def draw_signs(place: HalfGrid) -> list[Mark]:
    """Between the three columns: the vector + the position = their sum."""
    if place.pitch < 14:
        return []
    made: list[Mark] = []
    between = (place.strips[1] - place.strips[0] - place.strip_w) / 2
    for lane in range(place.n):
        for strip, sign in ((place.strips[1], "+"), (place.strips[2], "=")):
            made.append(
                Label(strip - between, place.y(lane), sign, 12 if not place.right_aligned else 10, "faint", align="middle")
            )
    return made
