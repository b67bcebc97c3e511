"""Ten questions, asked before and after the tour to measure teaching. They are data: `assets/manual/teaching.toml`."""

import tomllib

import attrs

from explorer.lessons.lesson import Text
from explorer.resources import asset_text


@attrs.frozen
class TeachingQuestion:
    """A multiple-choice question: the right choice (from 0), and the stop of the tour that shows it (from 1)."""

    asked: Text
    choices: tuple[Text, ...]
    right: int
    stop: int


def teaching_questions() -> tuple[TeachingQuestion, ...]:
    """All questions, in the order in which they are asked. Raises MissingAsset."""
    rows = tomllib.loads(asset_text("manual/teaching.toml"))["question"]
    return tuple(
        TeachingQuestion(
            Text(row["zh"], row["en"]),
            tuple(Text(zh, en) for zh, en in zip(row["choices_zh"], row["choices_en"], strict=True)),
            row["right"],
            row["stop"],
        )
        for row in rows
    )
