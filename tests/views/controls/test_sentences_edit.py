"""The box for several sentences: what is told, what is shown, and what is left to the window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.views.controls.sentence import SentencesEdit


def edit_of(qtbot: QtBot, *sentences: str) -> tuple[SentencesEdit, list[tuple[str, ...]]]:
    edit, said = SentencesEdit(), list[tuple[str, ...]]()
    qtbot.addWidget(edit)
    edit.put(sentences)
    edit.edited.connect(said.append)
    return edit, said


def composed(edit: SentencesEdit, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(edit, event)


def test_each_line_is_a_sentence_and_an_empty_one_is_none(qtbot: QtBot) -> None:
    """A new line alone changes no sentence, so nobody is told."""
    edit, said = edit_of(qtbot, "a")
    QTest.keyClick(edit, Qt.Key.Key_End)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert said == []
    QTest.keyClicks(edit, "b")
    assert said == [("a", "b")] and edit.sentences() == ("a", "b")


def test_what_was_typed_does_not_come_back(qtbot: QtBot) -> None:
    """The line that is just begun stays, and the cursor with it; another text takes the box."""
    edit, said = edit_of(qtbot)
    QTest.keyClicks(edit, "a")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    edit.put(("a",))
    assert edit.toPlainText() == "a\n"
    edit.put(("c", "d"))
    assert edit.toPlainText() == "c\nd" and said == [("a",)]


def test_what_is_composed_is_no_text_yet(qtbot: QtBot) -> None:
    """One event may commit a syllable and begin the next; a text from elsewhere ends the composition."""
    edit, said = edit_of(qtbot)
    composed(edit, "w")
    assert said == []
    composed(edit, "g", commit="我")
    assert said == [("我",)]
    edit.put(("你",))
    assert edit.toPlainText() == "你"
    composed(edit, "", commit="好")
    assert len(said) == 2


def test_tab_leaves_the_box_and_undo_is_the_windows(qtbot: QtBot) -> None:
    """Suggested sentences stand in the empty box until something is typed."""
    edit, _said = edit_of(qtbot)
    edit.offer(("她是老师。", "她喜欢书。"))
    assert edit.tabChangesFocus() and not edit.isUndoRedoEnabled()
    assert edit.placeholderText() == "她是老师。\n她喜欢书。"
