"""How hidden cards are remembered, and how their room is given to others."""

import pytest
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.hidden_cards import read, written
from explorer.app.pages.layouts import beside, close_gaps, column_in

PAGES = ("attention", "layers")


def test_what_is_hidden_is_written_and_read() -> None:
    """By page and number; pages without hidden cards are left out."""
    hidden = {"attention": frozenset({2, 0}), "layers": frozenset({1}), "why": frozenset[int]()}
    assert "attention:0,2 layers:1" == written(hidden)
    assert {"attention": frozenset({0, 2}), "layers": frozenset({1})} == read(written(hidden), PAGES)


@pytest.mark.parametrize("line", ["", "attention", "attention:", "attention:a", "other:1", "attention:-1", ":", "attention:1,"])
def test_what_cannot_be_read_hides_nothing(line: str) -> None:
    """The preferences may be of another version, or written by hand."""
    assert {} == read(line, PAGES)


def test_a_row_of_hidden_widgets_takes_no_room(qtbot: QtBot) -> None:
    """Its share goes to the other rows, and comes back with one of its widgets."""
    page, labels = QWidget(), [QLabel("…") for _ in range(3)]
    qtbot.addWidget(page)
    column = column_in(page)
    column.addLayout(beside((labels[0], 1), (labels[1], 1)), 3)
    column.addWidget(labels[2], 1)
    page.resize(400, 408)
    page.show()
    for hidden in (labels[:2], []):
        for label in labels:
            label.setVisible(label not in hidden)
        close_gaps(page.layout())
        QApplication.processEvents()
        share = labels[2].height() / (page.height() - 16)
        assert share == 1.0 if hidden else share == pytest.approx(0.25, abs=0.03)


def test_an_empty_column_of_a_grid_takes_no_room(qtbot: QtBot) -> None:
    """What lies across all columns fills none of them."""
    page, labels = QWidget(), [QLabel("…") for _ in range(3)]
    qtbot.addWidget(page)
    grid = QGridLayout(page)
    for label, place in zip(labels, ((0, 0), (0, 1), (1, 0, 1, 2)), strict=True):
        grid.addWidget(label, *place)
    for number in range(2):
        grid.setColumnStretch(number, 1)
    labels[1].hide()
    close_gaps(grid)
    assert [1, 0] == [grid.columnStretch(number) for number in range(2)]
    labels[1].show()
    close_gaps(grid)
    assert [1, 1] == [grid.columnStretch(number) for number in range(2)]
