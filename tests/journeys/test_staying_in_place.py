"""What is seen stays in its place: pages open at their tops, and a click scrolls nothing away."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from explorer import page_list
from explorer.app.pages.compare_page import ComparePage
from explorer.app.shell.window import Window
from explorer.state.comparing_intents import Compare
from tests.journeys.conftest import Journey
from tests.sweeps import exhaustive

SMALL = (1024, 700)


def scrolled_by(window: Window) -> int:
    """How far the page in front is scrolled (px)."""
    areas = window.page_stack.page.findChildren(QScrollArea, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return max((area.verticalScrollBar().value() for area in areas), default=0)


@exhaustive
def test_a_page_opens_at_its_top(journey: Journey) -> None:
    """Where it has more than a low window shows, and its first picture takes the keys from the page before."""

    def script(window: Window) -> None:
        window.resize(*SMALL)
        journey.settle(window)
        found = {}
        for key in (*page_list.KEYS, "overview"):
            window.page_stack.enter()
            window.go(key)
            journey.settle(window)
            QApplication.processEvents()
            found[key] = scrolled_by(window)
        assert not {key: value for key, value in found.items() if value}

    journey.run(script, "--preset", "translator")


@pytest.mark.parametrize("key", ["positions", "untrained"])
def test_a_suggestion_leaves_the_page_where_it_is(journey: Journey, key: str) -> None:
    """The button that was clicked goes; the keys go to the maps that stand in its place, and nothing is scrolled."""

    def script(window: Window) -> None:
        window.resize(*SMALL)
        journey.settle(window)
        window.go("compare")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, ComparePage)
        area = page.findChild(QScrollArea)
        assert isinstance(area, QScrollArea) and area.verticalScrollBar().maximum() > 40
        area.verticalScrollBar().setValue(40)
        QTest.mouseClick(page.suggestions.buttons[key], Qt.MouseButton.LeftButton)
        journey.settle(window)
        journey.wait(lambda: page.maps[2].isVisible())
        QApplication.processEvents()
        assert area.verticalScrollBar().value() == 40
        assert page.maps[1].isAncestorOf(QApplication.focusWidget())

    journey.run(script, "--preset", "translator")


def test_the_compare_page_opened_before_the_first_answer_stays_at_its_top(journey: Journey) -> None:
    """The keys are given to a map that stays, and not to that of a state which was never put aside."""

    def script(window: Window) -> None:
        window.resize(*SMALL)
        assert window.session.frame is None
        window.go("compare")
        window.page_stack.enter()
        page, focused = window.page_stack.page, window.focusWidget()
        assert isinstance(page, ComparePage) and focused is not None and page.maps[1].isAncestorOf(focused)
        journey.settle(window)
        journey.wait(lambda: window.session.frame is not None)
        QApplication.processEvents()
        assert scrolled_by(window) == 0

    journey.run(script, "--preset", "tiny", "--language", "en")


def test_letting_go_of_a_state_leaves_the_page_where_it_is(journey: Journey) -> None:
    """The map that is looked at goes, and the one beside it gets the keys."""

    def script(window: Window) -> None:
        window.resize(SMALL[0], 600)  # The page scrolls even where nothing is put aside.
        journey.settle(window)
        window.go("compare")
        window.session.ask(Compare("paper"))
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, ComparePage) and page.maps[0].isVisible()
        area = page.findChild(QScrollArea)
        assert isinstance(area, QScrollArea)
        page.maps[0].view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
        window.session.ask(Compare(""))
        journey.settle(window)
        journey.wait(lambda: not page.maps[0].isVisible())
        QApplication.processEvents()
        assert area.verticalScrollBar().value() == area.verticalScrollBar().maximum() > 100
        assert page.maps[1].isAncestorOf(QApplication.focusWidget())

    journey.run(script, "--preset", "translator")
