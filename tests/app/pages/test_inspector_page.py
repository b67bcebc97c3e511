"""The inspector: any tap of any model, head by head."""

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.pages.inspector_page import InspectorPage
from explorer.lang import Words
from explorer.picture.look import Look
from explorer.trace.trace import Trace
from tests.trace.foreign import MAP, NAMES, foreign_trace, grouped_trace


def drawn(qtbot: QtBot, trace: Trace, look: Look) -> InspectorPage:
    page, words = InspectorPage(), Words.load("en")
    qtbot.addWidget(page)
    page.speak(words)
    page.resize(1100, 600)
    with qtbot.waitExposed(page):
        page.show()
    page.draw(trace, look.fitted(trace), words)
    assert not page.grab().isNull()
    return page


@pytest.mark.parametrize("name", NAMES)
def test_a_tap_of_an_unknown_name_can_be_looked_at(qtbot: QtBot, name: str) -> None:
    """With a box for its head where it has heads."""
    page = drawn(qtbot, foreign_trace(), Look(tap=name, head=2))

    assert page.head.isVisible() == (name == MAP)
    assert (page.head.maximum(), page.head.value()) == ((3, 2) if name == MAP else (0, 0))


def test_the_box_counts_the_heads_of_the_tap(qtbot: QtBot) -> None:
    """Of two keys that four heads share there are two, whichever head was looked at before."""
    _copied, shared = grouped_trace()
    look = Look(tap="decoder.layers.0.self_attn.key", head=3)
    page = drawn(qtbot, shared, look)
    assert (page.head.maximum(), page.head.value()) == (1, 1)

    page.draw(shared, attrs.evolve(look, tap="decoder.layers.0.self_attn.query").fitted(shared), Words.load("en"))
    assert (page.head.maximum(), page.head.value()) == (3, 3)
