"""A class of 45 minutes as the manual tells it: each link opens its station."""

import re

import attrs
from PySide6.QtCore import QUrl

from explorer.app.shell.manual_window import ManualWindow
from explorer.app.shell.window import Window
from explorer.lessons.stations import stations
from explorer.state.state import State
from tests.journeys.conftest import Journey

LINK = re.compile(r'href="(explorer:[^"]+)"')


def without_tap(state: State) -> State:
    """An answer on screen puts the name of its first tap where a State names none."""
    return attrs.evolve(state, look=attrs.evolve(state.look, tap=""))


def test_each_link_opens_exactly_its_state(journey: Journey) -> None:
    """One after the other, whatever was changed in between; undo brings back what was there before."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["manual"].trigger()
        (manual,) = window.findChildren(ManualWindow)
        journey.wait(lambda: bool(manual.chapters))
        manual.read("class")
        (chapter,) = [each for each in manual.chapters if each.name == "class"]
        links = LINK.findall(chapter.html)
        assert len(links) == len(stations()) == 6
        for link, station in zip(links, stations(), strict=True):
            before = window.session.state
            manual.text.anchorClicked.emit(QUrl(link))
            assert without_tap(window.session.state) == without_tap(station.state)
            journey.settle(window)
            assert without_tap(window.session.state) == without_tap(station.state)
            assert window.page_stack.page.key == station.state.page
            assert window.session.frame is not None and window.session.frame.trace.source == station.state.wish.text
            assert not window.refusals.isVisible()
        window.actions_.by_name["undo"].trigger()
        assert window.session.state.wish == before.wish
        manual.close()

    journey.run(script, "--preset", "tiny")
