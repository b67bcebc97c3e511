"""The columns of a page are parted anew, within the least widths of their cards, and remembered by page."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.columns import Columns, KeptWidths
from explorer.app.pages.layouts import below, beside, close_gaps, column_in
from explorer.views.controls.grip import BorderGrip

LEAST_PX = 120


class Arranged:
    """Three columns, of which the last has two cards below each other."""

    def __init__(self, qtbot: QtBot) -> None:
        self.page, self.cards = QWidget(), [QLabel("…") for _ in range(4)]
        qtbot.addWidget(self.page)
        for card in self.cards:
            card.setMinimumWidth(LEAST_PX)
        last = below((self.cards[2], 1), (self.cards[3], 1))
        self.columns = beside((self.cards[0], 1), (self.cards[1], 2), (last, 1))
        column_in(self.page).addLayout(self.columns)
        self.page.resize(1032, 300)  # 1000 px for three columns and two gaps
        self.page.show()
        QApplication.processEvents()

    @property
    def widths(self) -> list[int]:
        QApplication.processEvents()
        return [card.width() for card in self.cards[:3]]

    @property
    def grips(self) -> list[BorderGrip]:
        return sorted((each for each in self.page.findChildren(BorderGrip) if each.isVisible()), key=lambda each: each.x())


@pytest.fixture
def arranged(qtbot: QtBot) -> Arranged:
    return Arranged(qtbot)


def drag(grip: BorderGrip, px: int) -> None:
    """Press a grip, go so far in two moves, and let go. The grip goes along, as it is under the mouse."""
    place, window = grip.rect().center(), grip.window()
    on_screen = grip.mapToGlobal(place)
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=place)
    for share in (0.5, 1.0):
        QTest.mouseMove(grip, grip.mapFromGlobal(on_screen + QPoint(round(share * px), 0)))
        QApplication.processEvents()
        window.repaint()
    QTest.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=grip.mapFromGlobal(on_screen + QPoint(px, 0)))
    QApplication.processEvents()


def test_a_drag_moves_one_border_and_no_other(arranged: Arranged) -> None:
    """By as many pixels as the mouse went."""
    assert arranged.widths == pytest.approx([250, 500, 250], abs=1)
    assert len(arranged.grips) == 2
    drag(arranged.grips[0], 90)
    assert arranged.widths == pytest.approx([340, 410, 250], abs=1)
    drag(arranged.grips[1], -60)
    assert arranged.widths == pytest.approx([340, 350, 310], abs=1)


def test_keys_move_a_border_and_put_it_back(arranged: Arranged) -> None:
    """8 px, with Shift 64; Enter and a double click bring back what the page had at first."""
    grip = arranged.grips[0]
    QTest.keyClick(grip, Qt.Key.Key_Right)
    QTest.keyClick(grip, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(grip, Qt.Key.Key_Left)
    assert arranged.widths == pytest.approx([314, 436, 250], abs=2)
    QTest.keyClick(grip, Qt.Key.Key_Return)
    assert arranged.widths == pytest.approx([250, 500, 250], abs=1)
    drag(grip, 50)
    assert arranged.widths != pytest.approx([250, 500, 250], abs=1)
    QTest.mouseDClick(grip, Qt.MouseButton.LeftButton)
    assert arranged.widths == pytest.approx([250, 500, 250], abs=1)
    assert arranged.columns.numbers == ()


def test_no_column_becomes_narrower_than_its_cards_allow(arranged: Arranged) -> None:
    """However far the mouse goes; and in a window that has become smaller, all are still there."""
    drag(arranged.grips[0], -900)
    assert arranged.widths == pytest.approx([LEAST_PX, 630, 250], abs=1)
    drag(arranged.grips[1], 900)
    assert arranged.widths == pytest.approx([LEAST_PX, 760, LEAST_PX], abs=1)
    arranged.page.resize(532, 300)
    assert min(arranged.widths) >= LEAST_PX and sum(arranged.widths) == 500
    arranged.page.resize(1032, 300)
    assert arranged.widths == pytest.approx([LEAST_PX, 760, LEAST_PX], abs=1)


def test_a_column_that_is_hidden_comes_back_as_wide_as_it_was(arranged: Arranged) -> None:
    """Its room goes to the others meanwhile, whose border can be moved; a border of a hidden column has no grip."""
    drag(arranged.grips[1], -100)
    before = arranged.widths
    for card in arranged.cards[2:]:
        card.hide()
    close_gaps(arranged.page.layout())
    assert arranged.widths[:2] == pytest.approx([388, 620], abs=1) and len(arranged.grips) == 1
    for card in arranged.cards[2:]:
        card.show()
    close_gaps(arranged.page.layout())
    assert arranged.widths == pytest.approx(before, abs=1) and len(arranged.grips) == 2


def test_a_row_that_has_become_a_column_has_no_grips(arranged: Arranged) -> None:
    """There is no border between its members that could be moved; beside each other again they have their widths."""
    drag(arranged.grips[0], 90)
    before = arranged.widths
    arranged.columns.setDirection(arranged.columns.Direction.TopToBottom)
    assert arranged.widths != before and arranged.grips == []
    arranged.columns.setDirection(arranged.columns.Direction.LeftToRight)
    assert arranged.widths == before and len(arranged.grips) == 2


def test_what_is_remembered_comes_back(qtbot: QtBot) -> None:
    """By the page and the number of the row; a row that was put back leaves nothing."""
    first, second, kept, again = Arranged(qtbot), Arranged(qtbot), KeptWidths(), KeptWidths()
    kept.take("attention", (first.columns,))
    drag(first.grips[0], 90)
    assert kept.memory.startswith("attention.0:")
    again.recall(kept.memory)
    again.take("attention", (second.columns,))
    assert second.widths == pytest.approx([340, 410, 250], abs=1)
    QTest.mouseDClick(first.grips[0], Qt.MouseButton.LeftButton)
    assert kept.memory == ""


@pytest.mark.parametrize(
    "memory",
    [
        "",
        "attention.0",
        "attention.0:",
        "attention.0:1,x,2",
        "attention.0:1,2",
        "attention.0:0,1,2",
        "attention.0:9999999,1,1",
        ":",
    ],
)
def test_what_cannot_be_read_moves_nothing(memory: str, arranged: Arranged) -> None:
    """The preferences may be of another version, whose page had other columns, or written by hand."""
    kept = KeptWidths()
    kept.recall(memory)
    kept.take("attention", (arranged.columns,))
    assert arranged.widths == pytest.approx([250, 500, 250], abs=1)
    assert isinstance(arranged.columns, Columns) and arranged.columns.numbers == ()
