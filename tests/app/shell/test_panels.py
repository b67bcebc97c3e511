"""The panels beside the page can be made wider and narrower, each kind of window for itself."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.views.controls.grip import BorderGrip
from tests.app.shell.opening import Opened


@pytest.fixture
def window(opened: Opened, qtbot: QtBot) -> Window:
    """A wide window with both panels."""
    made = opened.window
    made.resize(1440, 900)
    made.show()
    made.lessons.show()
    qtbot.waitUntil(lambda: len(grips(made)) == 2)
    return made


def grips(window: Window) -> list[BorderGrip]:
    QApplication.processEvents()
    return sorted((each for each in window.panels.grips if each.isVisible()), key=lambda each: each.x())


def settle(window: QWidget) -> None:
    """Let one layout after the other take what those inside it ask for."""
    for _ in range(4):
        QApplication.processEvents()


def press(grip: BorderGrip, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(grip, key, Qt.KeyboardModifier.ShiftModifier)
    settle(grip.window())


def test_the_page_has_what_the_panels_leave(window: Window) -> None:
    """A border at the left and one at the right; each belongs to its panel, and the other one stays."""
    assert (window.lessons.width(), window.side.width()) == (330, 268)
    left, right = grips(window)
    press(left, Qt.Key.Key_Right)
    press(right, Qt.Key.Key_Left)
    assert (window.lessons.width(), window.side.width()) == (394, 332)
    assert window.page_stack.width() == 1440 - 394 - 332
    QTest.mouseDClick(left, Qt.MouseButton.LeftButton)
    settle(window)
    assert (window.lessons.width(), window.side.width()) == (330, 332)


def test_widths_that_do_not_fit_are_clamped_and_come_back(window: Window) -> None:
    """A narrow window has widths of its own, and leaves the page room whatever they are."""
    left, right = grips(window)
    press(left, Qt.Key.Key_Right, 8)
    press(right, Qt.Key.Key_Left, 8)
    assert (window.lessons.width(), window.side.width()) == (560, 560) and window.page_stack.width() == 320
    press(left, Qt.Key.Key_Left, 9)
    assert window.lessons.width() == 280
    window.resize(1210, 900)
    settle(window)
    assert (window.lessons.width(), window.side.width()) == (280, 445)
    window.resize(1000, 700)
    settle(window)
    assert window.lessons.width() == 280 and not window.side.isVisible() and len(grips(window)) == 1
    window.drawer.set_open(True)
    settle(window)
    assert window.side.width() == 240 and len(grips(window)) == 2
    window.resize(1440, 900)
    settle(window)
    assert (window.lessons.width(), window.side.width()) == (280, 560)


def test_no_panel_moves_when_pages_change(window: Window) -> None:
    """Nor does a page's own border move a panel."""
    left, _right = grips(window)
    press(left, Qt.Key.Key_Right)
    before = window.lessons.geometry(), window.drawer.geometry()
    for page in ("attention", "output", "compare", "inspector", "overview"):
        window.page_stack.go(page)
        settle(window)
        assert (window.lessons.geometry(), window.drawer.geometry()) == before, page


def test_f8_goes_from_border_to_border(window: Window) -> None:
    """From left to right and round, and the arrow keys then move the one that has the focus."""
    window.page_stack.go("attention")
    settle(window)
    visited = []
    there = [each for each in window.findChildren(BorderGrip) if each.isVisible()]
    for _ in range(len(there) + 1):
        window.actions_.by_name["next_border"].trigger()
        visited.append(window.focusWidget())
    assert visited[0] is visited[-1] is grips(window)[0] and set(visited) == set(there)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    settle(window)
    assert window.lessons.width() == 338
