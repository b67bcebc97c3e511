"""The transport: its scrub bar is a table of contents."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.picture.theme import DARK
from explorer.views.controls.transport import Beat, ScrubBar, Transport

PARTS = (Beat("① one", "1.5", 0.0), Beat("② two", "2.5", 2.0), Beat("③ three", "3.5", 8.0))


@pytest.fixture
def transport(qtbot: QtBot) -> Transport:
    made = Transport()
    qtbot.addWidget(made)
    made.name({key: key for key in ("play", "earlier", "later", "all_beats", "speed", "scrub", "keys")})
    made.put(PARTS, 10.0, 4.0, whole=False, playing=False)
    made.resize(900, 44)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_each_part_has_the_same_room(transport: Transport) -> None:
    """However long it takes; places and times are each other's inverse."""
    bar = transport.bar
    third = (bar.width() - 16) / 3
    assert [bar.place(time) - 8 for time in (0.0, 2.0, 5.0, 8.0, 10.0)] == pytest.approx(
        [0, third, 1.5 * third, 2 * third, 3 * third]
    )
    for time in (0.0, 0.7, 2.0, 5.0, 9.5, 10.0):
        assert bar.time_at(bar.place(time)) == pytest.approx(time)
    assert (bar.time_at(-50), bar.time_at(5000)) == (0.0, 10.0)


def test_dragging_seeks(transport: Transport, qtbot: QtBot) -> None:
    """A press and every move with the button held."""
    bar, sought = transport.bar, []
    transport.sought.connect(sought.append)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.place(1.0)), 30))
    QTest.mouseMove(bar, QPoint(round(bar.place(5.0)), 30))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.place(5.0)), 30))
    assert sought[0] == pytest.approx(1.0, abs=0.05)
    assert all(0 <= time <= 10 for time in sought)


def test_buttons_say_what_a_person_wants(transport: Transport, qtbot: QtBot) -> None:
    """Play, back, on, all at once, and a speed."""
    told: list[object] = []
    for signal in (transport.stepped, transport.speed):
        signal.connect(told.append)
    with qtbot.waitSignals([transport.toggled, transport.all_wanted]):
        transport.play.click()
        transport.every.click()
    transport.back.click()
    transport.on.click()
    transport.speeds.press("0.5")
    assert told == [-1, 1, 0.5]


def test_what_is_played_is_shown(transport: Transport) -> None:
    """The sign of the button, the pressed button, the line up to the time."""
    assert transport.play.sign == "play" and not transport.every.isChecked()
    before = transport.grab().toImage()
    transport.put(PARTS, 10.0, 9.0, whole=False, playing=True)
    assert transport.play.sign == "pause" and transport.grab().toImage() != before
    transport.put(PARTS, 10.0, 9.0, whole=True, playing=False)
    assert transport.every.isChecked() and transport.bar.whole
    transport.set_theme(DARK)
    assert transport.bar.grab().toImage().pixelColor(1, 1).name() == DARK.card


def test_an_empty_bar_is_at_its_beginning(qtbot: QtBot) -> None:
    """Before there is a picture."""
    bar = ScrubBar()
    qtbot.addWidget(bar)
    assert bar.time_at(50) == 0 and bar.place(3) == 8
    assert not bar.grab().isNull()
