"""Every text has the room that it needs: names, choices, buttons, in wide and in narrow windows."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QToolButton, QWidget

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.shell.window import Window
from explorer.state.wish import Wish
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.title_label import TitleLabel
from tests.journeys.conftest import Journey

SIZES = ((1440, 900), (1440, 860), (1024, 700), (1024, 660), (960, 620))


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("preset", ["translator", "tiny", "tutorial-a"])
def test_no_name_ends_in_dots(journey: Journey, language: str, preset: str) -> None:
    """Titles, choices, knobs, buttons: each has the room of its whole text, in wide and in narrow windows."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.drawer.set_open(True)
        sizes = SIZES
        for key in page_list.KEYS:
            for size in sizes:
                window.resize(*size)
                window.drawer.set_open(True)
                window.go(key)
                journey.settle(window)
                for _ in range(20):  # A title that breaks gives the others another height, one layout after the other.
                    QApplication.processEvents()
                assert cut_texts(window) == [], (key, size)
                assert cut_controls(window) == [], (key, size)
                assert size == (window.width(), window.height()), key
            sizes = sizes[::-1]

    if preset == "tutorial-a":  # Its title is the longest, its model too large to build here.
        journey.run(lambda window: title_fits(window, preset), "--language", language)
    else:
        journey.run(script, "--language", language, "--preset", preset)


def title_fits(window: Window, preset: str) -> None:
    """The box of presets shows its longest title in a narrow window, and the page in front keeps its button."""
    window.resize(*SIZES[-1])
    box = window.header.presets
    for name in ("tiny", preset):
        window.header.put(Wish.from_preset(name))
        for _ in range(5):
            QApplication.processEvents()
        assert box.shown() == box.currentText() == window.appearance.words(f"preset.{name}.title")
        assert window.header._buttons.button(0).isVisible()


def cut_texts(window: Window) -> list[str]:
    """The visible texts that have less room than they need."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, ChoiceBox) and widget.shown() != widget.currentText():
            found.append(widget.currentText())
        if isinstance(widget, QLabel) and (isinstance(widget, TitleLabel) or window.side.isAncestorOf(widget)):
            wide, high = widget.width(), widget.height()
            needed = widget.fontMetrics().horizontalAdvance(widget.text())
            if high < widget.heightForWidth(wide) - 1 if widget.wordWrap() else wide < needed:
                found.append(widget.text())
        if isinstance(widget, QAbstractButton) and "…" in widget.text() and widget is not window.header.more:
            found.append(widget.text())
    return found


def cut_controls(window: Window) -> list[str]:
    """The visible buttons that are narrower than they must be, and labels of cards that are narrower than their text."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        card, needed_px = widget.parent(), 0
        if isinstance(widget, QToolButton) and not isinstance(card, QLineEdit):
            needed_px = widget.minimumSizeHint().width()
        elif isinstance(widget, QLabel) and isinstance(card, Card) and widget is not card.title and not widget.wordWrap():
            needed_px = widget.sizeHint().width() - 1  # A title ends in an ellipsis.
        if widget.width() < needed_px:
            found.append(widget.text())  # type: ignore[attr-defined]  # It is a button or a label.
    return found


def test_a_text_without_room_is_found(journey: Journey) -> None:
    """So that the test above can fail."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        journey.wait(lambda: cut_texts(window) == [])
        window.header.presets.setFixedWidth(60)
        title = window.page_stack.page.cards[0].title
        title.setFixedWidth(30)
        QApplication.processEvents()
        assert {title.text(), window.header.presets.currentText()} <= set(cut_texts(window))
        assert cut_controls(window) == []
        button = window.header._buttons.button(0)
        button.setFixedWidth(10)
        QApplication.processEvents()
        assert cut_controls(window) == [button.text()]

    journey.run(script)
