"""A group of controls is one stop of the Tab key, and arrow keys walk inside it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from explorer.views.controls.tab_group import controls_in, make_tab_group, step, tab_stops, visible_in


class Group(QWidget):
    """A button, a slider, a combo box and a button that is disabled."""

    def __init__(self) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        self.parts = [QToolButton(), QSlider(Qt.Orientation.Horizontal), QComboBox(), QToolButton()]
        for part in self.parts:
            part.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            layout.addWidget(part)
        self.parts[2].addItems(["one", "two", "three"])
        self.parts[3].setEnabled(False)
        make_tab_group(self, Qt.Key.Key_Up, Qt.Key.Key_Down)


class Whole(QWidget):
    """A window that asks for its next stop."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step([self], self.focusWidget(), forward)


class Shown:
    """A group between two boxes."""

    def __init__(self, qtbot: QtBot) -> None:
        self.whole = Whole()
        qtbot.addWidget(self.whole)
        layout = QHBoxLayout(self.whole)
        self.before, self.group, self.behind = QLineEdit(), Group(), QLineEdit()
        for each in (self.before, self.group, self.behind):
            layout.addWidget(each)
        with qtbot.waitExposed(self.whole):
            self.whole.show()

    def press(self, *keys: Qt.Key) -> QWidget:
        for key in keys:
            QTest.keyClick(self.whole.focusWidget(), key)
        return self.whole.focusWidget()


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_tab_goes_in_and_out_again(shown: Shown) -> None:
    """One press each, both ways, from whichever control has the focus."""
    shown.before.setFocus()
    assert shown.press(Qt.Key.Key_Tab) is shown.group.parts[0]
    assert shown.press(Qt.Key.Key_Tab) is shown.behind
    assert shown.group.isAncestorOf(shown.press(Qt.Key.Key_Backtab))
    assert shown.press(Qt.Key.Key_Backtab) is shown.before
    for part in shown.group.parts[:3]:
        part.setFocus()
        assert shown.press(Qt.Key.Key_Tab) is shown.behind
        part.setFocus()
        assert shown.press(Qt.Key.Key_Backtab) is shown.before


def test_arrows_walk_and_stop_at_the_ends(shown: Shown) -> None:
    """What is disabled is passed over; the other arrows turn what has the focus."""
    parts, down, up = shown.group.parts, Qt.Key.Key_Down, Qt.Key.Key_Up
    parts[0].setFocus()
    assert [shown.press(down), shown.press(down), shown.press(down)] == [parts[1], parts[2], parts[2]]
    assert parts[2].currentIndex() == 0
    shown.press(Qt.Key.Key_Right)
    shown.press(Qt.Key.Key_Right)
    shown.press(Qt.Key.Key_Right)
    assert parts[2].currentIndex() == 2
    assert [shown.press(up), shown.press(up), shown.press(up)] == [parts[1], parts[0], parts[0]]


def test_the_controls_stand_in_reading_order(shown: Shown) -> None:
    """Those that can take the focus, and no inner part of one."""
    assert controls_in(shown.group) == shown.group.parts[:3]


def test_a_group_is_one_stop(shown: Shown) -> None:
    """It stands for the control that had the focus last; the others are stops of their own."""
    assert [stop.group for stop in tab_stops([shown.whole])] == [None, shown.group, None]
    assert tab_stops([shown.whole])[1].control is shown.group.parts[0]
    shown.group.parts[1].setFocus()
    shown.behind.setFocus()
    assert tab_stops([shown.whole])[1].control is shown.group.parts[1]
    assert shown.press(Qt.Key.Key_Backtab) is shown.group.parts[1]


def test_tab_goes_round_and_the_areas_decide_the_order(shown: Shown) -> None:
    """Whichever was made first; where the focus is in none of them, nothing is done."""
    areas = [shown.group, shown.whole]
    shown.behind.setFocus()
    assert shown.press(Qt.Key.Key_Tab) is shown.before
    assert not step([shown.group], shown.behind, True)
    assert [stop.holds(shown.group.parts[2]) for stop in tab_stops(areas)] == [True, False, True, False]


def test_only_the_control_with_the_focus_is_watched(shown: Shown) -> None:
    """An arrow that is sent to another one is that one's own: a slider turns, and nobody walks."""
    parts = shown.group.parts
    parts[0].setFocus()
    assert shown.press(Qt.Key.Key_Down) is parts[1]
    parts[0].setFocus()
    parts[1].setValue(5)
    QTest.keyClick(parts[1], Qt.Key.Key_Up)

    assert (6, parts[0]) == (parts[1].value(), shown.whole.focusWidget())


def test_a_control_that_was_made_later_is_watched_too(shown: Shown) -> None:
    """As soon as it has the focus."""
    later = QToolButton()
    later.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    shown.group.layout().addWidget(later)
    later.show()
    later.setFocus()

    assert shown.press(Qt.Key.Key_Up) is shown.group.parts[2]


def test_what_is_hidden_is_left_out_and_the_order_stays(shown: Shown) -> None:
    """As `findChildren` has it, which looks into what is hidden too."""
    everything = shown.whole.findChildren(QWidget)
    assert list(visible_in(shown.whole)) == [each for each in everything if each.isVisible()]
    shown.group.hide()
    left = list(visible_in(shown.whole))
    assert left == [each for each in everything if each.isVisible()] and shown.group not in left
    assert len(left) < len(everything)


def test_a_group_may_go_while_it_has_the_focus(shown: Shown) -> None:
    """Qt then tells that the focus has gone, and by then the group is no more."""
    shown.group.parts[0].setFocus()
    assert shown.whole.focusWidget() is shown.group.parts[0]
    delete(shown.group)
    assert shown.whole.isVisible() and not isValid(shown.group)
