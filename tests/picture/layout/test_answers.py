"""Answers in rows: equal ones in succession are one row."""

from explorer.picture.layout.answers import run_of, steps_told, tell_answer
from tests.picture.examples import words
from tests.picture.trainings import ANSWERS


def test_equal_answers_in_succession_are_one_row() -> None:
    """With the first and the last step of it."""
    assert ANSWERS.runs == ((0, 0), (1, 2), (3, 3))
    assert [steps_told(ANSWERS, row) for row in range(3)] == ["0", "1–10", "100"]
    assert [run_of(ANSWERS, step) for step in (0, 1, 10, 100, 5, None)] == [0, 1, 1, 2, None, None]


def test_a_row_tells_its_answer_and_whether_it_is_right() -> None:
    """Where nobody knows the right one, only the answer."""
    assert [tell_answer(ANSWERS, row, words("en")) for row in range(3)] == [
        "Step 0: (empty) · wrong",
        "Step 1–10: 我<&> · right",
        "Step 100: 你",
    ]
