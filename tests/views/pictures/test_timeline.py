"""The timeline on screen: scrubbed with mouse, wheel and keys, and scrolled where it is long."""

import math

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.decoding_kinds import Timeline
from explorer.picture.kinds import Caption
from explorer.picture.scales import LEVELS, table
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.timeline import TimelineView
from tests.pointing import hover

_VALUES = np.array([0.9, 0.5, 0.25, 0.75, 0.125], np.float32)


def steps(repeat: int = 1, **changes: object) -> Timeline:
    values = np.tile(_VALUES, repeat)
    n = len(values)
    made = Timeline(
        labels=("␣He", "␣is", "␣reading", "北京", "<eos>") * repeat,
        probabilities=values,
        chosen=2,
        caption=Caption(title="t", tap="generator.probabilities", shape=""),
        log_p=np.log(values.astype(np.float64)),
        ranks=tuple(range(1, n + 1)),
        n_symbols=6000,
        side="target",
        shift=1,
    )
    return attrs.evolve(made, **changes)


def shown(qtbot: QtBot, words: Words, picture: Timeline, theme: Theme = LIGHT, width: int = 480) -> TimelineView:
    view = TimelineView()
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.draw(picture, words)
    view.resize(width, view.sizeHint().height())
    with qtbot.waitExposed(view):
        view.show()
    return view


def emitted(view: TimelineView) -> list[int]:
    found: list[int] = []
    view.stepped.connect(found.append)
    return found


def wheel(view: TimelineView, down: int, across: int = 0) -> None:
    place = QPointF(view.rect().center())
    event = QWheelEvent(
        place,
        place,
        QPoint(),
        QPoint(across, down),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def distance(one: QColor, other: QColor) -> int:
    return max(abs(a - b) for a, b in zip(one.toTuple(), other.toTuple(), strict=True))


def test_chips_share_the_room_and_scroll_where_they_have_none(qtbot: QtBot, words: Words) -> None:
    """Up to the right edge of the row, and no chip wider than one can be; a chip is never narrower than its symbol."""
    view = shown(qtbot, words, steps(), width=600)
    assert view.step_rect(4).right() == pytest.approx(599, abs=1)
    least = shown(qtbot, words, steps(), width=120)
    assert all(least.step_rect(each).width() < view.step_rect(each).width() for each in range(5))
    assert least.hidden() != (0, 0) and view.hidden() == (0, 0)
    wide = shown(qtbot, words, steps(), width=3000)
    assert wide.step_rect(4).right() < 1000


def test_keys_step_and_go_to_the_ends(qtbot: QtBot, words: Words) -> None:
    """Without waiting for the picture that answers; at an end nothing is said."""
    view = shown(qtbot, words, steps())
    found = emitted(view)
    keys = Qt.Key
    for key in (keys.Key_Right, keys.Key_Right, keys.Key_Right, keys.Key_Left, keys.Key_Home, keys.Key_Left, keys.Key_End):
        QTest.keyClick(view, key)
    assert found == [3, 4, 3, 0, 4]
    with qtbot.waitSignal(view.opened):
        QTest.keyClick(view, keys.Key_Return)


def test_a_picture_does_not_answer_itself(qtbot: QtBot, words: Words) -> None:
    """Drawing another chosen step emits nothing: no loop."""
    view = shown(qtbot, words, steps())
    found = emitted(view)
    view.draw(steps(chosen=4), words)
    assert (view.chosen, found) == (4, [])
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert found == [3]


def test_dragging_scrubs(qtbot: QtBot, words: Words) -> None:
    """Every step on the way, once; the gaps between chips belong to the nearest one."""
    view = shown(qtbot, words, steps())
    found = emitted(view)
    centre = [view.step_rect(step).center().toPoint() for step in range(5)]
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=centre[0])
    for x in range(centre[0].x(), centre[4].x() + 1, 3):
        QTest.mouseMove(view, QPoint(x, centre[0].y()))
    QTest.mouseMove(view, centre[1])
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=centre[1])
    assert found == [0, 1, 2, 3, 4, 1]
    hover(view, centre[3])
    assert found[-1] == 1


@pytest.mark.parametrize("step", range(5))
def test_a_click_on_a_chip_or_its_bar_chooses_the_step(qtbot: QtBot, words: Words, step: int) -> None:
    """Once; a click on the chosen one says nothing."""
    view = shown(qtbot, words, steps())
    found = emitted(view)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.bar_rect(step).center().toPoint())
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.step_rect(step).center().toPoint())
    assert found == ([] if step == 2 else [step])


def test_the_wheel_steps_by_notches(qtbot: QtBot, words: Words) -> None:
    """Down is later, up earlier; the parts of a notch that a touch pad sends add up."""
    view = shown(qtbot, words, steps())
    found = emitted(view)
    wheel(view, -120)
    wheel(view, 240)
    for _ in range(3):
        wheel(view, -40)
    assert found == [3, 1, 2]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_chosen_step_is_outlined_and_each_bar_is_its_probability(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """The accent around one chip; data colour from the left as far as the probability, then a hairline's colour."""
    view = shown(qtbot, words, steps(chosen=3), theme)
    image = view.grab().toImage()
    data, accent = QColor(*map(int, table("cividis")[LEVELS // 3])), QColor(theme.accent)
    for step in range(5):
        chip, bar = view.step_rect(step), view.bar_rect(step)
        edge = image.pixelColor(QPointF(chip.center().x(), chip.top() + 1).toPoint())
        assert (distance(edge, accent) < 60) == (step == 3), (step, edge.name())
        y = int(bar.center().y())
        row = [image.pixelColor(x, y) for x in range(math.ceil(bar.left()) + 1, int(bar.right()) - 1)]
        share = sum(colour == data for colour in row) / len(row)
        assert share == pytest.approx(_VALUES[step], abs=0.07)
        assert all(colour == data for colour in row[: int(share * len(row)) - 1])


def test_what_comes_after_is_faint(qtbot: QtBot, words: Words) -> None:
    """Before and at the chosen step letters are in the text's colour, after it in the faint one."""
    view = shown(qtbot, words, steps(chosen=1))
    image = view.grab().toImage()
    ink, faint = QColor(LIGHT.text).lightness(), QColor(LIGHT.faint).lightness()
    for step in range(5):
        inside = view.step_rect(step).adjusted(4, 5, -4, -5).toRect()
        darkest = min(
            image.pixelColor(x, y).lightness()
            for x in range(inside.left(), inside.right())
            for y in range(inside.top(), inside.bottom())
        )
        assert abs(darkest - (ink if step <= 1 else faint)) < 25, step


def test_hovering_tells_probability_logarithm_and_rank(qtbot: QtBot, words: Words) -> None:
    """And lights up the token that the step wrote; the end symbol is no token of the target."""
    view = shown(qtbot, words, steps())
    said: list[Pointed] = []
    view.pointed.connect(said.append)
    hover(view, view.step_rect(1).center().toPoint())
    for part in ("␣is", "0.5", "−0.6931", "2", "6000"):
        assert part in said[-1].text
    assert said[-1].tokens == {("target", 2)}
    hover(view, view.step_rect(4).center().toPoint())
    assert "<eos>" in said[-1].text and said[-1].tokens == frozenset()


def test_without_probabilities_only_the_tokens_are_told(qtbot: QtBot, words: Words) -> None:
    """No bar, no figure, no rank; the position's own token lights up."""
    plain = steps(probabilities=np.full(5, np.nan, np.float32), log_p=None, ranks=(), shift=0)
    view = shown(qtbot, words, plain)
    said: list[Pointed] = []
    view.pointed.connect(said.append)
    for step in (0, 4):
        hover(view, view.step_rect(step).center().toPoint())
    told = words("timeline.about_position", step=4, symbol="<eos>")
    qtbot.waitUntil(lambda: bool(said) and said[-1].text == told)
    assert said[-1].tokens == {("target", 4)}
    image = view.grab().toImage()
    bar = view.bar_rect(0).center().toPoint()
    assert image.pixelColor(bar) == image.pixelColor(view.width() - 5, view.height() - 5)  # nothing was painted


def test_a_lit_token_shows_in_its_step(qtbot: QtBot, words: Words) -> None:
    """Token 1 of the target was written by step 0."""
    view = shown(qtbot, words, steps())
    before = view.grab(view.step_rect(0).toRect()).toImage()
    other = view.grab(view.step_rect(1).toRect()).toImage()
    view.light(frozenset({("target", 1), ("source", 2)}))
    assert view.grab(view.step_rect(0).toRect()).toImage() != before
    assert view.grab(view.step_rect(1).toRect()).toImage() == other


def test_a_long_sentence_says_that_there_is_more(qtbot: QtBot, words: Words) -> None:
    """On the right at the beginning, on the left at the end; where all fits, nowhere."""
    view = shown(qtbot, words, steps(10, chosen=0))
    left, right = view.hidden()
    assert left == 0 and right > 30
    QTest.keyClick(view, Qt.Key.Key_End)
    left, right = view.hidden()
    assert left > 30 and right == 0
    assert shown(qtbot, words, steps()).hidden() == (0, 0)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_sign_is_seen_at_the_edge_beyond_which_there_is_more(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """In the accent, which nothing else at the edges has."""

    def marked(view: TimelineView) -> list[bool]:
        image, accent = view.grab().toImage(), QColor(theme.accent)
        return [
            any(distance(image.pixelColor(x, y), accent) < 60 for x in columns for y in range(8, 28))
            for columns in (range(2, 20), range(view.width() - 20, view.width() - 2))
        ]

    view = shown(qtbot, words, steps(10, chosen=25), theme)
    view.clearFocus()
    assert marked(view) == [True, True]
    wheel(view, 0, -10_000)
    assert marked(view) == [True, False]
    wheel(view, 0, 10_000)
    assert marked(view) == [False, True]


@pytest.mark.parametrize("width", [120, 300, 900])
def test_the_chosen_step_is_always_in_view(qtbot: QtBot, words: Words, width: int) -> None:
    """Whoever chose it: keys, a picture, a resize."""
    view = shown(qtbot, words, steps(10, chosen=0), width=width)
    for _ in range(49):
        QTest.keyClick(view, Qt.Key.Key_Right)
        box = view.step_rect(view.chosen)
        assert box.left() >= -0.5 and box.right() <= view.width() + 0.5
    view.resize(200, view.height())
    assert view.step_rect(49).right() <= 200.5
    view.draw(steps(10, chosen=20), words)
    assert view.step_rect(20).left() >= 0 and view.step_rect(20).right() <= 200


def test_a_click_on_the_sign_scrolls_and_chooses_nothing(qtbot: QtBot, words: Words) -> None:
    """So does the wheel sideways; drawing the same picture again leaves it there, `fit` brings the chosen step back."""
    view = shown(qtbot, words, steps(10, chosen=0))
    found = emitted(view)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() - 6, 15))
    away = view.hidden()[0]
    assert away > 1
    wheel(view, 0, -120)
    assert view.hidden()[0] > away
    away = view.hidden()[0]
    view.draw(steps(10, chosen=0), words)
    assert (view.hidden()[0], found) == (away, [])
    view.fit()
    assert view.hidden()[0] == 0


def test_a_drag_beyond_the_edge_goes_on(qtbot: QtBot, words: Words) -> None:
    """One step for each move, to the very end and not further."""
    view = shown(qtbot, words, steps(4, chosen=0))
    found = emitted(view)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=view.step_rect(1).center().toPoint())
    for extra in range(40):
        QTest.mouseMove(view, QPoint(view.width() + 5 + extra, 15))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() + 50, 15))
    assert found == list(range(1, 20))


def test_a_very_long_token_is_cut_short(qtbot: QtBot, words: Words) -> None:
    """It must not fill the row alone."""
    view = shown(qtbot, words, steps(labels=("W" * 200, "b", "c", "d", "e")))
    assert view.step_rect(0).width() <= 180
    assert not view.grab().isNull()
