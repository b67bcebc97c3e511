"""The account and the lens on screen, by mouse and by keys."""

import attrs
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.layout.waterfall import n_added
from explorer.picture.marks import Label
from explorer.picture.sums import SumTerm
from explorer.picture.theme import DARK
from explorer.views.painting.motion import STILL
from explorer.views.painting.surface import Surface
from explorer.views.pictures.account import AccountView
from explorer.views.pictures.lens import LensView
from tests.picture.examples import account_of, jacobian_by_hand, lens_by_hand, sums
from tests.pointing import hover

KEYS, LEFT = Qt.Key, Qt.MouseButton.LeftButton


def shown(view: Surface, qtbot: QtBot) -> None:
    qtbot.addWidget(view)
    view.resize(700, 480)
    with qtbot.waitExposed(view):
        view.show()


@pytest.fixture
def view(qtbot: QtBot, words: Words) -> AccountView:
    view = AccountView()
    view.draw(account_of(sums()), words)
    shown(view, qtbot)
    return view


@pytest.fixture
def lens(qtbot: QtBot, words: Words) -> LensView:
    view = LensView()
    view.draw(lens_by_hand(), words)
    shown(view, qtbot)
    return view


def middle(view: AccountView, place: int) -> QPoint:
    return view.place_rect(place).center().toPoint()


def test_a_part_says_itself_under_the_mouse_and_opens_on_a_click(view: AccountView, qtbot: QtBot) -> None:
    """The same words in the status line; a part that does not open stays."""
    with qtbot.waitSignal(view.pointed) as told:
        hover(view, middle(view, 1))
    assert told.args[0].text == "head 0" and view.cursor().shape() == Qt.CursorShape.PointingHandCursor
    with qtbot.waitSignal(view.went) as went:
        QTest.mouseClick(view, LEFT, pos=middle(view, 1))
    assert went.args == [{"inside": "head"}]
    with qtbot.assertNotEmitted(view.went):
        QTest.mouseClick(view, LEFT, pos=middle(view, 3))
        QTest.mouseClick(view, LEFT, pos=QPoint(3, 3))


def test_arrow_keys_walk_the_parts_and_enter_opens(view: AccountView, qtbot: QtBot) -> None:
    """From either end, and no further."""
    told = []
    view.pointed.connect(lambda pointed: told.append(pointed.text))
    for key in (KEYS.Key_Right, KEYS.Key_Down, KEYS.Key_End, KEYS.Key_Right, KEYS.Key_Up, KEYS.Key_Home):
        QTest.keyClick(view, key)  # type: ignore[call-overload]
    assert told == ["the token", "head 0", "the bias", "the bias", "the network", "the token"]
    QTest.keyClick(view, KEYS.Key_Right)  # type: ignore[call-overload]
    with qtbot.waitSignal(view.went):
        QTest.keyClick(view, KEYS.Key_Return)  # type: ignore[call-overload]


def test_escape_leaves_what_is_open_and_only_that(view: AccountView, qtbot: QtBot, words: Words) -> None:
    """Otherwise the key is the window's."""
    with qtbot.assertNotEmitted(view.leaving):
        QTest.keyClick(view, KEYS.Key_Escape)  # type: ignore[call-overload]
    view.draw(account_of(sums(opened=True)), words)
    with qtbot.waitSignal(view.leaving):
        QTest.keyClick(view, KEYS.Key_Escape)  # type: ignore[call-overload]
    assert view.places[0].goes == {"inside": ""}  # The trail leads back as well.


def test_another_picture_forgets_a_place_that_has_gone(view: AccountView, words: Words) -> None:
    """Nothing is painted where nothing is."""
    hover(view, middle(view, 4))
    view.draw(account_of(sums(exact=False)), words)
    assert view.places == [] and view.here is None and view.selected is None
    view.set_theme(DARK)
    assert not view.grab().isNull()


def test_a_cell_of_the_lens_tells_ten_words_and_the_place_of_the_written_one(
    lens: LensView, qtbot: QtBot, words: Words
) -> None:
    """Its words stand below while the mouse is there, and stay after a click, which looks at the position."""
    area = lens.cell_area(1, 2)
    where = QPoint(int(area.x + 5), int(area.y + 5))
    with qtbot.waitSignal(lens.pointed) as told:
        hover(lens, where)
    text = told.args[0].text
    assert "10." in text and "decoder.layers.0.residual1[2]" in text and words("lens.heuristic") in text
    assert words("lens.exact") in lens.describe(2, 0).text and lens.cell == (2, 1)
    with qtbot.waitSignal(lens.stepped) as stepped:
        QTest.mouseClick(lens, LEFT, pos=where)
    assert stepped.args == [2] and lens.cell == (1, 2)


def test_ranks_and_what_was_measured_are_written_and_told(lens: LensView, words: Words) -> None:
    """A cell says the written word's place, the column at the right each row's share on held-out sentences, the tip both."""
    picture = jacobian_by_hand()
    lens.draw(picture, words)
    assert lens.sketch is not None
    said = [mark.text for mark in lens.sketch.marks if isinstance(mark, Label)]
    assert [text for text in said if text.endswith("%")] == ["40%", "50%", "100%"]
    assert said.count("6") >= 3 and said.count("2") >= 3
    assert "60.0%" in lens.describe(1, 2).text and "50.0%" in lens.describe(1, 2).text


def test_keys_walk_the_cells(lens: LensView) -> None:
    """To the borders; another position is looked at."""
    steps: list[int] = []
    lens.stepped.connect(steps.append)
    for key in (KEYS.Key_Up, KEYS.Key_Up, KEYS.Key_Up, KEYS.Key_Down, KEYS.Key_Home, KEYS.Key_Left, KEYS.Key_End):
        QTest.keyClick(lens, key)  # type: ignore[call-overload]
    assert lens.cell == (1, 2) and steps == [0, 0, 2]


def test_the_cell_follows_the_step(lens: LensView, words: Words) -> None:
    """The row stays."""
    QTest.keyClick(lens, KEYS.Key_Up)  # type: ignore[call-overload]
    lens.draw(attrs.evolve(lens_by_hand(), chosen=0), words)
    assert lens.cell == (1, 0)
    lens.draw(lens_by_hand(5), words)
    assert lens.cell == (1, 1)


def test_parts_are_added_one_after_the_other_and_space_stops(
    view: AccountView, qtbot: QtBot, qapp: QApplication, words: Words
) -> None:
    """What is shown follows from the time alone; Space plays, stays at a part, and shows the whole sum again."""
    picture = account_of(sums())
    view.draw(picture, words)
    whole = [(place.area, place.about) for place in view.places]
    for n, time_ms in ((0, 39.9), (1, 40.0), (2, 100.0), (len(whole), 1e6)):
        view.seek(time_ms)
        assert [(place.area, place.about) for place in view.places] == whole[:n]
        assert n_added(picture.sums, time_ms) == n
    QTest.keyClick(view, Qt.Key.Key_Space)  # type: ignore[call-overload]  # shows the whole sum
    assert [(place.area, place.about) for place in view.places] == whole
    moved: list[bool] = []
    view.moved.connect(lambda: moved.append(view.playing))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Space)  # type: ignore[call-overload]
    assert view.playing and len(view.places) < len(whole)
    qtbot.waitUntil(lambda: len(view.places) > 0)
    QTest.keyClick(view, Qt.Key.Key_Space)  # type: ignore[call-overload]
    assert not view.playing and view.time_ms is not None
    QTest.keyClick(view, Qt.Key.Key_Space)  # type: ignore[call-overload]
    assert view.time_ms is None and len(view.places) == len(whole)
    view.play()
    qtbot.waitUntil(lambda: not view.playing)
    assert len(view.places) == len(whole) and moved == [True, False, False, True, False]
    qapp.setProperty(STILL, True)
    try:
        view.play()
        assert not view.playing and view.time_ms is None
    finally:
        qapp.setProperty(STILL, False)


def test_what_is_played_ends_when_a_part_is_opened_or_the_page_is_left(view: AccountView, words: Words) -> None:
    """And a list of terms does not play."""
    view.draw(account_of(sums()), words)
    view.play()
    view.hide()
    assert not view.playing and view.time_ms is None
    view.show()
    view.play()
    view.draw(account_of(attrs.evolve(sums(), terms=sums().groups[0].rows[0].terms)), words)
    assert not view.playing
    view.play()
    assert not view.playing


def test_a_long_list_is_read_to_its_end(view: AccountView, words: Words) -> None:
    """By Page Down, by the wheel, and by a click on the row of the others, which begins anew behind the last one."""
    terms = tuple(SumTerm(f"feature {i}", 50.0 - i, f"feature {i}") for i in range(50))
    view.draw(account_of(attrs.evolve(sums(), groups=(), kinds=(), terms=terms, whole=1275.0)), words)
    view.resize(500, 300)

    def told() -> list[str]:
        return [spot.about for spot in view.places if spot.about.startswith("feature")]

    first, seen = told(), set(told())
    assert 4 < len(first) < 20
    QTest.keyClick(view, KEYS.Key_PageDown)
    assert told()[0] == f"feature {len(first)}"
    QTest.keyClick(view, KEYS.Key_PageUp)
    assert told() == first
    middle_of = QPointF(view.rect().center())
    turn = QPoint(0, -120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    QApplication.sendEvent(view, QWheelEvent(middle_of, QPointF(view.mapToGlobal(middle_of)), QPoint(), *turn))
    assert told() == [f"feature {i}" for i in range(3, 3 + len(first))]
    seen |= set(told())
    while "feature 49" not in seen:
        before = told()
        (others,) = (place for place, spot in enumerate(view.places) if spot.more)
        QTest.mouseClick(view, LEFT, pos=middle(view, others))
        assert told() != before
        seen |= set(told())
    assert len(seen) == 50
    QTest.mouseClick(view, LEFT, pos=middle(view, others))
    assert told() == first
