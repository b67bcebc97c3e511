"""Labels, titles and choices are whole: they break, leave out whole parts, or ask for room; they never end in dots."""

import pytest
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.config import KNOBS
from explorer.lang import Words
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.fitting_labels import PartsLabel, TitleLabel
from explorer.views.controls.knobs import KnobRow


def test_facts_are_left_out_whole(qtbot: QtBot) -> None:
    """From the end; the text still has them all."""
    label = PartsLabel()
    qtbot.addWidget(label)
    parts = ("5 tokens", "9,190,256 parameters", "trained <eos>")
    label.set_parts(parts)
    whole = label.sizeHint().width()
    label.show()
    seen = []
    for width in (whole, whole - 10, 60, 3):
        label.resize(width, 20)
        seen.append(label.shown())
        assert label.text() == "  ·  ".join(parts)
    assert seen == ["  ·  ".join(parts), "  ·  ".join(parts[:2]), parts[0], ""]


def test_a_title_breaks_where_it_has_no_room(qtbot: QtBot) -> None:
    """And takes one line again where it has."""
    title = TitleLabel()
    qtbot.addWidget(title)
    title.setText("注意力权重 · L2 H0 · attention weights")
    one = title.sizeHint()
    title.fit(one.width() // 2)
    assert title.sizeHint().height() > one.height() and title.sizeHint().width() <= one.width() // 2
    title.fit(one.width())
    assert title.sizeHint() == one


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_choice_of_every_knob_is_shown_whole(language: str, qtbot: QtBot) -> None:
    """In the width of the narrow panel, with its margins."""
    words = Words.load(language)
    for knob in KNOBS:
        if knob.kind != "choice":
            continue
        row = KnobRow(knob)
        qtbot.addWidget(row)
        row.speak(words)
        box = row.editor
        assert isinstance(box, ChoiceBox)
        for index in range(box.count()):
            box.setCurrentIndex(index)
            assert row.minimumSizeHint().width() <= 240 - 24 - 12, (knob.name, box.currentText())
            box.resize(box.minimumSizeHint().width(), 26)
            assert box.shown() == box.currentText()


def test_a_box_grows_with_its_text(qtbot: QtBot) -> None:
    """A layout gives it the room of what is chosen, whenever this changes."""
    outer = QWidget()
    qtbot.addWidget(outer)
    layout = QHBoxLayout(outer)
    box = ChoiceBox()
    layout.addWidget(box)
    layout.addStretch(1)
    box.addItems(["no", "a very much longer choice than the other one"])
    outer.resize(600, 60)
    outer.show()
    short = box.minimumSizeHint().width()
    box.setCurrentIndex(1)
    assert box.minimumSizeHint().width() > short
    qtbot.waitUntil(lambda: box.shown() == box.currentText())
