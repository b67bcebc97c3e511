"""Edits leave nothing behind in Python that stays as long as the window."""

import gc

from PySide6.QtWidgets import QLayout, QLayoutItem

from explorer import page_list
from explorer.app.shell.window import Window
from explorer.state.intents import SetText
from tests.journeys.conftest import Journey
from tests.journeys.walk import COMPUTING_MS
from tests.sweeps import exhaustive


def n_items() -> int:
    """How many Python objects of items of layouts there are. PySide keeps each as long as its layout."""
    return sum(isinstance(each, QLayoutItem) and not isinstance(each, QLayout) for each in gc.get_objects())


@exhaustive
def test_an_edit_leaves_no_items_of_layouts(journey: Journey) -> None:
    """On no page: on some there were two hundred for each edit, 45 MB after a thousand."""

    def script(window: Window) -> None:
        piled_up = []
        for key in page_list.KEYS:
            window.go(key)
            found = []
            for text in ("我爱北京", "我爱上海", "我爱北京"):
                window.session.ask(SetText(text))
                journey.settle(window, COMPUTING_MS)
                found.append(n_items())
            if found[1] != found[2]:
                piled_up.append(f"{key}: {found}")
        assert not piled_up, "\n".join(piled_up)

    journey.run(script)
