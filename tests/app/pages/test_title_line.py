"""The line above a card's view: what it leaves out where it has little room, and how its buttons are called."""

import pytest
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.title_line import TitleLine
from explorer.lang import Words
from explorer.picture.kinds import Caption

EN = Words.load("en")
SHAPE, FORMULA = "[4, 9]", "softmax(Q·K) V"
WIDE, NARROW = 2000, 60  # px


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    """What the line's widgets belong to; it is not shown."""
    owner = QWidget()
    qtbot.addWidget(owner)
    return owner


def told(owner: QWidget, *, changes: int | None = None) -> TitleLine:
    line = TitleLine(opens=True)
    owner.setLayout(line)
    line.tell(Caption(title="Weights of one head", tap="a.b", shape=SHAPE, formula=FORMULA, changes=changes), EN)
    return line


def left_out(line: TitleLine) -> list[str]:
    return [label.text() for label in (line.formula, line.shape) if label.isHidden()]


def test_the_formula_goes_before_the_shape_and_both_before_the_title_breaks(owner: QWidget) -> None:
    """From wide to narrow; the tooltip has what is left out."""
    line = told(owner)
    steps = []
    for room_px in range(WIDE, NARROW, -1):
        line.fit(room_px, bare=False)
        steps.append((left_out(line), line.title.wordWrap()))
    seen = [step for place, step in enumerate(steps) if step not in steps[:place]]

    assert seen == [([], False), ([FORMULA], False), ([FORMULA, SHAPE], False), ([FORMULA, SHAPE], True)]
    assert SHAPE in line.title.toolTip() and FORMULA in line.title.toolTip()


def test_a_note_stands_beside_the_title_before_shape_and_formula(owner: QWidget) -> None:
    """Of a line that is given one; where it has no room, it is left out first of all that has its place elsewhere."""
    line = told(owner)
    line.note.setText("What the figures below are.")
    room_px = line.title.one_line_px() + line.note.sizeHint().width() + 120  # px for the buttons
    line.fit(WIDE, bare=False)
    assert not line.note.isHidden() and left_out(line) == []
    line.fit(room_px, bare=False)
    assert not line.note.isHidden() and FORMULA in left_out(line)
    line.fit(NARROW, bare=False)
    assert line.note.isHidden()


def test_the_buttons_of_a_page_go_into_a_second_line_and_come_back(owner: QWidget) -> None:
    """They stand behind title and formula where there is room, in their order."""
    line = told(owner)
    buttons = [QToolButton(), QToolButton()]
    for place, button in enumerate(buttons):
        button.setText("a choice")
        line.bar.insertWidget(2 + place, button)
    for room_px, places in ((WIDE, [2, 3]), (NARROW, [-1, -1]), (WIDE, [2, 3])):
        line.fit(room_px, bare=False)
        assert [line.bar.indexOf(button) for button in buttons] == places


def test_the_badge_goes_below_before_the_title_breaks(owner: QWidget) -> None:
    """A long badge, such as "changed · without dropout", does not squeeze the title into a column of single words."""
    line = told(owner, changes=2)
    for room_px, above in ((WIDE, True), (line.title.one_line_px() + 120, False), (WIDE, True)):
        line.fit(room_px, bare=False)
        assert (line.bar.indexOf(line.badge) >= 0) == above
        assert not line.title.wordWrap()


def test_a_bare_card_has_neither_formula_nor_shape(owner: QWidget) -> None:
    """However wide it is."""
    line = told(owner)
    line.fit(WIDE, bare=True)
    assert left_out(line) == [FORMULA, SHAPE]


def test_the_buttons_say_what_a_click_does_and_to_which_card(owner: QWidget) -> None:
    """Enlarged it is put back; the last card in sight says why it stays."""
    line = told(owner)
    assert line.larger.accessibleName() == f"{EN('action.enlarge')}: Weights of one head"
    line.set_enlarged(True)
    assert line.larger.toolTip() == EN("action.put_back") and line.smaller.isHidden()
    line.set_enlarged(False)
    line.offer_hiding(there=True, last=True)
    assert not line.smaller.isEnabled() and line.smaller.toolTip() == EN("hidden.last")


@pytest.mark.parametrize("changes", [None, 0, 2])
def test_a_pass_with_changes_alone_has_a_badge(owner: QWidget, changes: int | None) -> None:
    """It says how many; a card without a picture has none, and no formula and shape."""
    line = told(owner, changes=changes)
    assert line.badge.isHidden() == (not changes)
    assert line.badge.toolTip() == (EN("change.badge_about", count=changes) if changes else "")
    line.clear("Weights of one head")
    assert line.badge.isHidden() and line.formula.text() == line.shape.text() == ""
