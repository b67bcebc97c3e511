"""A lesson is part of what is set up: it is saved, restored, undone and sent along with everything else."""

from pathlib import Path

import attrs

from explorer.app.session.remembered import remembered_path
from explorer.app.shell.window import Window
from explorer.state.intents import SetText
from explorer.state.saved import Saved, read_saved
from explorer.state.state import LessonPlace, State
from explorer.state.state_link import OpenLink, link_of
from tests.journeys.conftest import Journey
from tests.journeys.test_lessons import open_panel

OWN = 'group = "mine"\n[title]\nzh = "一"\nen = "one"\n' + '[[step]]\nzh = "二"\nen = "two"\n' * 3


def go_to_the_second_step(journey: Journey, window: Window, key: str) -> None:
    open_panel(journey, window)
    window.lessons.open(key)
    journey.settle(window)
    window.lessons.next.click()
    journey.settle(window)
    assert window.lessons.place == 1


def test_a_lesson_comes_back_at_its_step_and_gives_back_what_was_there_before_it(journey: Journey) -> None:
    """At the next start, also after a kill, since it is written with every change; what the reader changed stays changed."""

    def first(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("我自己的一句"))
        journey.settle(window)
        go_to_the_second_step(journey, window, "a1")
        assert window.session.state.wish.config.position == "sinusoidal-doubled"
        window.session.ask(SetText("读者改的一句"))
        journey.settle(window)

    def second(window: Window) -> None:
        panel = window.lessons
        journey.wait(lambda: panel.step is not None)
        journey.settle(window)
        assert panel.isVisible() and window.actions_.by_name["lessons"].isChecked()
        assert panel.lesson is not None and (panel.lesson.key, panel.place) == ("a1", 1)
        assert window.knobs.rows["position"].property("meant") is True  # What the step speaks of is outlined.
        assert window.session.state.lesson == LessonPlace(key="a1", step=1)
        assert window.session.state.wish.config.position == "sinusoidal-doubled"
        panel.back.click()
        journey.settle(window)
        assert window.session.state.wish.config.position == "sinusoidal"
        assert window.session.state.wish.text == "读者改的一句"
        assert window.session.state.lesson is None

    def third(window: Window) -> None:
        journey.settle(window)
        assert window.lessons.step is None and not window.lessons.isVisible()

    journey.run(first)
    assert read_saved(remembered_path()).own is not None
    journey.run_as_left(second)
    journey.run_as_left(third)


def test_a_lesson_is_saved_in_a_session_and_sent_with_a_link(journey: Journey, tmp_path: Path) -> None:
    """A file of a lesson that stands in no list is read again; a session without a lesson closes the one that is open."""
    own, path = tmp_path / "mine1.toml", tmp_path / "a.explorer.toml"
    own.write_text(OWN, encoding="utf-8")
    plain = State.from_preset("tiny", "没有课程")

    def first(window: Window) -> None:
        journey.settle(window)
        window.step_opener.add(str(own))
        journey.wait(lambda: window.lessons.step is not None)
        go_to_the_second_step(journey, window, "mine1")
        window.sessions.file.save(path)
        journey.wait(lambda: window.sessions.file.path == path)
        assert State.load(path).lesson == LessonPlace(key="mine1", step=1, file=str(own))
        window.lessons.next.click()
        assert window.isWindowModified()

    def second(window: Window) -> None:
        panel = window.lessons
        journey.wait(lambda: panel.step is not None)
        assert panel.lesson is not None and (panel.lesson.key, panel.place) == ("mine1", 1)
        assert not window.isWindowModified()
        window.session.ask(OpenLink(link_of(plain)))
        assert panel.step is None and window.session.state.wish.text == "没有课程"
        window.session.ask(OpenLink(link_of(attrs.evolve(plain, lesson=LessonPlace(key="c2")))))
        journey.settle(window)
        assert panel.lesson is not None and (panel.lesson.key, panel.place) == ("c2", 0)
        assert window.session.state.wish.text == "没有课程"  # What was sent is set up, not the step anew.

    journey.run(first)
    journey.run_as_left(second, "gui", "--session", str(path))


def test_undo_goes_through_the_steps_of_a_lesson(journey: Journey) -> None:
    """Back to the step before, to the list, and forth again; leaving it then gives the same back."""

    def script(window: Window) -> None:
        journey.settle(window)
        before, panel = window.session.state, window.lessons
        open_panel(journey, window)
        panel.open("tour")
        journey.settle(window)
        n_steps = 0
        while window.actions_.by_name["undo"].isEnabled() and n_steps < 3:
            n_steps += 1
            panel.next.click()
            journey.settle(window)
        place = panel.place
        while window.actions_.by_name["undo"].isEnabled():
            window.actions_.by_name["undo"].trigger()
            journey.settle(window)
            lesson = window.session.state.lesson
            assert (panel.lesson is None) == (lesson is None) and (lesson is None or lesson.step == panel.place)
        assert window.session.state.wish == before.wish
        while window.actions_.by_name["redo"].isEnabled():
            window.actions_.by_name["redo"].trigger()
            journey.settle(window)
        assert panel.lesson is not None and panel.place <= place
        panel.back.click()
        journey.settle(window)
        assert window.session.state.wish == before.wish and window.session.state.lesson is None

    journey.run(script)


def test_a_lesson_that_is_gone_is_told_and_all_else_is_there(journey: Journey, tmp_path: Path) -> None:
    """One that this version does not have, and one whose file is gone. The first answer does not take the message away."""
    path, state = tmp_path / "a.explorer.toml", State.from_preset("tiny", "其余都在")

    def gone(window: Window) -> None:
        journey.wait(lambda: "没有名为 no9 的课程" in window.refusals.text.text())
        assert window.session.state.wish.text == "其余都在" and window.session.state.lesson is None
        journey.settle(window)
        assert "没有名为 no9 的课程" in window.refusals.text.text()
        window.sessions.open(str(path))
        journey.wait(lambda: "lost.toml" in window.refusals.text.text())
        assert window.session.state.wish.text == "其余都在" and window.session.state.lesson is None

    lost = attrs.evolve(state, lesson=LessonPlace(key="lost", file=str(tmp_path / "lost.toml")))
    lost.save(path)
    Saved(state=attrs.evolve(state, lesson=LessonPlace(key="no9", step=4))).keep(remembered_path())
    journey.run_as_left(gone, "gui", "--language", "zh")
