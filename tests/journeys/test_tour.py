"""The tour, as somebody takes it who has never seen a Transformer."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QScrollArea

from explorer.app.lessons.ticks import load_ticks
from explorer.app.shell.window import Window
from explorer.lang import LANGUAGES
from explorer.lessons.lesson import Step
from explorer.lessons.questions import Where, ask
from explorer.presets import load_preset
from explorer.state.intents import SetPreset, SetText
from tests.journeys.conftest import Journey
from tests.sweeps import sweep

PAGES = ["overview", "embedding", *["overview"] * 2, "follow", *["overview"] * 8]


def click(button: QPushButton) -> None:
    """As the mouse does."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def solve(journey: Journey, window: Window, step: Step) -> None:
    """Answer the open question rightly, by the numbers on screen."""
    journey.settle(window)
    journey.wait(lambda: not window.lessons.reckoner.busy)
    box, trace, question = window.lessons.question, window.session.frame.trace, step.question
    assert question is not None and box.isVisible()
    look = window.session.state.look
    where = Where(look.attention_tap("weights").rpartition(".")[0], look.head, look.side)
    asked = ask(question.kind, trace, where, seed=0) if question.kind else None
    if box.choices:
        right = question.choices[question.right].zh if asked is None else asked.choices[asked.right]
        click(next(button for button in box.choices if button.text() == right))
    else:
        sizes = {"d_model": trace.card.d_model, "n_layers": trace.card.sides[0].n_layers}
        numbers = {"n_source": len(trace.tokens.source), **sizes}
        box.edit.setText(str(numbers[question.answer] if asked is None else int(asked.answer)))
        click(box.check)
        journey.wait(lambda: not window.lessons.reckoner.busy)
    assert "✓" in box.verdict.text()


def test_the_tour_is_offered_once_taken_and_resumed(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first start, on one's own sentence: twelve stops, a question each, and all of them on one card."""

    def first(window: Window) -> None:
        journey.settle(window)
        assert window.invitation.isVisible()
        window.go("attention")
        journey.settle(window)
        assert not window.invitation.isVisible()  # It invites on the first page only.
        window.go("overview")
        journey.settle(window)
        assert window.invitation.isVisible()
        click(window.invitation.begin)
        journey.wait(lambda: window.lessons.lesson is not None)
        assert not window.invitation.isVisible() and window.lessons.isVisible()
        lesson = window.lessons.lesson
        assert lesson is not None and len(lesson.steps) == len(PAGES)
        own = "小猫追老鼠。"
        window.session.ask(SetText(own))
        for place in range(6):
            assert window.session.state.page == PAGES[place]
            assert window.session.state.wish.text == own
            solve(journey, window, lesson.steps[place])
            click(window.lessons.next)
        journey.wait(lambda: load_ticks().of("tour").place == 6)

    def second(window: Window) -> None:
        journey.settle(window)
        assert not window.invitation.isVisible()
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        lesson = window.lessons.lesson
        assert lesson is not None and window.lessons.counter.text() == "第 7 步，共 13 步"
        for place in range(6, 12):
            assert window.session.state.page == PAGES[place]
            solve(journey, window, lesson.steps[place])
            click(window.lessons.next)
        assert window.lessons.next.text() == "完成"  # Nobody falls from the first steps into a tutorial's bug.
        window.lessons.back.click()
        assert window.lessons.list.tree.topLevelItem(0).child(0).text(0).startswith("✓ ")
        journey.wait(lambda: len(load_ticks().of("tour").done) == len(PAGES))

    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    journey.run_as_left(first)
    journey.run_as_left(second)


def test_a_wrong_choice_gets_a_hint_before_the_answer(journey: Journey) -> None:
    """Told by sign and colour; the picked choice keeps its sign."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        journey.settle(window)
        box = window.lessons.question
        click(window.lessons.next)
        click(window.lessons.next)
        journey.settle(window)
        wrong = [button for button in box.choices if "哪个词在前" not in button.text()]
        click(wrong[0])
        assert "一视同仁" in box.verdict.text() and "哪个词在前" not in box.verdict.text()
        assert wrong[0].text().startswith("×") and box.verdict.objectName() == "warning"
        click(wrong[1])
        assert "哪个词在前" in box.verdict.text()
        assert not window.lessons.list.ticks.of("tour").done

    journey.run(script)


def test_ones_own_sentence_and_model_come_back(journey: Journey) -> None:
    """A lesson of another preset is left: preset, knobs and page are those of before, and a sentence typed since stays."""

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state
        window.step_opener.open("a1")
        journey.wait(lambda: window.lessons.lesson is not None)
        journey.settle(window)
        assert window.session.state.wish.config != before.wish.config
        window.lessons.back.click()
        assert window.session.state == before
        window.step_opener.open("a1")
        journey.wait(lambda: window.lessons.lesson is not None)
        window.sentences.source_edit.setFocus()
        QTest.keyClicks(window.sentences.source_edit, "ok")
        journey.settle(window)
        typed = window.session.state.wish.text
        assert "ok" in typed
        window.lessons.back.click()
        assert window.session.state.wish.config == before.wish.config
        assert window.session.state.wish.text == typed

    journey.run(script)


def test_an_example_comes_into_the_box_with_its_note(journey: Journey) -> None:
    """From the menu beside the box; other models are offered none."""

    def script(window: Window) -> None:
        journey.settle(window)
        examples = window.sentences.examples
        assert examples.isVisible()
        action = examples.examples.actions()[3]
        assert "跑得比我快" in action.text()
        action.trigger()
        journey.settle(window)
        assert window.sentences.source_edit.text() == "他跑得比我快。"
        assert "先生成“快”" in window.status.message.text()
        assert window.session.frame.trace.target.startswith("He runs")
        window.session.undo()
        journey.settle(window)
        assert window.sentences.source_edit.text() != "他跑得比我快。"
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert not examples.isVisible()

    journey.run(script, "--preset", "translator")


def test_a_question_about_a_sentence_goes_with_it(journey: Journey) -> None:
    """With another sentence its rows are others: the question is asked anew, and an old verdict is no verdict on it."""

    def act(window: Window) -> None:
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        for _ in range(9):
            click(window.lessons.next)
        assert window.lessons.lesson is not None
        solve(journey, window, window.lessons.lesson.steps[9])
        box = window.lessons.question
        asked = box.text.text()
        assert "。" in box.verdict.text()
        window.session.ask(SetText("你好。"))  # Its translation has fewer rows than the one asked about.
        journey.settle(window)
        journey.wait(lambda: box.text.text() != asked and not window.lessons.reckoner.busy)
        assert not box.verdict.isVisible()
        solve(journey, window, window.lessons.lesson.steps[9])

    journey.run(act)


def test_a_step_that_is_come_back_to_builds_on_those_before_it(journey: Journey) -> None:
    """The second step of c5 sets up a temperature alone; left and opened again, it is still the tiny model's."""
    found = []

    def act(window: Window) -> None:
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        window.lessons.open("c5")
        click(window.lessons.next)
        for _ in range(2):
            journey.settle(window)
            wish = window.session.state.wish
            found.append((window.lessons.place, wish.preset, wish.text, wish.config))
            window.lessons.leave()
            journey.settle(window)
            window.lessons.open("c5")
        journey.settle(window)
        click(window.lessons.previous)
        journey.settle(window)
        assert window.session.state.wish.config.position == "none"

    journey.run(act)
    assert found[0] == found[1]


@pytest.mark.parametrize("size", sweep([(1440, 881), (1024, 681)], telling=[(1024, 681)]))
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_stop_is_seen_whole(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, language: str, size: tuple[int, int]
) -> None:
    """Why, what the sentence shows, question and answers without scrolling, also below a desktop's title bar; the knobs are
    folded and come back afterwards."""

    def act(window: Window) -> None:
        window.resize(*size)
        journey.settle(window, 60_000)
        was_open = window.drawer.is_open
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        assert not window.invitation.isVisible()  # It has been followed, by whatever way.
        bar = window.lessons.findChild(QScrollArea).verticalScrollBar()
        facts = window.lessons.parts.facts
        for place, page in enumerate(PAGES):
            journey.settle(window)
            journey.wait(lambda: facts.isHidden() or "<b>" in facts.text())
            journey.settle(window)  # What was just written has its height.
            assert window.session.state.page == page and not window.drawer.is_open
            journey.wait(lambda: not bar.maximum())
            if place < len(PAGES) - 1:
                click(window.lessons.next)
        window.lessons.back.click()
        assert window.drawer.is_open == was_open

    monkeypatch.setenv("LC_ALL", {"zh": "zh_CN.UTF-8", "en": "en_US.UTF-8"}[language])
    journey.run_as_left(act)


def test_a_sentence_that_cannot_be_read_is_answered_with_an_offer(journey: Journey) -> None:
    """The model reads Chinese; the offer puts the preset's own sentence in place, and the facts are then about that."""

    def act(window: Window) -> None:
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        parts = window.lessons.parts
        journey.settle(window)
        assert not parts.offer.isVisible()
        window.session.ask(SetText("Hello there."))
        journey.settle(window)
        journey.wait(parts.offer.isVisible)
        assert "Hello there." in parts.unread.text()
        click(parts.offer)
        journey.settle(window)
        own = load_preset("translator").text
        assert window.session.state.wish.text == own and not parts.offer.isVisible()
        journey.wait(lambda: f"<b>{len(window.session.frame.trace.tokens.source)}</b>" in parts.facts.text())

    journey.run(act)


def test_a_verdict_is_scrolled_into_view(journey: Journey) -> None:
    """In a small window it stands below the fold until it is told."""

    def act(window: Window) -> None:
        window.resize(1024, 640)
        journey.settle(window)
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        lessons = window.lessons
        for _ in range(6):
            click(lessons.next)
        journey.settle(window)
        journey.wait(lambda: "<b>" in lessons.parts.facts.text())
        lessons.question.choices[0].click()
        verdict, area = lessons.question.verdict, lessons.findChild(QScrollArea)
        journey.wait(lambda: area.viewport().rect().contains(verdict.mapTo(area.viewport(), verdict.rect().bottomRight())))

    journey.run(act)


def test_the_last_card_leads_on(journey: Journey) -> None:
    """To an experiment, to the lessons and to a chapter of the manual."""

    def act(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["tour"].trigger()
        journey.wait(lambda: window.lessons.lesson is not None)
        for _ in range(len(PAGES) - 1):
            click(window.lessons.next)
        journey.settle(window)
        experiment, lessons, _training = window.lessons.parts.links
        click(experiment)
        assert window.session.state.page == "effects"
        click(lessons)
        journey.wait(lambda: window.lessons.lesson is not None and window.lessons.lesson.key == "a1")

    journey.run(act)
