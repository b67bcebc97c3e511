"""A group of controls is one stop of the Tab key, and arrow keys walk inside it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QHBoxLayout, QLineEdit, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer.views.controls.tab_group import ArrowKeys, controls_in, step_out


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
        ArrowKeys(self, Qt.Key.Key_Up, Qt.Key.Key_Down)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step_out(self, forward)


class Shown:
    """A group between two boxes."""

    def __init__(self, qtbot: QtBot) -> None:
        self.whole = QWidget()
        qtbot.addWidget(self.whole)
        layout = QHBoxLayout(self.whole)
        self.before, self.group, self.behind = QLineEdit(), Group(), QLineEdit()
        for each in (self.before, self.group, self.behind):
            layout.addWidget(each)
        with qtbot.waitActive(self.whole):
            self.whole.show()
            self.whole.activateWindow()

    def press(self, *keys: Qt.Key) -> QWidget:
        for key in keys:
            focused = QApplication.focusWidget()
            assert focused is not None
            QTest.keyClick(focused, key)
        now = QApplication.focusWidget()
        assert now is not None
        return now


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


def test_a_window_with_nothing_else_keeps_the_focus(qtbot: QtBot) -> None:
    """There is nowhere to go, and nothing hangs."""
    group = Group()
    qtbot.addWidget(group)
    with qtbot.waitActive(group):
        group.show()
        group.activateWindow()
    group.parts[0].setFocus()
    assert not step_out(group, True)
    assert group.parts[0].hasFocus()
