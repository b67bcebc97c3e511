"""Toy tasks: a short text and what is to be written for it, drawn at random from a seed. A small model learns each in minutes.

Every character is a token. For a model with both sides, the text is the source and the answer the target. Any other model reads
both in one row with `SEPARATOR` between them.
"""

import random
import re
from collections.abc import Callable
from typing import Final

import attrs

from explorer.config import Config
from explorer.errors import TooFewExamples, UnknownTask
from explorer.tokens.bilingual import Pair
from explorer.tokens.vocabulary import MASK
from explorer.training.recipe import Recipe

SEPARATOR: Final = "="
OF_FILES = ("text", "pairs")
"""Tasks whose examples stand in a file: the next character of a text, and the targets of a table of pairs."""
VALID_EXAMPLES = 500  # drawn apart from those for training

_LETTERS, _DIGITS = "abcdefgh", "0123456789"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SHORTEST, _LONGEST = 3, 8
_GRAMMAR = (
    {"我": "I", "你": "you", "他": "he", "她": "she", "我们": "we"},
    {"看": "see", "有": "have", "要": "want", "爱": "love", "吃": "eat"},
    {"一": "one", "两": "two", "十": "ten"},
    {"": "", "大": "big", "小": "small", "红": "red", "旧": "old"},
    {"只猫": "cat", "条狗": "dog", "本书": "book", "辆车": "car", "顶帽": "hat", "支笔": "pen", "个蛋": "egg", "张床": "bed"},
    {"": "", "今天": "today", "现在": "now"},
)
"""The parts of the sentences of the task "translate", each with its English."""
_SENTENCE = re.compile("".join(f"({'|'.join(sorted(part, key=len, reverse=True))})" for part in _GRAMMAR))
_MOST_IN_VAIN = 1000  # draws in a row that give nothing new, after which a task has no more examples


@attrs.frozen
class Task:
    """One task: how a text is drawn, of which characters, its `answer`, and the `text` that a model of it opens with.

    `answer` gives None for a text that is none of the task's. In so many `epochs` it is learned.
    """

    name: str
    text: str
    alphabet: str
    draw: Callable[[random.Random], str]
    answer: Callable[[str], str | None]
    epochs: int = 16

    def examples(self, n_train: int, seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
        """So many different examples for training, and others for validation. The same seed draws the same.

        Raises TooFewExamples.
        """
        rng, wanted = random.Random(f"{self.name} {seed}"), n_train + VALID_EXAMPLES
        drawn: dict[str, Pair] = {}
        in_vain = 0
        while len(drawn) < wanted and in_vain < _MOST_IN_VAIN:
            text = self.draw(rng)
            in_vain = in_vain + 1 if text in drawn else 0
            answer = self.answer(text)
            assert answer is not None  # A task draws its own texts.
            drawn.setdefault(text, (text, answer))
        if len(drawn) < wanted:
            raise TooFewExamples(task=self.name, most=len(drawn) - VALID_EXAMPLES)
        pairs = tuple(drawn.values())
        return pairs[VALID_EXAMPLES:], pairs[:VALID_EXAMPLES]


def toy_config(**knobs: object) -> Config:
    """A model that is large enough for every task: by default 2 + 2 layers of 4 heads. Raises a BadKnob."""
    return Config(n_layers=2, n_heads=4, d_model=64, d_ff=128, max_len=32, tokenizer="characters", dropout=0.0).changed(**knobs)


def toy_recipe(task: str = "", **numbers: object) -> Recipe:
    """A recipe with which this task is learned; of a file all examples are read. Raises a BadKnob."""
    return Recipe(
        epochs=TASKS[task].epochs if task in TASKS else 16,
        batch_tokens=1000,
        examples=0 if task in OF_FILES else 8000,
        learning_rate=5e-3,
        warmup_steps=100,
        label_smoothing=0.0,
        agreement=0.0,
        split_words=0.0,
        drop_stop=0.0,
        average=1,
        patience=1000,
    ).changed(**numbers)


def _row(rng: random.Random, alphabet: str) -> str:
    return "".join(rng.choices(alphabet, k=rng.randint(_SHORTEST, _LONGEST)))


def _letters(rng: random.Random) -> str:
    return _row(rng, _LETTERS)


def _digits(rng: random.Random) -> str:
    return _row(rng, _DIGITS)


def _sum(rng: random.Random) -> str:
    a, b = rng.randrange(100), rng.randrange(100)
    return f"{a:02}+{b:02}"


def _open_brackets(rng: random.Random) -> str:
    """Brackets of which at least one is still open."""
    while True:
        still_open: list[str] = []
        row = ""
        for _ in range(rng.randint(_SHORTEST, _LONGEST)):
            if still_open and rng.random() < 0.5:
                row += _BRACKETS[still_open.pop()]
            else:
                still_open.append(rng.choice(tuple(_BRACKETS)))
                row += still_open[-1]
        if still_open:
            return row


def _small_sentence(rng: random.Random) -> str:
    """A Chinese sentence of a subject, a verb, a number, perhaps an adjective, a noun, and perhaps a time."""
    return "".join(rng.choice(tuple(part)) for part in _GRAMMAR)


def _translated(text: str) -> str | None:
    """The English of such a sentence."""
    found = _SENTENCE.fullmatch(text)
    if found is None:
        return None
    subject, verb, number, adjective, noun, when = (part[each] for part, each in zip(_GRAMMAR, found.groups(), strict=True))
    if subject in ("he", "she"):
        verb = "has" if verb == "have" else f"{verb}s"
    plural = "" if number == "one" else "s"
    return " ".join(filter(None, (subject, verb, number, adjective, noun + plural, when)))


def _copied(text: str) -> str | None:
    return text if set(text) <= set(_LETTERS) else None


def _reversed(text: str) -> str | None:
    return text[::-1] if set(text) <= set(_LETTERS) else None


def _sorted(text: str) -> str | None:
    return "".join(sorted(text)) if set(text) <= set(_DIGITS) else None


def _added(text: str) -> str | None:
    found = re.fullmatch(r"([0-9]{2})\+([0-9]{2})", text)
    return f"{int(found[1]) + int(found[2]):03}" if found else None


def _closed(text: str) -> str | None:
    """The brackets that close the open ones, the nearest first."""
    still_open: list[str] = []
    for mark in text:
        if mark in _BRACKETS:
            still_open.append(mark)
        elif not still_open or _BRACKETS[still_open.pop()] != mark:
            return None
    return "".join(_BRACKETS[each] for each in reversed(still_open)) or None


_SIGNS = "".join(sorted({sign for part in _GRAMMAR for word in part.items() for sign in "".join(word)} | set("has ")))

TASKS = {
    task.name: task
    for task in (
        Task("copy", "badge", _LETTERS, _letters, _copied),
        Task("reverse", "badge", _LETTERS, _letters, _reversed),
        Task("sort", "31524", _DIGITS, _digits, _sorted),
        Task("add", "27+45", f"+{_DIGITS}", _sum, _added),
        Task("brackets", "([{}", "()[]{}", _open_brackets, _closed, epochs=30),
        Task("translate", "她有两本红书", _SIGNS, _small_sentence, _translated, epochs=8),
    )
}
"""The tasks by name, the easiest first."""


def question(text: str, architecture: str, right: str | None) -> str:
    """What a model that reads one row is given to answer a text: all up to the separator, for an encoder with mask tokens.

    The text may have its answer behind the separator already; `right` is the right answer, None where nobody knows it.
    """
    asked, separator, written = text.partition(SEPARATOR)
    if architecture == "encoder-only":
        return f"{asked}{SEPARATOR}{MASK * len(written if right is None else right)}"
    return asked + SEPARATOR if separator or right is not None else text


def answer_of(text: str, task: str) -> str | None:
    """The right answer of a task to a text, which may have one behind the separator; None where nobody knows it."""
    return TASKS[task].answer(text.partition(SEPARATOR)[0]) if task in TASKS else None


def task_named(name: str) -> Task:
    """The task of this name. Raises UnknownTask."""
    if name not in TASKS:
        raise UnknownTask(name=name, known=", ".join((*TASKS, *OF_FILES)))
    return TASKS[name]
