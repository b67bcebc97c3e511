"""Toy tasks: a short text and what is to be written for it, drawn at random from a seed. A small model learns each in minutes.

Every character is a token. For a model with both sides, the text is the source and the answer the target. Any other model reads
both in one row with `SEPARATOR` between them.
"""

import random
from collections.abc import Callable
from typing import Final

import attrs

from explorer.config import Config
from explorer.errors import TooFewExamples, UnknownTask
from explorer.tokens.bilingual import Pair
from explorer.training.recipe import Recipe

SEPARATOR: Final = "="
VALID_EXAMPLES = 500  # drawn apart from those for training

_LETTERS, _DIGITS = "abcdefgh", "0123456789"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SHORTEST, _LONGEST = 3, 8
_MOST_IN_VAIN = 1000  # draws in a row that give nothing new, after which a task has no more examples


@attrs.frozen
class Task:
    """One task: how an example is drawn, of which characters, and the `text` that a model of it opens with."""

    name: str
    text: str
    alphabet: str
    draw: Callable[[random.Random], Pair]

    def examples(self, n_train: int, seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
        """So many different examples for training, and others for validation. The same seed draws the same.

        Raises TooFewExamples.
        """
        rng, wanted = random.Random(f"{self.name} {seed}"), n_train + VALID_EXAMPLES
        drawn: dict[str, Pair] = {}
        in_vain = 0
        while len(drawn) < wanted and in_vain < _MOST_IN_VAIN:
            pair = self.draw(rng)
            in_vain = in_vain + 1 if pair[0] in drawn else 0
            drawn.setdefault(pair[0], pair)
        if len(drawn) < wanted:
            raise TooFewExamples(task=self.name, most=len(drawn) - VALID_EXAMPLES)
        pairs = tuple(drawn.values())
        return pairs[VALID_EXAMPLES:], pairs[:VALID_EXAMPLES]


def toy_config(**knobs: object) -> Config:
    """A model that is large enough for every task: by default 2 + 2 layers of 4 heads. Raises a BadKnob."""
    return Config(n_layers=2, n_heads=4, d_model=64, d_ff=128, max_len=32, tokenizer="characters", dropout=0.0).changed(**knobs)


def toy_recipe(**numbers: object) -> Recipe:
    """A recipe with which every task is learned. Raises a BadKnob."""
    return Recipe(
        epochs=16,
        batch_tokens=1000,
        examples=8000,
        learning_rate=2e-3,
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


def _copy(rng: random.Random) -> Pair:
    row = _row(rng, _LETTERS)
    return row, row


def _reverse(rng: random.Random) -> Pair:
    row = _row(rng, _LETTERS)
    return row, row[::-1]


def _sort(rng: random.Random) -> Pair:
    row = _row(rng, _DIGITS)
    return row, "".join(sorted(row))


def _add(rng: random.Random) -> Pair:
    a, b = rng.randrange(100), rng.randrange(100)
    return f"{a:02}+{b:02}", f"{a + b:03}"


def _brackets(rng: random.Random) -> Pair:
    """Brackets of which at least one is still open; the answer closes the open ones, the nearest first."""
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
            return row, "".join(_BRACKETS[each] for each in reversed(still_open))


TASKS = {
    task.name: task
    for task in (
        Task("copy", "badge", _LETTERS, _copy),
        Task("reverse", "badge", _LETTERS, _reverse),
        Task("sort", "31524", _DIGITS, _sort),
        Task("add", "27+45", f"+{_DIGITS}", _add),
        Task("brackets", "([{}", "()[]{}", _brackets),
    )
}
"""The tasks by name, the easiest first."""


def task_named(name: str) -> Task:
    """The task of this name. Raises UnknownTask."""
    if name not in TASKS:
        raise UnknownTask(name=name, known=", ".join(TASKS))
    return TASKS[name]
