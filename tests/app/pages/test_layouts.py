"""Rows and columns of a page: Python keeps no items of them."""

from PySide6.QtWidgets import QApplication, QGridLayout, QPushButton, QVBoxLayout, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from explorer.app.pages.layouts import beside, close_gaps, items_of


def kept() -> int:
    """How many items of layouts Python has objects of."""
    return sum(isinstance(each, QWidgetItem) for each in Shiboken.getAllValidWrappers())


def test_no_item_is_kept_that_qt_may_delete(qtbot: QtBot, qapp: QApplication) -> None:
    """Whatever Qt makes later at the address of a deleted item would come to Python as that item, events too."""
    before = kept()
    page, grid, last = QWidget(), QGridLayout(), QPushButton()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.addLayout(beside((QPushButton(), 1), (QPushButton(), 2)))
    column.addLayout(grid)
    grid.addWidget(last, 0, 0)
    assert kept() == before + 2  # PySide makes objects of the items of a row that is added.
    close_gaps(column)
    assert kept() == before
    assert [item.widget() for item in items_of(grid)] == [last]
    assert kept() == before
