"""Every text has the room that it needs: names, choices, buttons, in wide and in narrow windows."""

import pytest
from PySide6.QtWidgets import QApplication, QButtonGroup

from explorer import page_list
from explorer.app.shell.window import Window
from explorer.state.wish import Wish
from explorer.views.controls.tab_group import visible_in
from tests.journeys.conftest import Journey
from tests.journeys.cut_off import cut_controls, cut_off, cut_texts
from tests.journeys.walk import NAME_SIZES
from tests.sweeps import exhaustive


@pytest.mark.parametrize(
    ("preset", "language"), [pytest.param("tiny", "en", marks=exhaustive), ("tutorial-a", "zh"), ("tutorial-a", "en")]
)
def test_no_name_ends_in_dots(journey: Journey, language: str, preset: str) -> None:
    """Titles, choices, knobs, buttons: each has the room of its whole text, in wide and in narrow windows.

    Here of windows that begin in English; `test_walk.py` asks the others.
    """

    def script(window: Window) -> None:
        journey.settle(window)
        window.drawer.set_open(True)
        sizes = NAME_SIZES
        for key in page_list.KEYS:
            for size in sizes:
                window.resize(*size)
                window.drawer.set_open(True)
                window.go(key)
                journey.settle(window)
                for _ in range(20):  # A title that breaks gives the others another height, one layout after the other.
                    QApplication.processEvents()
                assert list(cut_off(window, size)) == [], (key, size)
            sizes = sizes[::-1]

    if preset == "tutorial-a":  # Its title is the longest, its model too large to build here.
        journey.run(lambda window: title_fits(window, preset), "--language", language)
    else:
        journey.run(script, "--language", language, "--preset", preset)


def page_buttons(window: Window) -> QButtonGroup:
    """The buttons of the pages in the header."""
    found = window.header.findChild(QButtonGroup)
    assert isinstance(found, QButtonGroup)
    return found


def title_fits(window: Window, preset: str) -> None:
    """The box of presets shows its longest title in a narrow window, and the page in front keeps its button."""
    window.resize(*NAME_SIZES[-1])
    box = window.header.presets
    for name in ("tiny", preset):
        window.header.put(Wish.from_preset(name))
        for _ in range(5):
            QApplication.processEvents()
        assert box.shown() == box.currentText() == window.appearance.words(f"preset.{name}.title")
        assert page_buttons(window).button(0).isVisible()


def test_a_text_without_room_is_found(journey: Journey) -> None:
    """So that the test above can fail."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        journey.wait(lambda: cut_texts(window, visible_in(window)) == [])
        window.header.presets.setFixedWidth(60)
        title = window.page_stack.page.cards[0].title
        title.setFixedWidth(30)
        QApplication.processEvents()
        assert {title.text(), window.header.presets.currentText()} <= set(cut_texts(window, visible_in(window)))
        assert cut_controls(visible_in(window)) == []
        button = page_buttons(window).button(0)
        button.setFixedWidth(10)
        QApplication.processEvents()
        assert cut_controls(visible_in(window)) == [button.text()]

    journey.run(script)
