"""Another theme, and presenting: widgets are styled a few at a time, and look as if Qt had styled all of them at once."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.app.shell.window import Window
from explorer.views.painting.style import Restyling
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

PAGES = ("overview", "attention", "output", "inspector")


def _theme(window: Window) -> None:
    window.appearance.switch_theme()


def _present_and_end(window: Window) -> None:
    for _turn in range(2):
        window.actions_.by_name["present"].trigger()


@pytest.mark.parametrize("act", sweep([_theme, _present_and_end], telling=[_theme]))
def test_pages_look_as_if_all_were_styled_at_once(journey: Journey, act: Callable[[Window], None]) -> None:
    """To the pixel, with what stands around them, whether a page was in sight or not; and again after the way back."""

    def script(window: Window) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        for page in PAGES:
            window.go(page)
            journey.settle(window)
        for _turn in range(2):
            act(window)
            journey.wait(lambda: not application.findChild(Restyling).busy)
            before = _seen(journey, window)
            sheet = application.styleSheet()
            application.setStyleSheet("")
            application.setStyleSheet(sheet)
            assert [page for page, seen in _seen(journey, window).items() if seen != before[page]] == []

    journey.run(script)


def _seen(journey: Journey, window: Window) -> dict[str, list[QImage]]:
    """Each page with what stands around it."""
    seen = {}
    for page in PAGES:
        window.go(page)
        window.page_stack.enter()  # No text cursor blinks.
        journey.settle(window)
        parts = (window.page_stack, window.header, window.sentences, window.drawer, window.menuBar())
        seen[page] = [part.grab().toImage() for part in parts]
    return seen
