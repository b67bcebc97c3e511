"""What a person has arranged is there at the next start: the columns of a page and the panels beside it."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.pages.change_page import ChangePage
from explorer.app.pages.columns import Columns
from explorer.app.shell.window import Window
from explorer.views.controls.grip import BorderGrip
from tests.journeys.conftest import Journey


def widths(window: Window) -> tuple[int, ...]:
    """Of the panel of knobs, and of the attention page's wall and map."""
    for _ in range(4):
        QApplication.processEvents()
    wall, chosen = window.page_stack.page.cards[:2]
    return window.side.width(), wall.width(), chosen.width()


def test_widths_are_remembered(journey: Journey) -> None:
    """The mouse moves a border between two cards, a key that of the knobs; the next start has both, and so has its next."""
    before: list[tuple[int, ...]] = []

    def first(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        journey.settle(window)
        usual = widths(window)
        columns = max(window.page_stack.page.findChildren(Columns), key=lambda each: each.geometry().width())
        grip, place = columns.grips[0], QPoint(4, 40)
        QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseMove(grip, place - QPoint(100, 0))
        QTest.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=place)
        knobs = next(each for each in window.panels.grips if each.isVisible())
        QTest.keyClick(knobs, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        now = widths(window)
        assert now[0] == usual[0] + 64 and now[2] > usual[2] and now[1] < usual[1] - 64
        before.append(now)

    def second(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        journey.settle(window)
        assert widths(window) == before[0]

    journey.run(first)
    journey.run_as_left(second)


def test_the_list_of_interventions_is_parted_from_the_pictures(journey: Journey) -> None:
    """By a key, by 64 px; a double click puts it back to the width of its rows."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("change")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, ChangePage)
        usual = page.list.width()
        (grip,) = (each for each in page.findChildren(BorderGrip) if each.isVisible() and abs(each.x() - usual) < 20)
        QTest.keyClick(grip, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        journey.wait(lambda: page.list.width() == usual + 64)
        QTest.mouseDClick(grip, Qt.MouseButton.LeftButton)
        journey.wait(lambda: page.list.width() == usual)

    journey.run(script)
