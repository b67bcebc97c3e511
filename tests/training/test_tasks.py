"""Toy tasks: what is drawn is right, different, and the same again."""

import itertools
import random
import re

import pytest

from explorer.errors import TooFewExamples, UnknownTask
from explorer.training.tasks import SEPARATOR, TASKS, VALID_EXAMPLES, task_named

PAIRS = {"()", "[]", "{}"}


def without_closed(row: str) -> str:
    """What is left of brackets when neighbours that belong together are crossed out until there are none."""
    while (shorter := re.sub(r"\(\)|\[\]|\{\}", "", row)) != row:
        row = shorter
    return row


ANSWERS = {
    "copy": lambda text, answer: list(text) == list(answer),
    "reverse": lambda text, answer: (
        all(text[-1 - place] == each for place, each in enumerate(answer)) and len(text) == len(answer)
    ),
    "sort": lambda text, answer: all(a <= b for a, b in itertools.pairwise(answer)) and sorted(text) == sorted(answer),
    "add": lambda text, answer: sum(map(int, text.split("+"))) == int(answer) and len(answer) == 3,
    "brackets": lambda text, answer: answer != "" and without_closed(text + answer) == "" and without_closed(text) != "",
}
"""By task whether an answer is right, judged in another way than it was made."""


@pytest.mark.parametrize("name", TASKS)
def test_every_answer_is_right(name: str) -> None:
    """Of many draws, whatever the seed; and the separator is in none of them."""
    task, rng = TASKS[name], random.Random(7)
    for _ in range(500):
        text = task.draw(rng)
        answer = task.answer(text) or ""
        assert ANSWERS[name](text, answer), (text, answer)
        assert SEPARATOR not in text + answer
        assert set(text + answer) <= set(task.alphabet)


def test_a_wrong_answer_would_be_found() -> None:
    """Each judge refuses an answer that another text has."""
    wrong = {
        "copy": ("abc", "abd"),
        "reverse": ("abc", "abc"),
        "sort": ("31", "31"),
        "add": ("27+45", "073"),
        "brackets": ("([", ")]"),
    }
    assert [name for name, pair in wrong.items() if ANSWERS[name](*pair)] == []


@pytest.mark.parametrize("name", TASKS)
def test_validation_examples_are_never_trained_on(name: str) -> None:
    """All texts differ, and the same seed draws the same again, another one others."""
    train, valid = TASKS[name].examples(2000, 3)
    texts = [text for text, _answer in (*train, *valid)]
    assert (len(train), len(valid), len(set(texts))) == (2000, VALID_EXAMPLES, 2000 + VALID_EXAMPLES)
    assert TASKS[name].examples(2000, 3) == (train, valid) != TASKS[name].examples(2000, 4)


def test_what_a_task_opens_with_is_one_of_its_texts() -> None:
    """The first sentence is spelled in the alphabet."""
    assert all(set(task.text) <= set(task.alphabet) for task in TASKS.values())


def test_more_examples_than_there_are_are_refused() -> None:
    """There are 10,000 sums of two numbers of two digits."""
    with pytest.raises(TooFewExamples, match=r"9\d{3}|9,\d{3}"):
        TASKS["add"].examples(20_000, 0)


def test_an_unknown_task_names_the_known_ones() -> None:
    """In one sentence."""
    with pytest.raises(UnknownTask, match="copy, reverse, sort, add, brackets"):
        task_named("nope")
