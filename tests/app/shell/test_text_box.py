"""What the help menu opens."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QPushButton

from explorer.app.shell.licences import LicencesBox
from explorer.app.shell.text_box import TextBox
from explorer.app.shell.window import Window
from explorer.install.libraries import version_of
from explorer.lang import LANGUAGES
from explorer.version import __version__
from tests.journeys.conftest import Journey, journey
from tests.sweeps import sweep

pytestmark = pytest.mark.slow

__all__ = ["journey"]  # a fixture

_SMALLEST = (880, 480)


def _opened(window: Window, action: str) -> TextBox:
    window.actions_.by_name[action].trigger()
    (box,) = [each for each in window.findChildren(TextBox) if each.isVisible()]
    return box


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_new_is_told_in_the_language_of_the_window(journey: Journey, language: str) -> None:
    """The newest version first; in the smallest window the text scrolls, and its end can be reached."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.resize(*_SMALLEST)
        box = _opened(window, "news")
        assert box.windowTitle() == window.appearance.words("action.news")
        assert box.text.toPlainText().startswith(__version__)
        assert ("上次的设置会回来" in box.text.toPlainText()) is (language == "zh")
        assert ("What you set up comes back" in box.text.toPlainText()) is (language == "en")
        assert box.width() <= _SMALLEST[0] and box.height() <= _SMALLEST[1]
        bar = box.text.verticalScrollBar()
        assert bar.maximum() > 0  # there is more than fits
        bar.setValue(bar.maximum())
        assert bar.value() == bar.maximum()

    journey.run(script, "--language", language)


@pytest.mark.parametrize("language", sweep(["zh", "en"], telling=["en"]))  # Its texts are longer.
@pytest.mark.parametrize("action", ["keys", "news", "about"])
def test_its_button_closes_it(journey: Journey, action: str, language: str) -> None:
    """And then it is gone; a text that fits needs no scrolling."""

    def script(window: Window) -> None:
        journey.settle(window)
        box = _opened(window, action)
        assert (box.text.verticalScrollBar().maximum() > 0) is (action == "news")
        (button,) = box.findChildren(QPushButton)
        button.click()
        journey.wait(lambda: not window.findChildren(TextBox))

    journey.run(script, "--language", language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_about_leads_to_every_library_and_its_licence(journey: Journey, language: str) -> None:
    """By a link to the list, from there to a library, to one of its texts, and back."""

    def script(window: Window) -> None:
        journey.settle(window)
        about = _opened(window, "about")
        assert "licences" in about.text.toHtml()
        about.text.anchorClicked.emit(QUrl("licences"))
        (box,) = window.findChildren(LicencesBox)
        journey.wait(lambda: "PySide6_Essentials" in box.text.toPlainText())
        told = box.text.toPlainText()
        assert "LGPL-3.0-only" in told and version_of("torch") in told and "Python" in told
        rows = {each.name: number for number, each in enumerate(box.notices)}
        box.text.anchorClicked.emit(QUrl(str(rows["torch"])))
        assert "third_party/" in box.text.toPlainText()
        box.text.anchorClicked.emit(QUrl(f"{rows['torch']}/0"))
        assert "Copyright" in box.text.toPlainText()
        box.text.anchorClicked.emit(QUrl(str(rows["jieba"])))  # It has one text, which is shown at once.
        assert "Sun Junyi" in box.text.toPlainText()
        box.text.anchorClicked.emit(QUrl("back"))
        assert box.text.toPlainText() == told

    journey.run(script, "--language", language)
