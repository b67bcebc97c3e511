"""Views of a training: mouse, wheel and keys choose the snapshot, and the head."""

import attrs
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.training_kinds import Answers
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.answers import AnswersView
from explorer.views.pictures.head_diary import HeadDiaryView
from explorer.views.pictures.step_curves import StepCurvesView
from explorer.views.pictures.step_surface import StepSurface
from tests.picture.trainings import ANSWERS, CURVES, DIARY
from tests.pointing import hover

KEYS, LEFT = Qt.Key, Qt.MouseButton.LeftButton
WORDS = Words.load("en")


def opened(qtbot: QtBot, view: StepSurface, picture: object, high: int = 300) -> list[int]:
    """Show a view with a picture; returns the list that its steps come into."""
    qtbot.addWidget(view)
    view.resize(600, high)
    with qtbot.waitExposed(view):
        view.show()
    view.draw(picture, WORDS)  # type: ignore[attr-defined]  # it is a view
    steps: list[int] = []
    view.stepped.connect(steps.append)
    return steps


def turn(view: StepSurface, notches: int) -> None:
    """Turn the wheel toward oneself by some notches."""
    at, none = QPointF(300, 100), Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(
        view,
        QWheelEvent(
            at,
            view.mapToGlobal(at),
            QPoint(),
            QPoint(0, -120 * notches),
            Qt.MouseButton.NoButton,
            none,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


@pytest.mark.parametrize(("view", "picture"), [(StepCurvesView, CURVES), (HeadDiaryView, DIARY)])
def test_keys_the_wheel_and_the_mouse_choose_a_snapshot(qtbot: QtBot, view: type[StepSurface], picture: object) -> None:
    """Each is told once and marked at once; a drag tells each snapshot that it comes to."""
    made = view()
    steps = opened(qtbot, made, picture)
    for key in (KEYS.Key_Right, KEYS.Key_Right, KEYS.Key_Left, KEYS.Key_Home, KEYS.Key_End):
        QTest.keyClick(made, key)
    assert steps == [100, 10, 0, 100] and made.picture.shown == 100
    turn(made, -1)
    turn(made, 1)
    assert steps[4:] == [10, 100]
    axis = made.plane().axis if isinstance(made, StepCurvesView) else made.rows().axis  # type: ignore[attr-defined]
    x = [QPoint(round(axis.middle(place)), 100) for place in range(4)]
    QTest.mousePress(made, LEFT, pos=x[2])
    for place in (1, 1, 0):
        move(made, x[place])
    QTest.mouseRelease(made, LEFT, pos=x[0])
    assert steps[6:] == [10, 1, 0]


def move(view: StepSurface, place: QPoint) -> None:
    """The mouse moves with its left button down."""
    at = QPointF(place)
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), LEFT, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view, event)


def test_the_mouse_tells_all_values_at_a_step(qtbot: QtBot) -> None:
    """And beside the plot nothing."""
    view = StepCurvesView()
    opened(qtbot, view, CURVES)
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    hover(view, QPoint(round(float(view.plane().axis.x(10))), 90))
    hover(view, QPoint(10, 90))
    assert told[0].text.startswith("Step 10\ntraining <&>: 2 nat") and told[1].text == ""


def test_a_head_is_chosen_with_its_row(qtbot: QtBot) -> None:
    """By a click on a map with its snapshot; by its name and by keys alone. The mouse tells a cell and lights its tokens."""
    view = HeadDiaryView()
    steps, chosen = opened(qtbot, view, DIARY), []
    view.chose.connect(chosen.append)
    frame = view.rows().map(2, 3)
    QTest.mouseClick(view, LEFT, pos=QPoint(round(frame.x + 4), round(frame.y + 4)))
    assert (chosen, steps) == ([2], [100])
    QTest.mouseClick(view, LEFT, pos=QPoint(20, round(view.rows().map(0, 0).y + 5)))
    QTest.keyClick(view, KEYS.Key_Up)
    QTest.keyClick(view, KEYS.Key_Down)
    assert (chosen, steps) == ([2, 0, 1], [100])
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    frame = view.rows().map(1, 2)
    hover(view, QPoint(round(frame.x + 3), round(frame.bottom - 3)))
    assert told[-1].text.startswith("0.875 · <&> → 我") and told[-1].tokens == {("source", 0), ("source", 1)}


def test_rows_without_room_scroll(qtbot: QtBot) -> None:
    """The wheel scrolls then, and keys reveal the head that they choose."""
    view = HeadDiaryView()
    many = attrs.evolve(DIARY, strips=DIARY.strips[:2] * 20, headings=("self",), chosen=0)
    steps = opened(qtbot, view, many)
    turn(view, 2)
    assert view.shift > 0 and steps == []
    for _ in range(39):
        QTest.keyClick(view, KEYS.Key_Down)
    assert view.picture.chosen == 39
    assert 0 < view.rows().row(39).y and view.rows().row(39).bottom <= view.height()


def test_answers_lead_to_their_first_snapshot(qtbot: QtBot) -> None:
    """By click and by keys; a click on the row that is looked at changes nothing."""
    view = AnswersView()
    steps = opened(qtbot, view, ANSWERS)
    for row in (1, 2, 1):
        area = view.rows().row(row)
        QTest.mouseClick(view, LEFT, pos=QPoint(100, round(area.y + 5)))
    QTest.keyClick(view, KEYS.Key_Up)
    assert steps == [100, 1, 0]
    answers = tuple(str(place) for place in range(60))
    long = Answers(answers=answers, right=(None,) * 60, steps=tuple(range(60)), shown=59, caption=ANSWERS.caption)
    view.draw(long, WORDS)
    assert view.rows().row(59).bottom <= view.height() + 1 and view.shift > 0
