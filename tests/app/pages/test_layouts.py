"""Rows and columns of a page: Python keeps no items of them."""

import gc

from PySide6.QtWidgets import QApplication, QGridLayout, QPushButton, QVBoxLayout, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from explorer.app.pages.layouts import beside, close_gaps
from explorer.views.controls.layouts import members_of


def kept() -> int:
    """How many items of layouts Python has objects of."""
    return sum(isinstance(each, QWidgetItem) for each in Shiboken.getAllValidWrappers())


def made() -> int:
    """How many Python objects of such items there are, by their types: some objects lie about their class."""
    return sum(issubclass(type(each), QWidgetItem) for each in gc.get_objects())


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
    assert members_of(grid) == {0: last} and list(members_of(column)) == [0, 1]
    assert kept() == before


def test_to_look_at_a_page_leaves_nothing(qtbot: QtBot, qapp: QApplication) -> None:
    """An item that is asked for leaves half a kilobyte, as long as its layout is there."""
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.addLayout(beside((QPushButton(), 1), (QPushButton(), 2)))
    close_gaps(column)
    before = made()
    for _ in range(5):
        close_gaps(column)
    assert made() == before
    assert column.itemAt(0) is not None and column.itemAt(0).layout().itemAt(0) is not None
    assert made() > before
