"""Rows and columns with the gaps that all pages use."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget
from shiboken6 import Shiboken

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


def items_of(layout: QBoxLayout | QGridLayout) -> Iterator[QLayoutItem]:
    """The items of a layout, each to be looked at before the next one is asked for.

    PySide keeps the Python object of an item as long as its layout, also where Qt has deleted the item because its widget is
    gone or has moved into another layout. Whatever Qt then makes at the same address, an event for example, would come to
    Python as that item. Therefore Python lets go of each item here.
    """
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is not None:
            yield item
            if isinstance(item, QBoxLayout | QGridLayout):
                for _of_row in items_of(item):  # PySide makes objects of them when it gives out the layout.
                    pass
            elif not isinstance(item, QLayout):
                Shiboken.invalidate(item)


def close_gaps(layout: QLayout | None) -> None:
    """Let rows and columns in which nothing is shown take no room, and give them theirs back when something is."""
    if not isinstance(layout, QBoxLayout | QGridLayout):
        return
    for item in items_of(layout):
        close_gaps(_inner(item))
    if isinstance(layout, QBoxLayout):
        empty = {place: _is_empty(item) for place, item in enumerate(items_of(layout))}
        _set_shares(layout, "", empty, layout.stretch, layout.setStretch)
    else:
        rows, columns = _empty_lines(layout)
        _set_shares(layout, "row", rows, layout.rowStretch, layout.setRowStretch)
        _set_shares(layout, "column", columns, layout.columnStretch, layout.setColumnStretch)


def _inner(item: QLayoutItem) -> QLayout | None:
    """The layout in an item, or in a widget that only holds others; a card's own is its own affair."""
    widget = item.widget()
    if widget is not None and widget.objectName() in ("card", "bare"):
        return None
    return item.layout() if widget is None else widget.layout()


def _is_empty(item: QLayoutItem) -> bool:
    """Whether an item holds others of which none is shown. Qt itself gives no room to a single widget that is hidden."""
    inner = _inner(item)
    return inner is not None and inner.count() > 0 and inner.isEmpty()


def _empty_lines(grid: QGridLayout) -> tuple[dict[int, bool], dict[int, bool]]:
    """Which rows and which columns of a grid have nothing to show in them."""
    rows, columns = dict.fromkeys(range(grid.rowCount()), True), dict.fromkeys(range(grid.columnCount()), True)
    for place, item in enumerate(items_of(grid)):
        where: tuple[int, int, int, int] = grid.getItemPosition(place)  # type: ignore[assignment]  # Its stub says object.
        row, column, n_rows, n_columns = where
        if not item.isEmpty():
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
