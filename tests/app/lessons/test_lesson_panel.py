"""The panel of lessons: a step is as wide as the panel, in every lesson and in both languages."""

import pytest
from PySide6.QtWidgets import QScrollArea, QStyle, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.lang import LANGUAGES, Words
from explorer.lessons.read import bundled_lessons
from tests.sweeps import sweep


@pytest.mark.parametrize("language", sweep(LANGUAGES, telling=["zh"]))
def test_no_step_is_wider_than_the_narrow_panel(language: str, qtbot: QtBot) -> None:
    """What is wider has no scroll bar and is cut off; beside a long step stands the scroll bar."""
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.setFixedWidth(280)  # the width in a narrow window
    panel.speak(Words.load(language))
    panel.offer(bundled_lessons()[0], ())
    panel.show()
    inside = panel.findChild(QWidget, "lesson")
    area = panel.findChild(QScrollArea)
    room = panel.width() - panel.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
    wide, asked = [], 0
    for lesson in panel.lessons:
        for place in range(len(lesson.steps)):
            panel.resume(lesson.key, place)
            asked += bool(panel.question.choices)
            if inside.minimumSizeHint().width() > room:
                wide.append((lesson.key, place, inside.minimumSizeHint().width()))

    assert area is not None and asked > 20
    assert wide == []
