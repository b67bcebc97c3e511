"""Buttons with a sentence each: the whole sentence can be read."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.views.controls.suggestions import Suggestions


@pytest.mark.parametrize("width", [360, 520, 900])
def test_a_sentence_is_not_cut_off_where_others_want_the_room(width: int, qtbot: QtBot) -> None:
    """Each button is as high as its title and its sentence, in one line or in several."""
    desk, greedy = QWidget(), QWidget()
    qtbot.addWidget(desk)
    greedy.setMinimumHeight(300)
    suggestions = Suggestions(("one", "two", "three", "four"))
    for key, times in (("one", 6), ("two", 8), ("three", 2), ("four", 1)):
        suggestions.name(key, "Switch one head off", "only a single head " * times)
    column = QVBoxLayout(desk)
    column.addWidget(suggestions)
    column.addWidget(greedy, 4)
    desk.resize(QSize(width, column.minimumHeightForWidth(width)))
    desk.show()

    for key, button in suggestions.buttons.items():
        assert button.height() >= button.heightForWidth(button.width()), key
