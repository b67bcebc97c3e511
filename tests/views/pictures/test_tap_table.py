"""The table of all taps as it is painted: texts, figures of the last pass, the chosen row, what is too long."""

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.makers.taps import tap_list
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.trace.measures.tap_figures import measured_taps
from explorer.trace.trace import Trace
from explorer.views.pictures.tap_table import TapTableView
from tests.pixels import numbers

MEAN = 5


def shown(qtbot: QtBot, trace: Trace, words: Words, theme: Theme = LIGHT) -> TapTableView:
    view = TapTableView()
    qtbot.addWidget(view)
    view.setStyleSheet(f"QTableView {{ background: {theme.card}; border: none; }}")
    view.set_theme(theme)
    view.draw(tap_list(trace), words)
    view.resize(860, 400)
    with qtbot.waitExposed(view):
        view.show()
    return view


def cell(view: TapTableView, row: int, column: int) -> np.ndarray:
    """[row, column, channel] the pixels of a cell."""
    table = view.table
    area = QRect(table.columnViewportPosition(column), table.rowViewportPosition(row), table.columnWidth(column), 24)
    pixels = numbers(table.viewport().grab(area).toImage())
    return np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(int)


def ink(view: TapTableView, row: int, column: int) -> np.ndarray:
    """[row, column] the pixels of a cell that are not as its corner."""
    pixels = cell(view, row, column)
    return (pixels != pixels[0, 0]).any(axis=-1)


def reaches(view: TapTableView, row: int, column: int, colour: str) -> bool:
    """Whether a pixel of a cell has this colour, or nearly."""
    away = np.abs(cell(view, row, column) - QColor(colour).toTuple()[:3]).max(axis=-1)
    return bool(away.min() <= 40)


def tell(view: TapTableView, trace: Trace) -> None:
    view.tell(measured_taps(trace, trace.names()).figures)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_figures_of_the_last_pass_are_faint_until_the_new_ones_come(
    qtbot: QtBot, trace: Trace, words: Words, theme: Theme
) -> None:
    """Names never are."""
    view = shown(qtbot, trace, words, theme)
    tell(view, trace)
    assert reaches(view, 3, MEAN, theme.text) and reaches(view, 3, 0, theme.text)
    view.draw(tap_list(trace), words)
    assert not reaches(view, 3, MEAN, theme.text) and reaches(view, 3, MEAN, theme.faint)
    assert reaches(view, 3, 0, theme.text)
    tell(view, trace)
    assert reaches(view, 3, MEAN, theme.text)


def test_the_columns_fill_the_table(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """In every width, none of them beyond its edge; where there is little room the names alone are narrower."""
    view = shown(qtbot, trace, words)
    names, means = [], []
    for wide in (712, 772, 1400):
        view.resize(wide, 400)
        qtbot.waitUntil(lambda wide=wide: view.table.width() == wide)
        table = view.table
        last = max(each for each in range(table.model().columnCount()) if not table.isColumnHidden(each))
        assert table.horizontalScrollBar().maximum() == 0
        assert table.columnViewportPosition(last) + table.columnWidth(last) == pytest.approx(table.viewport().width(), abs=10)
        names.append(table.columnWidth(0))
        means.append(table.columnWidth(MEAN))
    assert names[0] < names[1] < names[2] and means[0] == means[1] < means[2]


def test_each_cell_says_its_own_figure(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """In the order of the table, also a sorted one and one with a filter: two cells look alike just where they say the same."""
    view = shown(qtbot, trace, words)
    tell(view, trace)
    for act in (
        lambda: None,
        lambda: view.table.sortByColumn(MEAN, Qt.SortOrder.DescendingOrder),
        lambda: view.filter.setText("norm"),
    ):
        act()
        order = view.table.model()
        said = [[order.index(row, column).data() for column in range(order.columnCount())] for row in range(12)]
        for column in (0, 1, MEAN, MEAN + 1):
            for row in range(1, 12):
                alike = np.array_equal(cell(view, row, column), cell(view, row - 1, column))
                assert alike == (said[row][column] == said[row - 1][column]), (said[row], column)


def test_texts_are_flush_left_and_figures_right(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Every figure ends at the same place; what is too long ends in dots and leaves the next column alone."""
    view = shown(qtbot, trace, words)
    tell(view, trace)
    ends = {int(np.flatnonzero(ink(view, row, MEAN).any(axis=0))[-1]) for row in range(12)}
    begins = {int(np.flatnonzero(ink(view, row, 0).any(axis=0))[0]) for row in range(12)}
    assert max(ends) - min(ends) <= 3 and max(begins) - min(begins) <= 2
    assert view.table.columnWidth(MEAN) - max(ends) <= 12
    whole = ink(view, 0, 0).any(axis=0)
    view.table.setColumnWidth(0, 60)
    cut = ink(view, 0, 0).any(axis=0)
    assert np.flatnonzero(cut)[-1] < 60 <= np.flatnonzero(whole)[-1]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_chosen_row_is_on_the_accent(qtbot: QtBot, trace: Trace, words: Words, theme: Theme) -> None:
    """All of it, also where its figures are those of the last pass."""
    view = shown(qtbot, trace, words, theme)
    tell(view, trace)
    view.table.selectRow(2)
    view.draw(tap_list(trace), words)
    for column in (0, MEAN):
        assert tuple(cell(view, 2, column)[0, 0]) == QColor(theme.accent).toTuple()[:3]
        assert reaches(view, 2, column, theme.on_accent)
        assert tuple(cell(view, 3, column)[0, 0]) == QColor(theme.card).toTuple()[:3]


def test_the_row_of_what_is_shown_is_marked(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """Without saying that somebody has chosen it; a row that somebody goes to is said once."""
    view, chosen = shown(qtbot, trace, words), list[str]()
    view.chosen.connect(chosen.append)
    names = trace.names()
    view.mark(names[3])
    assert view.table.currentIndex().row() == 3 and not chosen
    QTest.keyClick(view.table, Qt.Key.Key_Down)
    assert chosen == [names[4]]
    view.mark(names[4])
    view.filter.setText(names[3])
    assert chosen == [names[4]]


def test_an_empty_table_paints_nothing(qtbot: QtBot, trace: Trace, words: Words) -> None:
    """No row fits a filter."""
    view = shown(qtbot, trace, words)
    view.filter.setText("no tap is called so")
    assert (numbers(view.table.viewport().grab().toImage()) == numbers(view.table.viewport().grab().toImage())[0, 0]).all()
