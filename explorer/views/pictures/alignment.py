"""Draws an Alignment: the source's tokens above, the target's below, and a line for each weight; or arcs over one row.

Keys: left and right go through the tokens of a row, up and down change the row, 0 shows all lines again.
"""

import math
from html import escape

import attrs
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from explorer.lang import Words
from explorer.picture.figure.kinds import in_words
from explorer.picture.kinds import Alignment, Axis
from explorer.picture.layout.alignment import Side
from explorer.picture.layout.strands import Placed, Room, asides, place_arcs, place_lines
from explorer.picture.makers.alignment import changeable, strokes, tell_column, tell_line, tell_row
from explorer.views.painting.change_menu import ChangeMenu
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.painting.surface import Surface
from explorer.views.pictures.alignment_labels import line_px, paint_end, underline
from explorer.views.pictures.alignment_rows import real_side, two_sided
from explorer.views.pictures.alignment_strands import Setting, StrandPaintings

_EDGE, _GAP = 5.0, 4.0  # px around the figure; px between a label and the ends of its lines
_WIDEST, _LONGEST = 120.0, 0.3  # px of a horizontal label; share of the height of a turned one; longer ones are elided
_NEAR = 5.0  # px, the distance at which the mouse meets a line
_SEEN = 0.5 / 255  # the smallest opacity that a screen can show


class AlignmentView(Surface):
    """Shows an Alignment. A figure wider than the widget is scrolled by wheel or drag.

    Signals: pointed(Pointed) when the mouse or a key reaches a token or a line, or leaves it; opened() on Enter;
    wished(Intent) from the menu, for a change at a line or a token.
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Alignment | None = None
        self.selected: Spot | None = None  # the token chosen by keys
        self._layout: Placed | None = None  # measured once for each picture and size
        self._shift = 0.0
        self._grabbed: QPointF | None = None
        self.paintings = StrandPaintings()
        self._soon = QTimer(self)  # for the strands that are not painted yet
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go_on)
        self._rests = False  # whether strands that are not painted yet wait until the compute thread has answered
        self._seen_of: tuple[Alignment, frozenset[Spot], NDArray[np.bool_]] | None = None
        self.change_menu = ChangeMenu(self, self.wished.emit)
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
        spare = self.width() - 2 * _EDGE - self._placed().width
        return _EDGE + (spare / 2 if spare > 0 else -self._shift)

    @property
    def _most_shift(self) -> float:
        return 0.0 if self.picture is None else max(0.0, self._placed().width + 2 * _EDGE - self.width())

    def _placed(self) -> Placed:
        if self._layout is None:
            assert self.picture is not None  # Callers have a picture.
            metrics = QFontMetricsF(self.font())
            longest = max(self.height() * _LONGEST, 24.0)
            room = Room(self.width(), self.height(), line_px(metrics), _EDGE, _GAP, _WIDEST, longest)
            rows, columns = self.picture.rows.labels, self.picture.columns.labels
            if self.picture.arcs:
                ahead, n_heads = self.picture.looks_ahead, max(1, len(self.picture.overlaid))
                self._layout = place_arcs(columns, metrics.horizontalAdvance, room, ahead=ahead, n_heads=n_heads)
            else:
                self._layout = place_lines(columns, rows, metrics.horizontalAdvance, room)
            self._shift = min(self._shift, self._most_shift)
        return self._layout

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
        painter.drawPixmap(0, 0, painting.image())
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
        edge = Qt.Edge.TopEdge if axis is self._columns else Qt.Edge.BottomEdge
        for place, label in enumerate(axis.labels):
            box = self.token_rect(axis.spot(place))
            if box.intersects(QRectF(part)):
                lit = self._is_lit(axis, place)
                if lit:
                    underline(painter, box, label, edge, self.theme)
                painter.setPen(QColor(self.theme.accent if lit else self.theme.text))
                paint_end(painter, box, label, edge, turned=side.turned)

    def _paint_scroll(self, painter: QPainter) -> None:
        """Paint a thin scroll bar where only a part of the figure is visible."""
        if self._most_shift:
            whole = self._placed().width + 2 * _EDGE
            left, wide = self.width() * self._shift / whole, self.width() * self.width() / whole
            painter.fillRect(QRectF(left, self.height() - 2, wide, 2), QColor(self.theme.faint))

    # Pointing

    def describe(self, tokens: frozenset[Spot]) -> Pointed:
        """The description of a token with its weights, or of the weight between two tokens."""
        picture, words = self.picture, self.words
        if picture is None or words is None or not tokens:
            return NOTHING
        n_rows, n_columns = picture.values.shape
        row = next(iter(picture.rows.indices(tokens, n_rows)), None)
        column = next(iter(picture.columns.indices(tokens, n_columns)), None)
        if row is not None and column is not None:
            return Pointed(tell_line(picture, row, column, words), tokens)
        if row is not None:
            return Pointed(tell_row(picture, row, words), tokens)
        return NOTHING if column is None else Pointed(tell_column(picture, column, words), tokens)

    def _under(self, place: QPointF) -> frozenset[Spot]:
        """The token, or the two tokens of the line, at a point of the widget."""
        if self.picture is None:
            return frozenset()
        x, y, made = place.x() - self._left, place.y(), self._placed()
        rows: tuple[tuple[Axis, Side, bool], ...]
        if self.picture.arcs:
            rows = ((self.picture.rows, made.below, 0 <= y - made.below_top <= made.below.reach),)
        else:
            rows = (
                (self.picture.columns, made.above, y <= made.above_top + made.above.reach + _GAP),
                (self.picture.rows, made.below, y >= made.below_top - _GAP),
            )
        for axis, side, here in rows:
            if here:
                found = side.at(x)
                return frozenset() if found is None else frozenset({axis.spot(found)})
        near = self._near(self.picture, x, y)
        axes = (self.picture.rows, self.picture.columns)
        return frozenset() if near is None else frozenset(axis.spot(each) for axis, each in zip(axes, near, strict=True))

    def _near(self, picture: Alignment, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of the visible strand nearest to a point, within a few px; None without one."""
        made = self._placed()
        rows, columns = np.nonzero(self._seen(picture))
        if not len(rows):
            return None
        away = made.strands.away(x, y, rows, columns)
        nearest = int(away.argmin())
        # The strands of several heads run beside each other, those of the outer heads farthest from the middle.
        beside = max(asides(len(picture.overlaid), min(made.above.widths)), default=0.0)
        return (int(rows[nearest]), int(columns[nearest])) if away[nearest] <= _NEAR + beside else None

    def _come_to(self, tokens: frozenset[Spot]) -> Pointed:
        pointed = self.describe(tokens)
        self.light(pointed.tokens)
        # Other views know a token by its side, and this one also by the row in which it stands. Of a word they show all tokens.
        return attrs.evolve(
            pointed, tokens=pointed.tokens | {(real_side(side), place) for side, place in self._whole(pointed.tokens)}
        )

    def _whole(self, tokens: frozenset[Spot]) -> frozenset[Spot]:
        """The tokens with all others of the words that they stand for."""
        if self.picture is None:
            return tokens
        ends = zip((self._rows, self._columns), self.picture.values.shape, strict=True)
        return tokens.union(*(axis.spots(place) for axis, size in ends for place in axis.indices(tokens, size)))

    # Qt's events

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None and self._most_shift:
            self._scroll(self._grabbed.x() - event.position().x())
            self._grabbed = event.position()
            return
        pointed = self._come_to(self._under(event.position()))
        # The tooltip is escaped rich text, because it would take a token such as "<b>" for a tag.
        rich = f"<span style='white-space: pre'>{escape(pointed.text)}</span>" if pointed.text else ""
        self.tell(event.globalPosition().toPoint(), pointed, rich)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()
            under = self._under(event.position())
            if len(under) == 1:
                self.selected = next(iter(under))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.asked_menu(event)
        if menu is not None:
            menu.popup(event.globalPos())

    def asked_menu(self, event: QContextMenuEvent) -> QMenu | None:
        """The menu that changes the weight or the token under the mouse, or for the menu key the chosen token."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            tokens = frozenset[Spot]() if self.selected is None else frozenset({self.selected})
        else:
            tokens = self._under(QPointF(event.pos()))
        return None if self.picture is None else self.change_menu.made(changeable(self.picture, tokens), self.words)

    def left(self) -> None:
        self._come_to(frozenset())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.picture is None or not self._most_shift:
            event.ignore()
            return
        if self.wheel_is_the_pages(event):
            return
        self._scroll(-0.6 * (event.angleDelta().y() or event.angleDelta().x()))
        event.accept()

    def _scroll(self, by: float) -> None:
        self._shift = min(max(self._shift + by, 0.0), self._most_shift)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None:
            super().keyPressEvent(event)
            return
        match event.key():
            case Qt.Key.Key_Left:
                self._walk(-1)
            case Qt.Key.Key_Right:
                self._walk(1)
            case Qt.Key.Key_Up:
                self._select(self._columns, self._place())
            case Qt.Key.Key_Down:
                self._select(self._rows, self._place())
            case Qt.Key.Key_0:
                self.fit()
                self.pointed.emit(NOTHING)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        """Choose the next token of the row; the first key chooses the first token below."""
        assert self.picture is not None  # The caller has checked.
        if self.selected is None:
            self._select(self.picture.rows, 0)
            return
        axis = self._columns if self.selected[0] == self._columns.side else self._rows
        self._select(axis, self._place() + step)

    def _place(self) -> int:
        """The index of the selected token in its row."""
        if self.selected is None:
            return 0
        side, place = self.selected
        return (self._columns if side == self._columns.side else self._rows).index(place)

    def _select(self, axis: Axis, place: int) -> None:
        self.selected = axis.spot(min(max(place, 0), len(axis.labels) - 1))
        box = self.token_rect(self.selected)
        self._scroll(min(0.0, box.left() - _EDGE) + max(0.0, box.right() + _EDGE - self.width()))
        self.tell_by_keys(self._come_to(frozenset({self.selected})))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._layout = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._layout = None  # The font may have changed.
