"""The manual under Help: opened, searched, followed into the program, and written as one file."""

import re
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QFileDialog, QTextEdit
from pytestqt.qtbot import QtBot

from explorer import page_list
from explorer.app.shell.manual_contents import ManualContents
from explorer.app.shell.manual_window import ManualWindow
from explorer.lang import Words
from explorer.state.intents import OpenPage
from tests.app.shell.opening import Opened, spy
from tests.waiting import until

_MOST_MS = 100  # on the GUI thread, until the window is there; its chapters come later


def opened_manual(opened: Opened, qtbot: QtBot) -> ManualWindow:
    """As a person opens it, with its chapters."""
    opened.window.actions_.by_name["manual"].trigger()
    (manual,) = opened.window.findChildren(ManualWindow)
    until(qtbot, lambda: bool(manual.chapters))
    return manual


def titles(contents: ManualContents) -> list[str]:
    """Of what stands at the top of the list."""
    return [contents.topLevelItem(place).text(0) for place in range(contents.topLevelItemCount())]


def test_it_is_a_window_of_its_own_at_its_first_chapter(opened: Opened, qtbot: QtBot) -> None:
    """It hides nothing of the program for good: it is no box in front of the window; and it is there at once."""
    start_s = time.process_time()
    opened.window.actions_.by_name["manual"].trigger()
    assert 1000 * (time.process_time() - start_s) < 10 * _MOST_MS  # A shared machine is slow; it is not ten times slower.
    manual = opened_manual(opened, qtbot)
    assert manual.isVisible() and not manual.isModal() and manual.windowTitle() == "手册"
    assert manual.text.toPlainText().startswith("最初五分钟")
    assert titles(manual.contents) == ["开始", "看", "页面", "教", "查"]
    assert manual.line.hasFocus() or not manual.isActiveWindow()
    assert manual.contents.currentItem().text(0) == "最初五分钟"


def test_what_one_types_is_found_and_marked(opened: Opened, qtbot: QtBot) -> None:
    """The list has the sections with every word, the first is shown, and each place is marked; without hits it says so."""
    manual = opened_manual(opened, qtbot)
    qtbot.keyClicks(manual.line, "rollout")
    assert "rollout" in manual.text.toPlainText().lower()
    marked = [each.cursor.selectedText() for each in manual.text.extraSelections()]
    assert marked and {each.lower() for each in marked} == {"rollout"}
    count, sections = map(int, re.findall(r"\d+", manual.told.text()))
    assert count >= sections >= 2 and titles(manual.contents)[0].split()[0] == "头"
    manual.line.setText("没有这样的词xyz")
    assert manual.told.text() == "手册里没有“没有这样的词xyz”。" and titles(manual.contents) == []
    manual.line.clear()
    assert titles(manual.contents)[0] == "开始" and not manual.text.extraSelections() and manual.told.text() == ""


def test_a_section_is_opened_from_the_list(opened: Opened, qtbot: QtBot) -> None:
    """And the text scrolls to it."""
    manual = opened_manual(opened, qtbot)
    (item,) = manual.contents.findItems("隐藏特殊词元", Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    manual.contents.setCurrentItem(item)
    assert manual.text.toPlainText().startswith("头\n")
    assert manual.text.verticalScrollBar().value() > 0


def test_a_link_shows_the_page_in_the_program(opened: Opened, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page, a lesson, an action, another chapter, and the network."""
    asked, lessons, outside = spy(monkeypatch, opened.window.session, "ask"), [], []
    monkeypatch.setattr(opened.window.step_opener, "open", lessons.append)
    monkeypatch.setattr("explorer.app.shell.manual_window.QDesktopServices.openUrl", outside.append)
    manual = opened_manual(opened, qtbot)
    for link in ("page:attention", "lesson:a1", "action:knobs", "https://example.org/x"):
        manual.text.anchorClicked.emit(QUrl(link))
    assert (OpenPage("attention"),) in asked and opened.session.state.page == "attention"
    assert lessons == ["a1"]
    assert not opened.window.actions_.by_name["knobs"].isChecked()
    assert outside == [QUrl("https://example.org/x")]
    manual.line.setText("导览")
    manual.text.anchorClicked.emit(QUrl("manual:heads#s1"))
    assert manual.text.toPlainText().startswith("头\n") and manual.line.text() == ""
    assert manual.contents.currentItem().text(0) == "注意力头指标：一个头在做什么"


def test_every_action_that_a_chapter_names_is_there(opened: Opened, qtbot: QtBot) -> None:
    """A link with a wrong name would do nothing."""
    manual = opened_manual(opened, qtbot)
    named = {name for chapter in manual.chapters for name in re.findall(r'href="action:(\w+)"', chapter.html)}
    assert named and named <= set(opened.window.actions_.by_name)


def test_every_key_of_the_menus_stands_in_it(opened: Opened, qtbot: QtBot) -> None:
    """As this system writes it, from the actions themselves; pages among them."""
    manual = opened_manual(opened, qtbot)
    (keys,) = [chapter.html for chapter in manual.chapters if chapter.name == "keys"]
    actions = opened.window.actions_
    for action in (*actions.by_name.values(), *actions.pages.values()):
        assert action.text() in keys
        assert all(shortcut.toString(shortcut.SequenceFormat.NativeText) in keys for shortcut in action.shortcuts())
    assert "Ctrl+F1" in keys and len(actions.pages) == len(page_list.KEYS)


def test_it_follows_the_language_and_the_theme_and_keeps_its_place(opened: Opened, qtbot: QtBot) -> None:
    """The same section in the other language."""
    manual = opened_manual(opened, qtbot)
    manual.read("vectors", "s2")
    zh = manual.chapters
    opened.window.appearance.switch_language()
    until(qtbot, lambda: manual.chapters is not zh)
    assert manual.windowTitle() == "Manual" and manual.text.toPlainText().startswith("Vectors\n")
    assert manual.contents.currentItem().text(0) == "The map of vectors"
    opened.window.appearance.switch_theme()
    assert manual.text.toPlainText().startswith("Vectors\n")
    opened.window.appearance.switch_language()


def test_it_is_closed_and_comes_back_where_it_was(opened: Opened, qtbot: QtBot) -> None:
    """One window, not a second one; it goes with the program's."""
    manual = opened_manual(opened, qtbot)
    manual.read("knobs")
    manual.reject()
    assert not manual.isVisible()
    assert opened_manual(opened, qtbot) is manual and manual.isVisible()
    assert manual.text.toPlainText().startswith("旋钮\n")
    opened.window.close()
    assert not manual.isVisible()


def test_it_is_written_as_one_file(opened: Opened, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one says; a file that cannot be written is told, and one may decide against it."""
    manual = opened_manual(opened, qtbot)
    path = tmp_path / "手册.html"
    chosen = [str(path), "", str(tmp_path / "gone" / "x.html")]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (chosen.pop(0), "*.html"))
    manual.save.click()
    until(qtbot, lambda: bool(manual.told.text()))
    assert manual.told.text() == f"已写好：{path}" and "<title>Transformer 探索器 · 手册</title>" in path.read_text("utf-8")
    manual.save.click()
    assert not chosen[1:]
    manual.save.click()
    until(qtbot, lambda: str(path) not in manual.told.text())
    assert "gone" in manual.told.text()


def test_a_missing_chapter_is_told(opened: Opened, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the line at the top; the window stays."""
    monkeypatch.setattr("explorer.app.shell.manual_window.chapters", _missing)
    opened.window.actions_.by_name["manual"].trigger()
    (manual,) = opened.window.findChildren(ManualWindow)
    until(qtbot, lambda: "x.md" in manual.told.text())
    assert manual.chapters == () and manual.isVisible()


def _missing(words: Words, made: object) -> None:
    from explorer.errors import MissingAsset

    raise MissingAsset(name="assets/manual/zh/x.md")


def test_enter_goes_from_place_to_place(opened: Opened, qtbot: QtBot) -> None:
    """In the chapter that is shown, and from the last place back to the first; without a place nothing happens."""
    manual = opened_manual(opened, qtbot)
    qtbot.keyClick(manual.line, Qt.Key.Key_Return)
    assert manual.text.textCursor().position() == 0
    manual.line.setText("熵")
    ends = sorted(each.cursor.position() for each in manual.text.extraSelections())
    gone = []
    for _ in range(len(ends) + 1):
        qtbot.keyClick(manual.line, Qt.Key.Key_Return)
        gone.append(manual.text.textCursor().position())
    assert len(ends) > 1 and gone == [*ends, ends[0]]


def test_a_mark_has_the_accent_colour(opened: Opened, qtbot: QtBot) -> None:
    """Not the colour of data; and not more than a reader can use."""
    manual = opened_manual(opened, qtbot)
    manual.read("news")
    manual.line.setText("a")
    selections: list[QTextEdit.ExtraSelection] = manual.text.extraSelections()
    assert 0 < len(selections) <= 400
    assert selections[0].format.background().color().name() == manual.palette().highlight().color().name()
