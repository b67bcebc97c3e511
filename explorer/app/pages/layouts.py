"""Rows and columns with the gaps that all pages use."""

import math
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import Shiboken

from explorer.app.pages.columns import FINE, KEPT_SHARE, Columns
from explorer.views.controls.layouts import filled, is_there, members_of

_GAP_PX = 8
_LET_GO = "let_go"  # the property of a layout whose items Python has let go of
L = TypeVar("L", bound=QLayout)


def beside(*shares: tuple[QWidget | QLayout, int]) -> Columns:
    """Cards, and columns of cards, beside each other, each with its share of the width; a person may part it anew.

    Where a page has no room for them, they stand below each other.
    """
    return filled(Columns(), *((each, FINE * share) for each, share in shares), gap_px=_GAP_PX)


def below(*shares: tuple[QWidget | QLayout, int]) -> QVBoxLayout:
    """Cards below each other, each with its share of the height. Of cards that share a place one is shown at a time."""
    return filled(QVBoxLayout(), *shares, gap_px=_GAP_PX)


def column_in(within: QWidget) -> QVBoxLayout:
    """A column that fills a widget, with a page's margins."""
    return with_margins(QVBoxLayout(within))


def with_margins(layout: L) -> L:
    """The layout with the margins and gaps of a page."""
    layout.setContentsMargins(_GAP_PX, _GAP_PX, _GAP_PX, _GAP_PX)
    layout.setSpacing(_GAP_PX)
    return layout


class Desk(QWidget):
    """What a page's scroll area holds: all of the page's width, so that nothing is cut off at the right.

    Decision: a row whose members have no room beside each other becomes a column, and the page scrolls down. Rejected: cards
    that shrink without end, whose titles had one letter a line and whose maps had a few pixels, and a bar that scrolls aside.
    """

    def __init__(self, area: QScrollArea) -> None:
        super().__init__()
        self._area, self._least_px = area, 0
        self.setObjectName("desk")

    def setMinimumHeight(self, height_px: int) -> None:
        """Keep at least this height, and always what the cards need."""
        if height_px != self._least_px:
            self._least_px = height_px
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        needed = super().minimumSizeHint()
        return QSize(needed.width(), max(self._least_px, needed.height()))

    def event(self, event: QEvent) -> bool:
        """Break rows when the room changes, or what stands in them."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            # The room beside a scroll bar, whether there is one or not: else a row could break and join without end.
            break_rows(self.layout(), self._area.width() - self._area.verticalScrollBar().sizeHint().width())
        return super().event(event)


def break_rows(layout: QLayout | None, room_px: float) -> None:
    """Turn each row of cards in a layout of this width into a column where it lacks the room, and back where it has it."""
    if layout is None:
        return
    if isinstance(layout, Columns):
        fits = _least_px(layout) <= room_px
        way = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if layout.direction() != way:
            layout.setDirection(way)
        room_px = math.inf if fits else room_px  # What stands in a row that fits has its room.
    around = layout.contentsMargins()
    for member in members_of(layout).values():
        break_rows(_inner(member), room_px - around.left() - around.right())


def _least_px(layout: QLayout) -> int:
    """The width (px) that a layout needs at least with all its rows unbroken."""
    around = layout.contentsMargins()
    needed = [least_of(member) for member in members_of(layout).values() if is_there(member)]
    gaps = layout.spacing() * max(0, len(needed) - 1)
    inside = sum(needed) + gaps if isinstance(layout, QHBoxLayout) else max(needed, default=0)
    return int(inside + around.left() + around.right())


def least_of(member: QWidget | QLayout) -> int:
    """The width (px) that a member of a layout needs at least, with all rows in it unbroken."""
    inner = _inner(member)
    least = 0 if inner is None else _least_px(inner)
    if isinstance(member, QLayout):
        return least
    return member.minimumWidth() or least or member.minimumSizeHint().width()


def let_go_of_items(layout: QLayout) -> None:
    """Make Python let go of the items of a layout, once.

    Where a row is added to a layout, PySide makes Python objects of the row's items, and keeps them as long as the row, also
    where Qt has deleted an item because its widget is gone or has moved into another layout. Whatever Qt then makes at the same
    address, an event for example, would come to Python as that item.
    """
    if layout.property(_LET_GO):
        return
    layout.setProperty(_LET_GO, True)
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if isinstance(item, QLayout):
            let_go_of_items(item)
        elif item is not None:
            Shiboken.invalidate(item)


def close_gaps(layout: QLayout | None) -> None:
    """Let rows and columns in which nothing is shown take no room, and give them theirs back when something is."""
    if not isinstance(layout, QBoxLayout | QGridLayout):
        return
    let_go_of_items(layout)
    members = members_of(layout)
    for member in members.values():
        close_gaps(_inner(member))
    if isinstance(layout, QBoxLayout):
        empty = {place: _is_empty(member) for place, member in members.items()}
        _set_shares(layout, "", empty, layout.stretch, layout.setStretch)
    else:
        rows, columns = _empty_lines(layout, members)
        _set_shares(layout, "row", rows, layout.rowStretch, layout.setRowStretch)
        _set_shares(layout, "column", columns, layout.columnStretch, layout.setColumnStretch)


def _inner(member: QWidget | QLayout) -> QLayout | None:
    """A layout, or the one in a widget that only holds others; a card's own is its own affair."""
    if isinstance(member, QLayout):
        return member
    return None if member.objectName() in ("card", "bare") else member.layout()


def _is_empty(member: QWidget | QLayout) -> bool:
    """Whether a member holds others of which none is shown. Qt itself gives no room to a single widget that is hidden."""
    inner = _inner(member)
    return inner is not None and inner.count() > 0 and inner.isEmpty()


def _empty_lines(grid: QGridLayout, members: dict[int, QWidget | QLayout]) -> tuple[dict[int, bool], dict[int, bool]]:
    """Which rows and which columns of a grid have nothing to show in them."""
    rows, columns = dict.fromkeys(range(grid.rowCount()), True), dict.fromkeys(range(grid.columnCount()), True)
    for place, member in members.items():
        where: tuple[int, int, int, int] = grid.getItemPosition(place)  # type: ignore[assignment]  # Its stub says object.
        row, column, n_rows, n_columns = where
        if is_there(member):
            if n_columns == 1 or grid.columnCount() == 1:  # What lies across all columns fills none of them.
                columns[column] = False
            rows |= dict.fromkeys(range(row, row + n_rows), False)
    return rows, columns


def _set_shares(
    layout: QLayout, axis: str, empty: dict[int, bool], share: Callable[[int], int], put: Callable[[int, int], None]
) -> None:
    for place, is_empty in empty.items():
        name = f"{KEPT_SHARE}{axis}{place}"
        kept = layout.property(name)
        if is_empty and share(place):
            layout.setProperty(name, share(place))
            put(place, 0)
        elif not is_empty and kept:
            layout.setProperty(name, None)
            put(place, kept)
