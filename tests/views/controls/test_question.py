"""The box of a question is as high as what stands in it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.views.controls.question import QuestionBox


def test_a_column_with_a_question_does_not_scroll_into_nothing(qtbot: QtBot) -> None:
    """Each choice asked for the height of its text with one letter a line, so that a lesson scrolled far beyond its end."""
    area, inner, box = QScrollArea(), QWidget(), QuestionBox()
    qtbot.addWidget(area)
    column = QVBoxLayout(inner)
    column.addWidget(box)
    column.addStretch(1)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inner)
    area.resize(260, 120)
    area.show()
    box.put(
        "这个词元从哪里取信息？", ("从它自己和它前面的每一个词元那里取信息", "从整个句子的所有词元那里取信息", "哪里也不取")
    )
    qtbot.waitUntil(lambda: inner.height() > area.viewport().height())
    last = box.choices[-1]
    qtbot.waitUntil(lambda: last.isVisible() and last.height() == last.heightForWidth(last.width()))
    beyond = inner.height() - last.mapTo(inner, last.rect().bottomLeft()).y()
    assert beyond < 3 * last.height()
