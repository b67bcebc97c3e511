"""Columns move from where they were to where they are; the picture is the new one all the time."""

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.views.painting import sliding
from explorer.views.painting.sliding import Sliding


def picture() -> QImage:
    """A red half and a blue half."""
    made = QImage(100, 10, QImage.Format.Format_RGB32)
    made.fill(QColor("red"))
    with QPainter(made) as painter:
        painter.fillRect(50, 0, 50, 10, QColor("blue"))
    return made


def painted(moving: Sliding) -> QImage:
    image = QImage(100, 10, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        moving.paint(painter, picture())
    return image


def border(image: QImage) -> int:
    return next(x for x in range(100) if image.pixelColor(x, 5).blue() > 128)


def test_the_border_between_two_columns_moves(qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 20 to 50, always forward, and then it rests."""
    monkeypatch.setattr(sliding, "may_move", lambda: True)
    seen: list[int] = []
    moving = Sliding(lambda: seen.append(border(painted(moving))) if moving.runs else None)
    moving.start([0, 20, 100], [0, 50, 100])
    assert moving.runs and border(painted(moving)) == 20
    qtbot.waitUntil(lambda: not moving.runs)
    assert seen == sorted(seen) and seen[-1] <= 50


def test_it_ends_with_the_view_that_it_moves(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window that is closed meanwhile is not asked to repaint a view that has gone."""
    monkeypatch.setattr(sliding, "may_move", lambda: True)
    view = QWidget()
    moving = Sliding(view.update, view)
    moving.start([0, 20, 100], [0, 50, 100])
    assert moving.runs
    shiboken6.delete(view)
    assert not shiboken6.isValid(moving)


def test_input_ends_it(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing moves where nothing has moved, or where nobody looks."""
    monkeypatch.setattr(sliding, "may_move", lambda: True)
    moving = Sliding(lambda: None)
    moving.start([0, 100], [0, 100])
    assert not moving.runs
    moving.start([0, 20, 100], [0, 50, 100])
    moving.end()
    assert not moving.runs
    monkeypatch.setattr(sliding, "may_move", lambda: False)
    moving.start([0, 20, 100], [0, 50, 100])
    assert not moving.runs
