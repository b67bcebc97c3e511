"""Dots and rings: rows answer to the mouse and to keys, and those without room are left out."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.causal_kinds import Removals
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.removals import RemovalsView
from tests.golden.test_figures import PICTURES
from tests.pointing import hover

KEYS = Qt.Key


@pytest.fixture
def view(qtbot: QtBot) -> RemovalsView:
    made = RemovalsView()
    qtbot.addWidget(made)
    made.resize(420, 220)
    with qtbot.waitExposed(made):
        made.show()
    made.draw(picture(), Words.load("en"))
    return made


def picture(n_times: int = 1) -> Removals:
    found = PICTURES["removals"]
    assert isinstance(found, Removals)
    return attrs.evolve(
        found,
        names=found.names * n_times,
        taps=found.taps * n_times,
        shares=np.tile(found.shares, n_times),
        costs=np.tile(found.costs, n_times),
    )


def test_a_row_says_its_share_and_its_cost(view: RemovalsView) -> None:
    """A part whose cost is still computed says its share alone."""
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    rows = view.rows()
    before = view.grab().toImage()
    for index in (0, 2):
        row = rows.row(index)
        hover(view, QPoint(round(row.x + 30), round(row.y + row.high / 2)))
    assert "contribution +0.520" in told[0].text and "changes by −0.080" in told[0].text
    assert "contribution +0.100" in told[1].text and "Switched off" not in told[1].text
    assert view.grab().toImage() != before
    hover(view, QPoint(5, 2))
    assert view.here is None


def test_arrow_keys_walk_the_rows(view: RemovalsView) -> None:
    """And stop at the ends; other keys are the window's."""
    view.setFocus()
    seen = []
    for key in (KEYS.Key_Up, KEYS.Key_Down, KEYS.Key_Up, KEYS.Key_Up, KEYS.Key_Up, KEYS.Key_A):
        QTest.keyClick(view, key)  # type: ignore[call-overload]
        seen.append(view.here)
    assert seen == [2, 2, 1, 0, 0, 0] and "cross L1 H4" in view.accessibleDescription()


def test_rows_without_room_are_left_out(view: RemovalsView) -> None:
    """The largest stay; a shorter account forgets the row under the mouse."""
    view.resize(420, 130)
    view.draw(picture(3), Words.load("en"))
    assert 4 <= view.rows().n_rows < 9
    view.here = 5
    view.draw(picture(), Words.load("en"))
    assert view.here is None and not view.grab().isNull()


def test_an_empty_view_draws_nothing(qtbot: QtBot) -> None:
    """Before the first picture has come."""
    made = RemovalsView()
    qtbot.addWidget(made)
    made.show()
    hover(made, QPoint(20, 20))
    QTest.keyClick(made, KEYS.Key_Down)  # type: ignore[call-overload]
    assert made.here is None and not made.grab().isNull()
