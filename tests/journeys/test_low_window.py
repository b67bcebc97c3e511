"""A low window, as everything at 200 per cent on a laptop makes it: what stands above the pages leaves the room to them."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from explorer.app.shell.window import Window
from tests.journeys.by_keys import press
from tests.journeys.conftest import Journey

pytestmark = pytest.mark.slow  # starts the whole program

LOW, HIGH = (880, 480), (1024, 700)  # px as Qt counts them: 1760 × 960 on a screen at 200 per cent, and a small screen


def _share_above(window: Window) -> float:
    """The share of the height that menu, header and sentences take together."""
    return window.sentences.mapTo(window, QPoint(0, window.sentences.height())).y() / window.height()


def _resize(journey: Journey, window: Window, size: tuple[int, int]) -> None:
    window.resize(*size)
    journey.wait(lambda: (window.width(), window.height()) == size)
    journey.settle(window)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_quarter_is_enough_for_what_stands_above_the_pages(journey: Journey, language: str) -> None:
    """The tokens fold into a button, and unfold by mouse and by keys."""

    def script(window: Window) -> None:
        journey.settle(window)
        if window.appearance.words.language != language:
            window.header.language_button.click()
            journey.settle(window)
        sentences = window.sentences
        _resize(journey, window, HIGH)
        assert sentences.source_row.isVisible() and not sentences.tokens.isVisible()
        assert _share_above(window) <= 0.25
        _resize(journey, window, LOW)
        journey.wait(lambda: _share_above(window) <= 0.25)
        assert not sentences.source_row.isVisible() and sentences.tokens.isVisible()
        QTest.mouseClick(sentences.tokens, Qt.MouseButton.LeftButton)
        journey.wait(sentences.source_row.isVisible)
        assert sentences.target_row.isVisible()
        sentences.source_edit.setFocus()
        assert sentences.tokens in _by_tab(window)
        QTest.keyClick(sentences.tokens, Qt.Key.Key_Space)
        journey.wait(lambda: not sentences.source_row.isVisible())
        _resize(journey, window, HIGH)
        assert sentences.source_row.isVisible() and not sentences.tokens.isVisible()

    journey.run(script)


def _by_tab(window: Window) -> list[QWidget]:
    return press(window, [Qt.Key.Key_Tab] * 12)
