"""Lessons from start to end, as a student goes through them."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton

from explorer.app.lessons import lesson_panel, quiz
from explorer.app.lessons import step_opener as tutor
from explorer.app.shell.window import Window
from explorer.lessons import check, read
from explorer.lessons.read import read_folder
from explorer.resources import asset
from explorer.state.intents import SetText
from explorer.views.controls.matrix import MatrixEdit
from tests.dragging import drop
from tests.journeys.conftest import Journey
from tests.sweeps import every_nth, sweep


def open_panel(journey: Journey, window: Window) -> None:
    """As F2 does; the lessons are there when they have been read."""
    window.actions_.by_name["lessons"].trigger()
    journey.wait(lambda: bool(window.lessons.lessons))


def answer(journey: Journey, window: Window, text: str) -> str:
    """Type an answer, press Enter, read what is said."""
    box = window.lessons.question
    box.edit.setFocus()
    box.edit.clear()
    QTest.keyClicks(box.edit, text)
    QTest.keyClick(box.edit, Qt.Key.Key_Return)
    journey.settle(window)
    return box.verdict.text()


def test_a_lesson_sets_the_window_up_and_checks_answers(journey: Journey) -> None:
    """A1: preset, knobs and page as the step says; the text's number, the true one, the difference; right and wrong answers."""

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        panel = window.lessons
        assert panel.isVisible()
        panel.open("a1")
        journey.settle(window)
        assert window.session.state.wish.config.position == "sinusoidal-doubled"
        assert window.page_stack.page.key == "position"
        assert "0.9999" in panel.numbers.text() and "0.5403" in panel.numbers.text() and "0.46" in panel.numbers.text()
        assert window.knobs.rows["position"].property("meant") is True
        assert "×" in answer(journey, window, "0.9999") and "0.5403" not in panel.question.verdict.text()  # once more
        assert "×" in answer(journey, window, "0.9999") and "0.5403" in panel.question.verdict.text()
        assert "✓" in answer(journey, window, "0.54")
        QTest.mouseClick(panel.next, Qt.MouseButton.LeftButton)
        journey.settle(window)
        assert panel.counter.text() == "第 2 步，共 2 步"
        choices = panel.question.choices
        right = next(button for button in choices if "频率不同" in button.text())
        wrong = next(button for button in choices if button is not right)
        QTest.mouseClick(wrong, Qt.MouseButton.LeftButton)
        assert "×" in panel.question.verdict.text()
        assert wrong.text().startswith("×")
        QTest.mouseClick(right, Qt.MouseButton.LeftButton)
        assert "✓" in panel.question.verdict.text()
        assert right.text().startswith("✓") and not any(each.text().startswith("×") for each in choices)
        panel.back.click()
        assert window.knobs.rows["position"].property("meant") is False
        assert window.session.state.wish.config.position == "sinusoidal"  # What was there before comes back,
        assert window.page_stack.page.key == "overview"
        window.session.undo()  # as a step that can be undone.
        assert window.session.state.wish.config.position == "sinusoidal-doubled"

    journey.run(script)


def test_a_given_matrix_can_be_changed(journey: Journey) -> None:
    """E6: another X, another Q; words are no numbers."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.lessons.offer(*_bundled())
        open_panel(journey, window)
        window.lessons.open("e6")
        journey.settle(window)
        before = window.lessons.numbers.text()
        table = window.lessons.findChild(MatrixEdit).table
        table.item(0, 0).setText("100")
        assert window.lessons.numbers.text() == before  # the last ones stay until the new ones are there
        journey.settle(window)
        assert "103" in window.lessons.numbers.text() and window.lessons.numbers.text() != before
        table.item(0, 1).setText("hundred")
        assert table.item(0, 1).text() == "2"
        assert np.asarray(window.lessons.given["X"]).tolist()[0] == [100, 2, 3, 4]

    journey.run(script)


def test_a_lesson_follows_the_users_own_sentence(journey: Journey) -> None:
    """C11 names no sentence: it runs on whatever is typed, and its numbers follow."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("你好吗"))
        journey.settle(window)
        open_panel(journey, window)
        window.lessons.open("c11")
        journey.settle(window)
        assert window.session.state.wish.text == "你好吗"
        before = window.lessons.numbers.text()
        window.session.ask(SetText("今天天气很好"))
        journey.settle(window)
        assert window.lessons.numbers.text() != before
        assert "×" in answer(journey, window, "999")
        question = window.lessons.question.text.text()
        window.lessons.question.more.click()
        journey.settle(window)
        assert window.lessons.question.text.text() != question

    journey.run(script)


@pytest.mark.parametrize("nth", sweep([1, 20], telling=[20]))
def test_every_step_of_every_lesson_can_be_opened(journey: Journey, nth: int) -> None:
    """Its page exists, its claims are computed and its question is asked; A7's 1.9 GB are left out."""

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        panel = window.lessons
        for lesson in every_nth(panel.lessons, nth):
            panel.open(lesson.key)
            for place in range(len(lesson.steps)):
                if place:
                    panel.next.click()
                journey.settle(window)
                step = lesson.steps[place]
                journey.wait(lambda: panel.numbers.text() != window.appearance.words("status.computing"))
                if step.claims:
                    assert "<table" in panel.numbers.text(), (lesson.key, place, panel.numbers.text())
                assert panel.question.isVisible() is (step.question is not None)
                if lesson.key == "a7":
                    break

    journey.run(script)


def test_a_broken_lesson_is_told_and_the_others_are_there(journey: Journey, tmp_path: Path) -> None:
    """With its file and line, above the list."""

    def script(window: Window) -> None:
        journey.settle(window)
        folder = tmp_path
        good = '[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "一"\nen = "one"\n'
        (folder / "x1.toml").write_text(good, encoding="utf-8")
        (folder / "x2.toml").write_text(f"{good}knobs = {{ n_leyers = 2 }}\n", encoding="utf-8")
        window.lessons.offer(*read_folder(folder))
        window.actions_.by_name["lessons"].trigger()
        assert "x2.toml" in window.lessons.list.errors.text() and "7" in window.lessons.list.errors.text()
        assert window.lessons.list.tree.topLevelItem(0).childCount() == 1
        window.lessons.open("x1")
        journey.settle(window)
        assert window.lessons.say.plain == "一"

    journey.run(script)


def test_the_language_can_change_in_the_middle_of_a_lesson(journey: Journey) -> None:
    """The step stays; its words change."""

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        window.lessons.open("b7")
        journey.settle(window)
        window.appearance.switch_language()
        journey.settle(window)
        assert window.lessons.title.text() == "B7 · A mask of zeros masks everything"
        assert "agrees" in window.lessons.numbers.text()
        assert window.lessons.question.text.text() == "With 8 tokens, how much is each cell?"
        assert isinstance(window.lessons.next, QPushButton) and window.lessons.next.text() == "Next lesson"

    journey.run(script)


def test_a_lesson_of_ones_own_can_be_opened(journey: Journey, tmp_path: Path) -> None:
    """From a file, and from the folder beside the preferences; with a mistake it is told, and nothing else changes."""
    good = 'group = "mine"\n[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "二"\nen = "two"\n'
    (tmp_path / "my1.toml").write_text(good, encoding="utf-8")
    (tmp_path / "my2.toml").write_text(f"{good}pages = 3\n", encoding="utf-8")
    folder = tmp_path / "config" / "transformer-explorer" / "lessons"
    folder.mkdir(parents=True)
    (folder / "kept1.toml").write_text(good, encoding="utf-8")

    def script(window: Window) -> None:
        journey.settle(window)
        window.step_opener.add(str(tmp_path / "my1.toml"))
        journey.wait(lambda: window.lessons.step is not None)
        journey.settle(window)
        assert window.lessons.isVisible()
        assert window.lessons.say.plain == "二"
        assert {"kept1", "my1", "a1"} <= {lesson.key for lesson in window.lessons.lessons}
        window.step_opener.add(str(tmp_path / "my2.toml"))
        journey.settle(window)
        assert "my2.toml" in window.refusals.text.text() and "8" in window.refusals.text.text()
        assert window.lessons.say.plain == "二"

    journey.run(script)


def test_a_lesson_is_opened_by_a_drop_and_from_the_command_line(journey: Journey, tmp_path: Path) -> None:
    """As a session is; the ending alone says it, or the steps in it; what is none is refused."""
    good = 'group = "mine"\n[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "二"\nen = "two"\n'
    for name in ("a1.lesson.toml", "my2.toml"):
        (tmp_path / name).write_text(good.replace("二", name), encoding="utf-8")
    (tmp_path / "bad.lesson.toml").write_text("steps = 3\n", encoding="utf-8")

    def script(window: Window) -> None:
        panel = window.lessons
        journey.wait(lambda: panel.step is not None)
        assert panel.isVisible() and panel.say.plain == "a1.lesson.toml"
        assert panel.lesson is not None and panel.lesson.key == "a1"  # It stands in the place of the program's own.
        drop(window, tmp_path / "my2.toml")
        journey.wait(lambda: panel.say.plain == "my2.toml")
        drop(window, tmp_path / "bad.lesson.toml")
        journey.wait(lambda: "bad.lesson.toml" in window.refusals.text.text())
        assert panel.say.plain == "my2.toml"

    journey.run(script, "gui", "--lesson", str(tmp_path / "a1.lesson.toml"))


def test_a_lesson_looks_at_what_the_model_before_it_lacked(journey: Journey) -> None:
    """From an encoder alone to cross-attention; and what is refused shows no numbers of another state."""

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        window.lessons.open("c3")
        journey.settle(window)
        window.lessons.open("b5")
        journey.settle(window)
        assert window.session.state.look.attention == "decoder.cross_attn"
        window.session.ask(SetText("一" * 300))
        journey.wait(lambda: "256" in window.lessons.numbers.text())
        assert "<table" not in window.lessons.numbers.text()

    journey.run(script)


HOSTILE = {
    "lists in lists": ("text = " + "[" * 90_000, "7"),
    "a million cells": ("[step.given]\nA = [" + "1," * 1_000_000 + "]", "262,144"),
    "many cells": ("[step.given]\nA = [" + "1," * 100_000 + "]", "128"),
    "a long number": ("knobs = { seed = " + "9" * 400 + " }", "7"),
    "a deep formula": ('[[step.claim]]\nzh = "一"\nen = "one"\ntrue = "' + "(" * 250 + '1"', "30"),
}


def test_a_hostile_file_is_told_in_one_sentence(journey: Journey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Opened as Ctrl+O opens it, among them a pipe and a folder; the lesson that is open stays, and the program lives."""

    def script(window: Window) -> None:
        def open_file(path: Path, said: str) -> None:
            monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(lambda *_: (str(path), "")))
            window.actions_.by_name["open_file"].trigger()
            journey.wait(lambda: path.name in window.refusals.text.text())
            told = window.refusals.text.text()
            assert said in told and len(told.replace(str(path), "")) < 250

        journey.settle(window)
        open_panel(journey, window)
        window.lessons.open("e6")
        journey.settle(window)
        shown = window.lessons.numbers.text()
        for number, (text, said) in enumerate(HOSTILE.values()):
            path = tmp_path / f"x{number}.toml"
            path.write_text('[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "一"\nen = "one"\n' + text, encoding="utf-8")
            open_file(path, said)
        os.mkfifo(tmp_path / "pipe.toml")
        (tmp_path / "folder.toml").mkdir()
        open_file(tmp_path / "pipe.toml", "命名管道")
        open_file(tmp_path / "folder.toml", "文件夹")
        assert window.lessons.lesson is not None and window.lessons.lesson.key == "e6"
        assert window.lessons.numbers.text() == shown

    journey.run(script)


def test_dear_formulas_and_absent_words_are_told_in_their_rows(journey: Journey, tmp_path: Path) -> None:
    """Beside a claim that has its number; an answer that nobody can give is no wrong one; mark-up stays text."""
    claims = "".join(
        f'[[step.claim]]\nzh = "一"\nen = "one"\ntrue = "{true}"\n'
        for true in ("pe_table(1e18, 1)", "sum(sin(pe_table(9000, 64)))", "where('狗')", "1 + 1")
    )
    path = tmp_path / "dear1.toml"
    path.write_text(
        '[title]\nzh = "<b>一</b>"\nen = "one"\n[[step]]\nzh = "<img src=x>"\nen = "one"\n'
        + claims
        + '[step.question]\nzh = "几？"\nen = "how?"\nanswer = "where(\'狗\')[0]"\n',
        encoding="utf-8",
    )

    def script(window: Window) -> None:
        journey.settle(window)
        window.step_opener.add(str(path))
        journey.wait(lambda: window.lessons.step is not None)
        journey.settle(window)
        told = window.lessons.numbers.text()
        assert [told.count(word) for word in ("64 MB", "10 毫秒", "这句话里没有", "<table")] == [1, 1, 1, 1]
        assert "无从回答" in answer(journey, window, "3")
        assert "×" not in window.lessons.question.verdict.text()
        assert window.lessons.title.textFormat() == Qt.TextFormat.PlainText

    journey.run(script)


def test_lessons_are_computed_beside_the_window(journey: Journey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files, claims, answers and questions: none of them ever on the thread that paints."""
    seen: dict[str, set[str]] = {}

    def watched(module: object, name: str) -> None:
        function = getattr(module, name)

        def watching(*arguments: object, **named: object) -> object:
            seen.setdefault(name, set()).add(threading.current_thread().name)
            return function(*arguments, **named)

        monkeypatch.setattr(module, name, watching)

    for module, name in (
        (check, "evaluate"),
        (quiz, "evaluate"),
        (quiz, "ask"),
        (read, "read_lesson"),
        (tutor, "read_lesson"),
        (lesson_panel, "findings"),
        (lesson_panel, "claims_html"),
    ):
        watched(module, name)
    path = tmp_path / "my1.toml"
    path.write_text(
        '[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "一"\nen = "one"\n[step.question]\nkind = "sum"\n', encoding="utf-8"
    )

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        for key in ("e6", "c11", "a1"):
            window.lessons.open(key)
            journey.settle(window)
            answer(journey, window, "1")
        window.step_opener.add(str(path))
        journey.wait(lambda: window.lessons.lesson is not None and window.lessons.lesson.key == "my1")
        journey.settle(window)
        window.appearance.switch_language()
        window.appearance.switch_theme()
        window.lessons.question.more.click()
        journey.settle(window)

    journey.run(script)
    assert seen == {name: {"lessons"} for name in ("evaluate", "ask", "read_lesson", "findings", "claims_html")}


def test_an_answer_has_64_characters(journey: Journey) -> None:
    """What is typed or pasted beyond them does not get into the field."""

    def script(window: Window) -> None:
        journey.settle(window)
        open_panel(journey, window)
        window.lessons.open("a1")
        journey.settle(window)
        assert "×" in answer(journey, window, "1" * 70)
        window.lessons.question.edit.setText("1" * 6000)
        assert window.lessons.question.edit.text() == "1" * 64

    journey.run(script)


def test_the_window_closes_while_lessons_are_read(journey: Journey) -> None:
    """The thread that reads them ends with it, whatever it is at."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["lessons"].trigger()
        assert window.lessons.reckoner.busy

    journey.run(script)
    assert "lessons" not in [thread.name for thread in threading.enumerate()]


def _bundled() -> tuple[object, object]:
    from explorer.lessons.read import bundled_lessons

    return bundled_lessons()


def test_the_lesson_of_the_manual_runs_as_it_is_printed(journey: Journey, tmp_path: Path) -> None:
    """A teacher copies it, opens it and goes on: a row sums to 1, a wrong answer gets the hint, a right one the reason."""
    text = asset("manual/zh/write_a_lesson.md").read_text("utf-8")
    path = tmp_path / "temperature.toml"
    path.write_text(text.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")

    def script(window: Window) -> None:
        journey.settle(window)
        panel = window.lessons
        window.step_opener.add(str(path))
        journey.wait(lambda: panel.step is not None)
        journey.settle(window)
        assert panel.title.text().endswith("温度") and window.session.state.page == "attention"
        panel.next.click()
        journey.settle(window)
        journey.wait(lambda: "<table" in panel.numbers.text())
        assert window.appearance.words("lesson.agrees") in panel.numbers.text()
        assert window.session.state.wish.config.temperature == 5
        choices = {button.text(): button for button in panel.question.choices}  # They stand in an order of their own.
        choices["所有词元一样多"].click()
        assert "把温度调到最小看看。" in panel.question.verdict.text()
        choices["几乎全部给一个词元"].click()
        assert "除以小的温度，得分之间的差变大。" in panel.question.verdict.text()

    journey.run(script)
