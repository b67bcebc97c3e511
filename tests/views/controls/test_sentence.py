"""Typing with an input method: what is composed is no text yet, what is committed is."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from explorer.views.controls.layouts import filled
from explorer.views.controls.sentence import SentenceEdit


def _composed(edit: SentenceEdit, preedit: str, commit: str = "", replaced: int = 0) -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit, -replaced, replaced)
    QApplication.sendEvent(edit, event)


def _edit(qtbot: QtBot, text: str = "") -> tuple[SentenceEdit, list[str]]:
    edit, said = SentenceEdit(), []
    qtbot.addWidget(edit)
    edit.put(text)
    edit.edited.connect(said.append)
    return edit, said


def test_a_commit_that_begins_the_next_syllable_is_told(qtbot: QtBot) -> None:
    """As those of Wubi and Hangul do: nothing was told before the last one."""
    edit, said = _edit(qtbot)
    _composed(edit, "w")
    assert said == []
    _composed(edit, "g", commit="我")
    assert said == ["我"]
    _composed(edit, "", commit="爱")
    assert said == ["我", "我爱"]


def test_what_replaces_letters_is_told_too(qtbot: QtBot) -> None:
    """A syllable may be made anew from the letters before it."""
    edit, said = _edit(qtbot, "한그")
    edit.end(False)
    _composed(edit, "ㄱ", commit="글", replaced=1)
    assert said == ["한글"]


def test_a_change_from_the_program_is_kept_while_composing(qtbot: QtBot) -> None:
    """Undo or a preset: what is composed belonged to the old text and goes."""
    edit, said = _edit(qtbot, "旧")
    _composed(edit, "xin")
    edit.put("新")
    assert (edit.text(), said) == ("新", [])
    _composed(edit, "")
    assert (edit.text(), said) == ("新", [])
    _composed(edit, "", commit="的")
    assert said == ["新的"]


def test_the_answer_to_a_commit_does_not_end_the_next_composition(qtbot: QtBot) -> None:
    """The session says back what was typed, while the next syllable is composed."""
    edit, said = _edit(qtbot)
    _composed(edit, "b", commit="我")
    edit.put(said[-1])
    _composed(edit, "", commit="爱")
    assert said == ["我", "我爱"]


def test_the_right_arrow_while_composing_takes_nothing_over(qtbot: QtBot) -> None:
    """It moves within what is composed; in the empty box it takes over what is offered."""
    edit, said = _edit(qtbot)
    edit.offer("I love you.", "type here")
    _composed(edit, "ai")
    qtbot.keyClick(edit, Qt.Key.Key_Right)
    assert (edit.text(), said) == ("", [])
    _composed(edit, "")
    qtbot.keyClick(edit, Qt.Key.Key_Right)
    assert edit.text() == "I love you."


def _offering(qtbot: QtBot) -> tuple[SentenceEdit, list[bool]]:
    edit, said = SentenceEdit(), []
    qtbot.addWidget(edit)
    edit.became_provisional.connect(said.append)
    edit.resize(300, 32)
    edit.offer("I love you.", "hint")
    return edit, said


def test_a_provisional_text_is_underlined_until_the_search_is_over(qtbot: QtBot) -> None:
    """After a moment, and once however many answers come before the search."""
    edit, said = _offering(qtbot)
    plain = edit.grab().toImage()
    edit.mark_provisional(True)
    edit.mark_provisional(True)
    assert edit.grab().toImage() == plain
    qtbot.waitUntil(lambda: edit.provisional)
    edit.mark_provisional(True)
    assert said == [True] and edit.grab().toImage() != plain
    edit.mark_provisional(False)
    assert said == [True, False] and edit.grab().toImage() == plain


def test_a_search_that_is_over_at_once_marks_nothing(qtbot: QtBot) -> None:
    """So that nothing flickers while somebody types: the timer is stopped by the answer."""
    edit, said = _offering(qtbot)
    edit.mark_provisional(True)
    edit.mark_provisional(False)
    assert not any(timer.isActive() for timer in edit.findChildren(QTimer)) and said == []


def test_a_typed_text_is_never_underlined(qtbot: QtBot) -> None:
    """It is nobody's guess."""
    edit, _said = _offering(qtbot)
    edit.setClearButtonEnabled(False)  # It appears little by little.
    edit.put("my own")
    plain = edit.grab().toImage()
    edit.mark_provisional(True)
    qtbot.waitUntil(lambda: edit.provisional)
    assert edit.grab().toImage() == plain


def test_the_box_forgets_its_own_steps_of_undo(qtbot: QtBot) -> None:
    """Qt would keep each character that ever came or went; the cursor and what is marked stay where they are."""
    edit, said = _edit(qtbot)
    edit.insert("天" * 70_000)
    assert edit.isUndoAvailable()
    edit.setSelection(5, 3)
    qtbot.waitUntil(lambda: not edit.isUndoAvailable())
    assert (edit.selectionStart(), edit.selectionLength(), edit.cursorPosition()) == (5, 3, 8)

    edit.insert("地")
    edit.setSelection(9, -4)
    qtbot.waitUntil(lambda: not edit.isUndoAvailable())
    assert (edit.selectionStart(), edit.selectionLength(), edit.cursorPosition()) == (5, 4, 5)
    edit.insert("玄")
    qtbot.waitUntil(lambda: not edit.isUndoAvailable())
    assert (edit.hasSelectedText(), edit.cursorPosition()) == (False, 6)
    assert [len(each) for each in said] == [70_000, 69_998, 69_995]


def test_the_box_forgets_nothing_while_a_syllable_is_composed(qtbot: QtBot) -> None:
    """To set the text anew would end the composition."""
    edit, said = _edit(qtbot)
    edit.insert("天" * 70_000)
    _composed(edit, "xin")
    waited: list[bool] = []
    QTimer.singleShot(0, lambda: waited.append(True))
    qtbot.waitUntil(lambda: bool(waited))
    assert edit.isUndoAvailable()
    _composed(edit, "", commit="新")
    assert len(said[-1]) == 70_001
    qtbot.waitUntil(lambda: not edit.isUndoAvailable())
    assert edit.text() == said[-1]


def test_a_long_sentence_is_shown_from_its_beginning(qtbot: QtBot) -> None:
    """Unless somebody types: then the cursor stays where they are."""
    long, other = (
        "The animal did not cross the street because it was too tired.",
        "The street was too wide for the animal to cross it.",
    )
    edit, beside = SentenceEdit(), SentenceEdit()
    room = QWidget()
    filled(QVBoxLayout(room), edit, beside)
    qtbot.addWidget(room)
    room.resize(150, 80)
    with qtbot.waitExposed(room):
        room.show()
    beside.setFocus()
    edit.put(long)
    assert edit.cursorPosition() == 0
    edit.setFocus()
    edit.end(False)
    edit.put(other)
    assert edit.cursorPosition() == len(other)
    beside.setFocus()
    assert edit.cursorPosition() == 0
