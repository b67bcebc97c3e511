"""The questions with which teaching is measured: complete in both languages, and each about a stop of the tour."""

import pytest

from explorer.lessons.read import read_lesson
from explorer.lessons.teaching import teaching_questions
from explorer.resources import asset


def test_there_are_ten_questions_of_four_choices_in_both_languages() -> None:
    """No question twice, no choice twice in a question, and one of them right."""
    questions = teaching_questions()
    assert len(questions) == len({question.asked for question in questions}) == 10
    for question in questions:
        assert question.asked.zh and question.asked.en
        for language in ("zh", "en"):
            choices = [getattr(choice, language) for choice in question.choices]
            assert all(choices) and len(choices) == len(set(choices)) == 4
        assert 0 <= question.right < 4


def test_who_always_takes_the_same_place_does_not_pass() -> None:
    """No place of a choice is right more than three times, so that 3 of 10 is the most that ticking one place brings."""
    rights = [question.right for question in teaching_questions()]
    assert max(rights.count(place) for place in range(4)) == 3


@pytest.mark.parametrize("language", ["zh", "en"])
def test_who_always_takes_the_longest_choice_does_not_pass(language: str) -> None:
    """Nor who takes the shortest: neither is right more than three times."""
    for extreme in (max, min):
        n_right = 0
        for question in teaching_questions():
            lengths = [len(getattr(choice, language)) for choice in question.choices]
            n_right += lengths[question.right] == extreme(lengths)
        assert n_right <= 3


def test_each_question_is_about_a_stop_of_the_tour() -> None:
    """The stops go from 1 to the number of steps of the tour, in the order of the questions."""
    stops = [question.stop for question in teaching_questions()]
    n_stops = len(read_lesson(asset("lessons/tour.toml")).steps)
    assert stops == sorted(stops)
    assert set(stops) <= set(range(1, n_stops + 1))
