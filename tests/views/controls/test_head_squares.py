"""Squares that choose whose lines lie over one another: by mouse, by keys, and for those who do not see them."""

import attrs
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.state.look import Look
from explorer.views.controls.head_squares import HeadSquares

LEFT = Qt.MouseButton.LeftButton


class Row:
    """The squares with a Look that follows them, as on a page."""

    def __init__(self, qtbot: QtBot, words: Words, n_heads: int = 4, theme: Theme = LIGHT) -> None:
        self.look, self.widget, self.n_heads, self.words = Look(head=1), HeadSquares(), n_heads, words
        qtbot.addWidget(self.widget)
        self.widget.set_theme(theme)
        self.widget.changed.connect(self.change)
        self.put()
        self.widget.resize(400, 60)
        with qtbot.waitExposed(self.widget):
            self.widget.show()

    def change(self, fields: dict[str, object]) -> None:
        self.look = attrs.evolve(self.look, **fields)
        self.put()

    def put(self) -> None:
        self.widget.put(self.look, self.n_heads, self.words)

    def on(self) -> list[int]:
        return [square.head for square in self.widget.squares if square.isChecked()]


def test_a_click_toggles_and_a_double_click_isolates(qtbot: QtBot, words: Words) -> None:
    """As the mouse sends it: the first click of a double click toggles, too."""
    row = Row(qtbot, words)
    assert row.on() == [1]
    QTest.mouseClick(row.widget.squares[3], LEFT)
    assert row.on() == [1, 3] and row.look.overlaid == (1, 3)
    QTest.mouseClick(row.widget.squares[1], LEFT)
    assert row.on() == [3] and row.look == Look(head=3)
    QTest.mouseClick(row.widget.squares[0], LEFT)
    QTest.mouseClick(row.widget.squares[2], LEFT)
    QTest.mouseDClick(row.widget.squares[2], LEFT)
    assert row.on() == [2]
    QTest.mouseDClick(row.widget.squares[0], Qt.MouseButton.RightButton)
    assert row.on() == [2]
    row.widget.every.click()
    assert row.on() == [0, 1, 2, 3]


def test_keys_walk_and_toggle(qtbot: QtBot, words: Words) -> None:
    """One stop of the Tab key; arrows walk, Space toggles, Enter isolates."""
    row = Row(qtbot, words)
    row.widget.squares[1].setFocus()
    QTest.keyClick(row.widget.squares[1], Qt.Key.Key_Right)
    assert row.widget.squares[2].hasFocus()
    QTest.keyClick(row.widget.squares[2], Qt.Key.Key_Space)
    assert row.on() == [1, 2]
    QTest.keyClick(row.widget.squares[2], Qt.Key.Key_Return)
    assert row.on() == [2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_square_has_the_colour_of_its_lines(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """Of one head alone the accent's, as its lines; of several their own; of what is not drawn the card's."""
    row = Row(qtbot, words, theme=theme)

    def colour(head: int) -> str:
        square = row.widget.squares[head]
        return square.grab().toImage().pixelColor(3, square.height() // 2).name()

    assert (colour(1), colour(0)) == (theme.accent, theme.card)
    row.change({"overlaid": (0, 1)})
    assert (colour(0), colour(1), colour(2)) == (*theme.heads[:2], theme.card)


def test_squares_follow_the_number_of_heads_and_say_what_they_are(qtbot: QtBot, words: Words) -> None:
    """Another model has more, or fewer; forty go on in further lines."""
    row = Row(qtbot, words)
    row.n_heads = 40
    row.put()
    assert len(row.widget.squares) == 40
    assert row.widget.heightForWidth(400) > 2 * row.widget.squares[0].sizeHint().height()
    assert row.widget.squares[39].accessibleName() == words("heads.square", head=39)
    row.n_heads = 2
    row.put()
    assert len(row.widget.squares) == 2 and row.on() == [1]
    assert row.widget.layout().count() == 3
