"""Draws an Alignment: the source's tokens above, the target's below, and a line for each weight; or arcs over one row.

Keys: left and right go through the tokens of a row, up and down change the row, 0 shows all lines again.
"""

from html import escape

import attrs
import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QMenu

from explorer.picture.alignment_lines import changeable, tell_column, tell_line, tell_row
from explorer.picture.kinds import Alignment, Axis
from explorer.picture.layout.alignment import Side
from explorer.picture.layout.strands import asides
from explorer.views.painting.change_menu import ChangeMenu
from explorer.views.painting.pointed import NOTHING, Pointed, Spot
from explorer.views.pictures.alignment_surface import EDGE, GAP, AlignmentSurface, real_side

_NEAR = 5.0  # px, the distance at which the mouse meets a line


class AlignmentView(AlignmentSurface):
    """Shows an Alignment. A figure wider than the widget is scrolled by wheel or drag.

    Signals: pointed(Pointed) when the mouse or a key reaches a token or a line, or leaves it; opened() on Enter;
    wished(Intent) from the menu, for a change at a line or a token.
    """

    wished = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._grabbed: QPointF | None = None
        self.change_menu = ChangeMenu(self, self.wished.emit)

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
                (self.picture.columns, made.above, y <= made.above_top + made.above.reach + GAP),
                (self.picture.rows, made.below, y >= made.below_top - GAP),
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
        self._scroll(min(0.0, box.left() - EDGE) + max(0.0, box.right() + EDGE - self.width()))
        self.tell_by_keys(self._come_to(frozenset({self.selected})))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._layout = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._layout = None  # The font may have changed.
