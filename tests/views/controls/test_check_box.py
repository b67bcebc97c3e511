"""A tick is seen on its box in every theme."""

import re
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionButton
from pytestqt.qtbot import QtBot

import explorer
from explorer.picture.theme import THEMES
from explorer.views.controls.check_box import CheckBox
from explorer.views.painting.style import set_style_property, use_theme
from tests.picture.test_cell_numbers import contrast


@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize("theme", THEMES)
def test_a_tick_is_told_from_its_box(qtbot: QtBot, qapp: QApplication, theme: str, *, away: bool) -> None:
    """A contrast of 4.5 at least, also where the knob is away from its usual value and the box has the accent's colour."""
    use_theme(qapp, THEMES[theme])
    box = CheckBox("text")
    qtbot.addWidget(box)
    set_style_property(box, "away", away)
    box.show()
    box.setChecked(True)
    QCoreApplication.processEvents()
    option = QStyleOptionButton()
    box.initStyleOption(option)
    place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box).adjusted(3, 3, -3, -3)
    image = box.grab(place).toImage()
    seen = Counter(image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height()))
    ground = seen.most_common(1)[0][0]
    assert ground == (THEMES[theme].accent if away else THEMES[theme].faint)
    assert max(contrast(ground, colour) for colour in seen) >= 4.5


def test_every_check_box_has_such_a_tick() -> None:
    """Nothing but the classes that paint themselves is made from Qt's own check box, whose tick the style sheet lacks."""
    made = [
        path.name
        for path in Path(explorer.__path__[0]).rglob("*.py")
        if re.search(r"(?<!class )\bQCheckBox\(", path.read_text(encoding="utf-8"))
    ]
    assert made == []
