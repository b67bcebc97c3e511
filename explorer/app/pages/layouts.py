"""Rows and columns with the gaps that all pages use."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

_GAP_PX = 8
_SHARE = "share"  # the property of a layout that keeps the shares of its empty parts
L = TypeVar("L", bound=QLayout)


def beside(*shares: tuple[QWidget, int]) -> QHBoxLayout:
    """Cards beside each other, each with its share of the width."""
    layout = QHBoxLayout()
    layout.setSpacing(_GAP_PX)
    for card, share in shares:
        layout.addWidget(card, share)
    return layout


def below(*shares: tuple[QWidget, int]) -> QVBoxLayout:
    """Cards below each other, each with its share of the height."""
    layout = QVBoxLayout()
    layout.setSpacing(_GAP_PX)
    for card, share in shares:
        layout.addWidget(card, share)
    return layout


def row_in(within: QWidget) -> QHBoxLayout:
    """A row that fills a widget, with a page's margins."""
    return with_margins(QHBoxLayout(within))


def column_in(within: QWidget) -> QVBoxLayout:
    """A column that fills a widget, with a page's margins."""
    return with_margins(QVBoxLayout(within))


def with_margins(layout: L) -> L:
    """The layout with the margins and gaps of a page."""
    layout.setContentsMargins(_GAP_PX, _GAP_PX, _GAP_PX, _GAP_PX)
    layout.setSpacing(_GAP_PX)
    return layout


def close_gaps(layout: QLayout | None) -> None:
    """Let rows and columns in which nothing is shown take no room, and give them theirs back when something is."""
    if layout is None:
        return
    for place in range(layout.count()):
        close_gaps(_inner(layout.itemAt(place)))
    if isinstance(layout, QBoxLayout):
        empty = {place: _is_empty(layout.itemAt(place)) for place in range(layout.count())}
        _set_shares(layout, "", empty, layout.stretch, layout.setStretch)
    elif isinstance(layout, QGridLayout):
        rows, columns = _empty_lines(layout)
        _set_shares(layout, "row", rows, layout.rowStretch, layout.setRowStretch)
        _set_shares(layout, "column", columns, layout.columnStretch, layout.setColumnStretch)


def _inner(item: QLayoutItem | None) -> QLayout | None:
    """The layout in an item, or in a widget that only holds others; a card's own is its own affair."""
    widget = None if item is None else item.widget()
    if item is None or (widget is not None and widget.objectName() in ("card", "bare")):
        return None
    return item.layout() if widget is None else widget.layout()


def _is_empty(item: QLayoutItem | None) -> bool:
    """Whether an item holds others of which none is shown. Qt itself gives no room to a single widget that is hidden."""
    inner = _inner(item)
    return inner is not None and inner.count() > 0 and inner.isEmpty()


def _empty_lines(grid: QGridLayout) -> tuple[dict[int, bool], dict[int, bool]]:
    """Which rows and which columns of a grid have nothing to show in them."""
    rows, columns = dict.fromkeys(range(grid.rowCount()), True), dict.fromkeys(range(grid.columnCount()), True)
    for place in range(grid.count()):
        item = grid.itemAt(place)
        where: tuple[int, int, int, int] = grid.getItemPosition(place)  # type: ignore[assignment]  # Its stub says object.
        row, column, n_rows, n_columns = where
        if item is not None and not item.isEmpty():
            if n_columns == 1 or grid.columnCount() == 1:  # What lies across all columns fills none of them.
                columns[column] = False
            rows |= dict.fromkeys(range(row, row + n_rows), False)
    return rows, columns


def _set_shares(
    layout: QLayout, axis: str, empty: dict[int, bool], share: Callable[[int], int], put: Callable[[int, int], None]
) -> None:
    for place, is_empty in empty.items():
        name = f"{_SHARE}{axis}{place}"
        kept = layout.property(name)
        if is_empty and share(place):
            layout.setProperty(name, share(place))
            put(place, 0)
        elif not is_empty and kept:
            layout.setProperty(name, None)
            put(place, kept)
