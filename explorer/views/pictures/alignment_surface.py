"""How an Alignment is painted: strands little by little, labels at their ends, and what is lit."""

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRect, QRectF, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy

from explorer.lang import Words
from explorer.picture.alignment_lines import strokes
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Alignment, Axis
from explorer.picture.layout.alignment import Side, line_px
from explorer.picture.layout.alignment_marks import end_label
from explorer.picture.layout.sketch import Sketch
from explorer.picture.layout.strands import Placed, Room, place_arcs, place_lines
from explorer.picture.marks import Box, Rect
from explorer.views.painting.marks import paint_marks, rect_of
from explorer.views.painting.pointed import Spot
from explorer.views.painting.strands import Setting, StrandPaintings
from explorer.views.painting.surface import Surface

_ROW = " "  # between a side and the row in which its tokens stand, where both rows are the same text
EDGE, GAP = 5.0, 4.0  # px around the figure; px between a label and the ends of its lines
_WIDEST, _LONGEST = 120.0, 0.3  # px of a horizontal label; share of the height of a turned one; longer ones are elided
_SEEN = 0.5 / 255  # the smallest opacity that a screen can show


class AlignmentSurface(Surface):
    """An Alignment, painted, and where its tokens and strands are. A figure wider than the widget is scrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: Alignment | None = None
        self.selected: Spot | None = None  # the token chosen by keys
        self._layout: Placed | None = None  # measured once for each picture and size
        self._shift = 0.0
        self.paintings = StrandPaintings()
        self._soon = QTimer(self)  # for the strands that are not painted yet
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go_on)
        self._rests = False  # whether strands that are not painted yet wait until the compute thread has answered
        self._seen_of: tuple[Alignment, frozenset[Spot], NDArray[np.bool_]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 100)

    def draw(self, picture: Alignment, words: Words) -> None:
        before = self.picture
        if before is None or (before.values.shape, before.arcs) != (picture.values.shape, picture.arcs):
            self.selected, self._shift = None, 0.0
        self.picture, self.words, self._layout = two_sided(picture), words, None
        self.setAccessibleName(picture.caption.title)
        self.setAccessibleDescription(in_words(picture, words))
        self.tell_again()
        self.update()

    def light(self, tokens: frozenset[Spot]) -> None:
        """Show only the lines of these tokens, or the lines between them if they are on both sides.

        Where both rows are the same text, tokens that another view points at are queries.
        """
        if self.picture is not None and real_side(self._rows.side) != self._rows.side:
            ends = self._rows.side, self._columns.side
            known = frozenset(spot for spot in tokens if spot[0] in ends)
            tokens = known or frozenset((ends[0], place) for side, place in tokens if side == real_side(ends[0]))
        if tokens != self.lit:
            self.lit = tokens
            self.update()

    def fit(self) -> None:
        """Scroll back to the beginning and show all lines."""
        self.selected, self._shift = None, 0.0
        self.light(frozenset())
        self.update()

    # Places

    def token_rect(self, spot: Spot) -> QRectF:
        """The rectangle of a token's label (px)."""
        made = self._placed()
        above = spot[0] == self._columns.side
        place = (self._columns if above else self._rows).index(spot[1])
        row, top = (made.above, made.above_top) if above else (made.below, made.below_top)
        return QRectF(self._left + row.middles[place] - row.widths[place] / 2, top, row.widths[place], row.reach)

    def line(self, row: int, column: int) -> QLineF:
        """The straight line between the ends of a strand (px); of lines it is the strand, from above to below."""
        ends = self._placed().strands.curve(row, column)
        return QLineF(*ends[0], *ends[-1]).translated(self._left, 0)

    @property
    def _columns(self) -> Axis:
        assert self.picture is not None  # Callers have a picture.
        return self.picture.columns

    @property
    def _rows(self) -> Axis:
        assert self.picture is not None  # Callers have a picture.
        return self.picture.rows

    @property
    def _left(self) -> float:
        """The left end of the figure (px): centred where there is room, otherwise scrolled."""
        spare = self.width() - 2 * EDGE - self._placed().width
        return EDGE + (spare / 2 if spare > 0 else -self._shift)

    @property
    def _most_shift(self) -> float:
        return 0.0 if self.picture is None else max(0.0, self._placed().width + 2 * EDGE - self.width())

    def _placed(self) -> Placed:
        if self._layout is None:
            assert self.picture is not None  # Callers have a picture.
            longest = max(self.height() * _LONGEST, 24.0)
            room = Room(self.width(), self.height(), line_px(self.letter_px), EDGE, GAP, _WIDEST, longest)
            rows, columns = self.picture.rows.labels, self.picture.columns.labels
            if self.picture.arcs:
                ahead, n_heads = self.picture.looks_ahead, max(1, len(self.picture.overlaid))
                self._layout = place_arcs(columns, self._measured, room, ahead=ahead, n_heads=n_heads)
            else:
                self._layout = place_lines(columns, rows, self._measured, room)
            self._shift = min(self._shift, self._most_shift)
        return self._layout

    def _measured(self, text: str) -> float:
        return self.measure(text, self.letter_px, False)

    # Painting

    def paint(self, painter: QPainter, part: QRect) -> None:
        if self.picture is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_strands(painter, self.picture)
        self._paint_labels(painter, self.picture.rows, self._placed().below, part)
        if not self.picture.arcs:
            self._paint_labels(painter, self.picture.columns, self._placed().above, part)
        self._paint_scroll(painter)
        self.paint_focus(painter)

    def _shown(self, picture: Alignment) -> tuple[list[int], list[int]]:
        """The rows and columns whose lines are visible: those of lit tokens, or all."""
        n_rows, n_columns = picture.values.shape
        rows, columns = picture.rows.indices(self.lit, n_rows), picture.columns.indices(self.lit, n_columns)
        return rows or list(range(n_rows)), columns or list(range(n_columns))

    def _paint_strands(self, painter: QPainter, picture: Alignment) -> None:
        """Copy the painted strands, of which some more are there each time."""
        setting = Setting(picture, self._placed(), self._left, self.size(), self.devicePixelRatioF(), self.theme)
        painting = self.paintings.of(setting, self._seen(picture))
        painting.paint(painter)
        if not painting.ready:
            self._soon.start()

    def set_busy(self, busy: bool) -> None:
        self._rests = busy
        if not busy:
            self._go_on()

    def _go_on(self) -> None:
        """Paint some more strands, unless they are all painted or the compute thread needs Python's lock."""
        painting = self.paintings.newest
        if painting is None or painting.ready or self._rests:
            return
        top, bottom = painting.setting.made.heights
        self.update(QRect(0, math.floor(top), self.width(), math.ceil(bottom) - math.floor(top)))

    def _seen(self, picture: Alignment) -> NDArray[np.bool_]:
        """[row, column] True where a strand is visible: it is strong enough, and its tokens are lit if any are."""
        if self._seen_of is None or self._seen_of[0] is not picture or self._seen_of[1] != self.lit:
            self._seen_of = picture, self.lit, self._find_seen(picture)
        return self._seen_of[2]

    def _find_seen(self, picture: Alignment) -> NDArray[np.bool_]:
        rows, columns = self._shown(picture)
        seen = np.zeros(picture.values.shape, bool)
        seen[np.ix_(rows, columns)] = True
        seen &= strokes(picture.values, picture.scale)[1] >= _SEEN
        return seen

    def _is_lit(self, axis: Axis, place: int) -> bool:
        """Whether a token or a word is lit; one of a single row also where its other role is meant."""
        one_row = self.picture is not None and self.picture.arcs
        spots = axis.spots(place) | (self._columns.spots(place) if one_row else frozenset())
        return bool(spots & self.lit)

    def _paint_labels(self, painter: QPainter, axis: Axis, side: Side, part: QRect) -> None:
        sketch, px, above = Sketch(self.theme, "", self.measure), self.letter_px, axis is self._columns
        for place, label in enumerate(axis.labels):
            box = self.token_rect(axis.spot(place))
            if box.intersects(QRectF(part)):
                lit = self._is_lit(axis, place)
                end_label(sketch, label, rect_of(box), px, above=above, turned=side.turned, lit=lit)
        paint_marks(painter, sketch.marks, self.theme)

    def _paint_scroll(self, painter: QPainter) -> None:
        """Paint a thin scroll bar where only a part of the figure is visible."""
        if self._most_shift:
            whole = self._placed().width + 2 * EDGE
            left, wide = self.width() * self._shift / whole, self.width() * self.width() / whole
            paint_marks(painter, [Box(Rect(left, self.height() - 2, wide, 2), "faint")], self.theme)


def two_sided(picture: Alignment) -> Alignment:
    """The picture with a name of its own for each row of tokens, which self-attention has the same text in."""
    if picture.rows.side != picture.columns.side:
        return picture
    rows = attrs.evolve(picture.rows, side=f"{picture.rows.side}{_ROW}below")
    columns = attrs.evolve(picture.columns, side=f"{picture.columns.side}{_ROW}above")
    return attrs.evolve(picture, rows=rows, columns=columns)


def real_side(side: str) -> str:
    """The side whose tokens stand in a row."""
    return side.partition(_ROW)[0]
