"""Rows and columns with the gaps that all pages use."""

from typing import TypeVar

from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

_GAP_PX = 8
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
