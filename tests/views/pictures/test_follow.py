"""A followed cell on screen: it plays, is dragged and driven by keys, and what is painted follows from the time alone."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.follow_text import sentence
from explorer.picture.followed import BEATS
from explorer.picture.layout.follow_sheet import panels
from explorer.picture.layout.follow_time import timetable
from explorer.picture.makers.follow import follow
from explorer.picture.marks import Rect
from explorer.picture.theme import DARK
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.painting.motion import STILL
from explorer.views.pictures.follow import FollowView
from tests.picture.examples import by_hand, follow_of
from tests.pointing import hover

KEYS = Qt.Key
TABLE = timetable(by_hand())


@pytest.fixture
def view(qtbot: QtBot, words: Words) -> FollowView:
    view = FollowView()
    view.draw(follow_of(by_hand()), words)
    qtbot.addWidget(view)
    view.resize(900, 520)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    return view


@pytest.fixture
def still(qapp: QApplication) -> Iterator[None]:
    """Nothing may move."""
    qapp.setProperty(STILL, True)
    yield
    qapp.setProperty(STILL, False)


def press(view: FollowView, *keys: Qt.Key, shift: bool = False) -> None:
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    for key in keys:
        QTest.keyClick(view, key, held)  # type: ignore[call-overload]


def picture_at(view: FollowView, time_s: float) -> QImage:
    view.seek(time_s)
    return view.grab().toImage()


def test_the_same_time_is_the_same_picture(view: FollowView) -> None:
    """Whatever was painted before it; another time is another picture."""
    first = [picture_at(view, time) for time in (0.4, 2.6, 5.0)]
    again = [picture_at(view, time) for time in (5.0, 2.6, 0.4)]
    assert first == again[::-1]
    assert first[0] != first[1]


def test_it_plays_to_the_end_and_stops_there(view: FollowView, qtbot: QtBot) -> None:
    """From the sheet it begins with the first beat; Space stops it in between."""
    assert view.whole and not view.playing
    press(view, KEYS.Key_Space)
    assert view.playing and not view.whole
    qtbot.waitUntil(lambda: view.time_s > 0.05)
    press(view, KEYS.Key_Space)
    stopped = view.time_s
    assert not view.playing
    view.speed = 60.0
    press(view, KEYS.Key_Space)
    qtbot.waitUntil(lambda: not view.playing, timeout=5000)
    assert 0 < stopped < TABLE.total == pytest.approx(view.time_s)
    press(view, KEYS.Key_Space)
    assert view.time_s < TABLE.total


def test_arrow_keys_go_from_beat_to_beat(view: FollowView) -> None:
    """Each at its end; the first and the last are the borders; Home and End go there."""
    press(view, KEYS.Key_Right)
    assert view.time_s == TABLE.end(0) and not view.whole
    press(view, KEYS.Key_Right, KEYS.Key_Right)
    assert view.time_s == TABLE.end(2)
    press(view, KEYS.Key_Left)
    assert view.time_s == TABLE.end(1)
    press(view, *[KEYS.Key_Right] * 9)
    assert view.time_s == TABLE.end(5)
    press(view, KEYS.Key_Home)
    assert view.time_s == 0
    press(view, KEYS.Key_End)
    assert view.time_s == TABLE.end(5)


def test_shift_and_arrows_add_one_product(view: FollowView, words: Words) -> None:
    """Forward and back, and from anywhere into the products; the sentence is about that product."""
    said = []
    for _ in range(5):
        press(view, KEYS.Key_Right, shift=True)
        said.append(view.accessibleDescription().split("\n")[0])
    assert said[0] == words("follow.products.step", feature=0, q="1.00", k="3.00", product="+3.00", sum="3.00")
    assert said[1].startswith("第 1 维") and said[2].startswith("第 2 维")
    assert said[3] == sentence(by_hand(), "products", words) and said[4] == said[0]
    view.open_beat(4)
    press(view, KEYS.Key_Left, shift=True)
    assert view.accessibleDescription().startswith("第 2 维")


def test_escape_goes_back_to_the_sheet_and_then_leaves(view: FollowView, qtbot: QtBot) -> None:
    """One level at a time."""
    press(view, KEYS.Key_Return)
    assert not view.whole
    with qtbot.assertNotEmitted(view.leaving):
        press(view, KEYS.Key_Escape)
    assert view.whole
    with qtbot.waitSignal(view.leaving):
        press(view, KEYS.Key_Escape)


@pytest.mark.parametrize(
    ("key", "held", "taken"),
    [
        (KEYS.Key_Escape, Qt.KeyboardModifier.NoModifier, True),
        (KEYS.Key_Right, Qt.KeyboardModifier.ShiftModifier, True),
        (KEYS.Key_Right, Qt.KeyboardModifier.ControlModifier, False),
        (KEYS.Key_F11, Qt.KeyboardModifier.NoModifier, False),
    ],
)
def test_its_keys_come_before_the_windows(view: FollowView, key: Qt.Key, held: Qt.KeyboardModifier, taken: bool) -> None:
    """Esc is a shortcut of the window otherwise."""
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, key, held)
    asked.ignore()
    QApplication.sendEvent(view, asked)
    assert asked.isAccepted() == taken


def test_a_click_on_a_panel_opens_its_beat(view: FollowView, qtbot: QtBot) -> None:
    """Under the mouse it lights up, and the status line has its sentence and its taps."""
    panel = panels(Rect(0, 0, view.width(), view.height()))[3]
    place = QPoint(round(panel.x + 20), round(panel.y + 20))
    with qtbot.waitSignal(view.pointed) as pointed:
        hover(view, place)
    assert "masked[2, 2, 0]" in pointed.args[0].text
    assert pointed.args[0].tokens == {("target", 2), ("target", 0)}
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert not view.whole and view.time_s == TABLE.end(3)


def test_a_new_cell_keeps_the_moment(view: FollowView, words: Words) -> None:
    """Whoever looks at a beat compares it in other cells; a shorter time is its end."""
    view.open_beat(5)
    view.draw(follow_of(by_hand((1.0,), (2.0,))), words)
    assert not view.whole and view.time_s <= timetable(by_hand((1.0,), (2.0,))).total
    assert BEATS[timetable(by_hand((1.0,), (2.0,))).at(view.time_s).beat] == "mixed"


@pytest.mark.usefixtures("still")
def test_where_nothing_may_move_beats_are_cut(view: FollowView) -> None:
    """While it plays, each beat is shown at its end from its beginning on."""
    end = picture_at(view, TABLE.end(0))
    view.show_all()
    view.play()
    view.time_s = 0.2
    playing = view.grab().toImage()
    view.pause()
    assert playing == end


def test_it_stops_when_nobody_sees_it(view: FollowView) -> None:
    """Another page in front, or a closed window."""
    view.play()
    view.hide()
    assert not view.playing


def test_a_dark_sheet_is_dark(view: FollowView) -> None:
    """Nothing of the light theme is left on it."""
    light = view.grab().toImage()
    view.set_theme(DARK)
    dark = view.grab().toImage()
    assert dark.pixelColor(3, 3).name() == DARK.card
    assert light != dark


def test_without_a_picture_nothing_happens(qtbot: QtBot) -> None:
    """No key, no time, nothing to paint."""
    view = FollowView()
    qtbot.addWidget(view)
    view.resize(300, 200)
    for act in (view.play, view.show_all, lambda: view.step(1), lambda: view.step_product(1), lambda: view.seek(3.0)):
        act()
    press(view, KEYS.Key_Right, KEYS.Key_Space)
    assert not view.playing and not view.grab().isNull()


def test_a_recorded_cell_is_painted(view: FollowView, trace: Trace, words: Words) -> None:
    """Every beat of a real pass, at every quarter of its motion."""
    made = follow(trace, Look(attention="decoder.self_attn"), words)
    assert made is not None
    view.draw(made, words)
    table = timetable(made.followed)
    seen = [picture_at(view, table.start(beat) + share * table.moves[beat]) for beat in range(6) for share in (0.25, 0.5, 1.0)]
    assert all(not image.isNull() for image in seen)
    assert len({image.constBits().tobytes() for image in seen}) > 15
