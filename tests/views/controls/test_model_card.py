"""The card of the model in its box."""

import attrs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.views.controls.model_card import ModelCardBox
from tests.trace.foreign import foreign_trace, grouped_trace


def test_the_box_opens_below_its_button_and_fits_into_the_window(qtbot: QtBot) -> None:
    """However small the window is; Escape closes it. What the model lacks is listed where there is something."""
    window = QWidget()
    window.resize(500, 260)
    button = QPushButton("x", window)
    button.move(60, 10)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    box, words = ModelCardBox(window), Words.load("en")
    box.tell(foreign_trace().card, "<b>mine</b>", words)
    assert "&lt;b&gt;" in box.title.text() and "bloom" in box.about.text() and not box.absent.isVisibleTo(box)
    assert {label.textFormat() for label in (box.title, box.about, box.absent)} == {Qt.TextFormat.RichText}
    box.open_below(button)
    assert box.isVisible() and box.width() <= 500 - 60 and box.height() <= 260 - button.geometry().bottom()
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert not box.isVisible()


def test_what_is_absent_is_listed_with_its_reason(qtbot: QtBot) -> None:
    """In the language of the window."""
    card = attrs.evolve(grouped_trace()[1].card, absent={"norm": "absent.no_final_norm"})
    window = QWidget()
    qtbot.addWidget(window)
    box = ModelCardBox(window)
    for language in ("zh", "en"):
        words = Words.load(language)
        box.tell(card, "x", words)
        assert words("absent.no_final_norm") in box.absent.text() and "norm" in box.absent.text()
