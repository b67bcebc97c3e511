"""The cuts of a sentence: tokens, cells and names answer to the mouse and to keys, and no word is drawn beyond its room."""

import attrs
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.cut_kinds import CutRow, CutRows
from explorer.picture.marks import Label, Rect
from explorer.picture.theme import DARK
from explorer.state.cut_intents import CutAs
from explorer.tokens.token import Token
from explorer.views.painting.pointed import Pointed
from explorer.views.pictures.cut_rows import CutRowsView
from tests.golden.test_figures import PICTURES
from tests.pointing import hover

KEYS = Qt.Key


def picture() -> CutRows:
    found = PICTURES["cut_rows"]
    assert isinstance(found, CutRows)
    return found


@pytest.fixture
def view(qtbot: QtBot) -> CutRowsView:
    made = CutRowsView()
    qtbot.addWidget(made)
    made.resize(760, 320)
    with qtbot.waitExposed(made):
        made.show()
    made.draw(picture(), Words.load("en"))
    return made


def middle(area: Rect) -> QPoint:
    return QPoint(round(area.x + area.wide / 2), round(area.y + area.high / 2))


def told_at(view: CutRowsView, area: Rect | None) -> str:
    """What the view says of the middle of a rectangle."""
    assert area is not None
    told: list[Pointed] = []
    view.pointed.connect(told.append)
    hover(view, middle(area))
    return told[-1].text


def test_a_token_says_what_became_of_its_word(view: CutRowsView) -> None:
    """江 is a part of 长江, which fell apart, and is unknown."""
    pieces = {(piece.row, piece.token): piece.area for piece in view.places.pieces}
    said = told_at(view, pieces[0, 1])

    assert "江 · id 1 · characters 1–2" in said and '"长江"' in said and "vocabulary" in said.splitlines()[-1]
    assert "\n" not in told_at(view, pieces[1, 0])


def test_a_cell_says_who_looks_at_whom(view: CutRowsView) -> None:
    """In the map of a cut and in its difference, which the present cut has none of."""
    first, second = view.places.maps[1], view.places.differences[1]

    for area in (first, second):
        said = told_at(view, area.inset(0, 0, area.wide / 2, area.high / 2))
        assert '"长江" attends to "长江" 0.500' in said and "−0.250" in said
    assert view.places.differences[0] is None
    assert "against" not in told_at(view, view.places.maps[0].inset(0, 0, 20, 20))


def test_a_click_on_a_name_asks_for_its_cut(view: CutRowsView) -> None:
    """Not for the one that is there; elsewhere nothing is asked for."""
    wished: list[object] = []
    view.wished.connect(wished.append)
    for place in (view.places.names[1], view.places.names[0], view.places.maps[1]):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(place))  # type: ignore[call-overload]

    assert wished == [CutAs("characters")]
    assert "Click" in told_at(view, view.places.names[1]) and "Too <long>" in told_at(view, view.places.names[2])


def test_keys_walk_the_rows_and_take_a_cut(view: CutRowsView) -> None:
    """And stop at the ends; other keys are the window's."""
    wished: list[object] = []
    view.wished.connect(wished.append)
    seen = []
    for key in (KEYS.Key_Up, KEYS.Key_Down, KEYS.Key_Up, KEYS.Key_Return, KEYS.Key_A):
        QTest.keyClick(view, key)  # type: ignore[call-overload]
        seen.append(view.here)

    assert seen == [2, 2, 1, 1, 1] and wished == [CutAs("characters")]
    assert "characters" in view.accessibleDescription()


def test_leaving_forgets_the_row(view: CutRowsView) -> None:
    """And so does a picture with fewer rows."""
    hover(view, middle(view.places.names[1]))
    assert view.here == 1
    view.left()
    assert view.here is None
    view.here = 2
    view.draw(attrs.evolve(picture(), rows=picture().rows[:2]), Words.load("en"))
    assert view.here is None


def test_words_without_room_are_left_out(view: CutRowsView) -> None:
    """Of a long text the beginning is shown, whole words alone; all of it is in the description."""
    text = "长江大桥" * 30
    tokens = tuple(Token(text[at : at + 2], 7, at, at + 2, True) for at in range(0, len(text), 2))
    row = CutRow("jieba", "exact", tokens, tuple((t.start, t.end) for t in tokens), "60 tokens")
    view.draw(attrs.evolve(picture(), text=text, rows=(row,), present=0, units=()), Words.load("en"))

    assert 3 <= len(view.places.pieces) < 60
    assert max(piece.area.right for piece in view.places.pieces) < view.width()
    assert "大桥" in view.accessibleDescription()


def test_words_that_overlap_stand_below_one_another() -> None:
    """The longer of two that begin together comes first."""
    spans = ((0, 2), (0, 3), (1, 3), (3, 5))
    row = CutRow("jieba-full", "full", (), spans, "")

    assert row.lanes == (1, 0, 2, 0)


def test_themes_and_an_empty_view(qtbot: QtBot, view: CutRowsView) -> None:
    """Before the first picture it draws nothing and answers nothing."""
    light = view.grab().toImage()
    view.set_theme(DARK)
    empty = CutRowsView()
    qtbot.addWidget(empty)
    QTest.keyClick(empty, KEYS.Key_Down)  # type: ignore[call-overload]
    hover(empty, QPoint(5, 5))

    assert view.grab().toImage() != light and empty.here is None and not empty.grab().isNull()


def test_a_large_view_enlarges_the_rows_and_puts_translations_beside_them(view: CutRowsView) -> None:
    """Rectangles and marks grow together, so that the mouse meets what is seen."""
    before = view.places.pieces[0].area
    view.resize(1800, 900)
    after = view.places.pieces[0].area

    assert after.high > 1.4 * before.high
    assert "江" in told_at(view, view.places.pieces[1].area)
    assert view.places.names[-1].bottom <= view.height() and view.places.maps[0].right < view.width()


def test_a_long_translation_beside_its_cut_ends_within_its_row(view: CutRowsView) -> None:
    """It takes as many lines as the row has, and the last one says that there is more."""
    rows = tuple(attrs.evolve(row, said="a river " * 60) for row in picture().rows[:2])
    view.resize(1100, 320)
    view.draw(attrs.evolve(picture(), rows=rows), Words.load("en"))
    sketch = view.sketch
    assert sketch is not None
    lines = [mark for mark in sketch.marks if isinstance(mark, Label) and "river" in mark.text]

    assert len(lines) > 2 and sum(mark.text.endswith("…") for mark in lines) == 2
    assert max(mark.y for mark in lines) < view.places.rows[-1].bottom
