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


HAN = (
    {"我": "I", "你": "you", "他": "he", "她": "she", "看": "see", "有": "have", "要": "want", "爱": "love", "吃": "eat"}
    | {
        "一": "one",
        "两": "two",
        "十": "ten",
        "大": "big",
        "小": "small",
        "红": "red",
        "旧": "old",
        "今天": "today",
        "现在": "now",
    }
    | {"猫": "cat", "狗": "dog", "书": "book", "车": "car", "帽": "hat", "笔": "pen", "蛋": "egg", "床": "bed"}
)


def is_translated(text: str, answer: str) -> bool:
    """Whether the words of the answer are those of a dictionary, in the order of the text, with their endings."""
    words = [HAN[each] for each in re.findall("|".join(HAN), text.replace("我们", "们"))]
    words = (["we"] if "我们" in text else []) + words
    said = answer.split()
    third, many = said[0] in ("he", "she"), "one" not in said
    verb = {"have": "has"}.get(words[1], f"{words[1]}s") if third else words[1]
    noun = len(words) - 1 - (words[-1] in ("today", "now"))
    words[1], words[noun] = verb, words[noun] + "s" * many
    return words == said


ANSWERS = {
    "translate": is_translated,
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
        "translate": ("他爱两只猫", "he love two cats"),
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
