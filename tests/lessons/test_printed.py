"""Each number that a lesson gives as the tutorial's is in the tutorial's text, in its place and order.

The tutorials are not ours to ship. `printed.toml` keeps the numbers of the lines that lessons quote, and no words: for each
tutorial the line and all its numbers, for each claim its lines. Where the texts stand beside the checkout, the table is
held against them.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer.lessons.read import bundled_lessons

TABLE = tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))
TUTORIALS = Path(__file__).parents[3] / "shared" / "tutorials"
GROUPS = "ABCDE"  # the files of the folder in the order of their names

Numbers = Sequence[float]

_SIGN = r"(?<![)\]}])[-+]"  # behind a bracket, as behind a letter or a digit, it is an operator
_GROUPED = r"(?<![\d.,(\[{])\d{1,3}(?:,\d{3})+(?![\d,])"  # (2,512) in brackets is two numbers
_PLAIN = r"(?<![\d.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(
    rf"(?<![A-Za-z_\d])(?P<sign>{_SIGN})?(?P<root>√|\\sqrt\{{)?(?P<top>{_GROUPED}|{_PLAIN})"
    rf"(?:/(?P<below>{_PLAIN}))?(?P<percent>\\?%)?"
)


class Place(NamedTuple):
    """A claim of a lesson, counted from 1 as a reader counts: step and claim."""

    lesson: str
    step: int
    claim: int

    def __str__(self) -> str:
        return f"{self.lesson}.{self.step}.{self.claim}"


PRINTED: dict[Place, list[float]] = {
    Place(lesson.key, at, number): claim.printed.ravel().tolist()
    for lesson in bundled_lessons()[0]
    if lesson.group in GROUPS
    for at, step in enumerate(lesson.steps, 1)
    for number, claim in enumerate(step.claims, 1)
    if claim.printed is not None and not claim.expected
}
"""Every number or matrix that the lessons of the five tutorials give as printed, row after row."""


def numbers_of(line: str) -> list[float]:
    """The numbers of a line in their order. A digit that belongs to a name, as in W_1, is none; 1/8 is one number."""
    plain = unicodedata.normalize("NFKC", line).replace("\N{MINUS SIGN}", "-")
    return [_value(found) for found in _NUMBER.finditer(plain)]


def _value(found: re.Match[str]) -> float:
    value = float(found["top"].replace(",", ""))
    if found["root"]:
        value **= 0.5
    if found["below"] and float(found["below"]):
        value /= float(found["below"])
    return (-value if found["sign"] == "-" else value) / (100 if found["percent"] else 1)


def stands(cells: Numbers, lines: Sequence[Numbers]) -> bool:
    """Whether the lines hold the cells in their order: each line a run of them without a gap, the first line the first ones."""
    left = list(cells)
    for line in lines:
        left = left[max((n for n in range(len(left) + 1) if _has_run(line, left[:n])), default=0) :]
    return not left


def _has_run(line: Numbers, run: Numbers) -> bool:
    return any(list(line[at : at + len(run)]) == list(run) for at in range(len(line) - len(run) + 1))


def quoted(place: Place, table: Mapping[str, Mapping[str, object]] = TABLE) -> list[list[float]]:
    """The numbers of the lines where a claim stands; none where the table does not know it."""
    tutorial = table[place.lesson[0].upper()]
    return [tutorial[str(line)] for line in table["where"].get(str(place), [])]  # type: ignore[misc, attr-defined]


@pytest.mark.parametrize("place", PRINTED, ids=str)
def test_a_printed_number_is_in_the_tutorial(place: Place) -> None:
    """Cell by cell and in sequence, on the lines that the table names."""
    assert stands(PRINTED[place], quoted(place)), f"{place}: {PRINTED[place]} is not in {quoted(place)}"


def test_the_table_names_no_more_than_the_lessons_print() -> None:
    """Each place is that of a printed number, and each line is quoted by one."""
    where = TABLE["where"]

    assert set(where) == set(map(str, PRINTED))
    assert {(key[0].upper(), str(line)) for key, lines in where.items() for line in lines} == {
        (group, line) for group in GROUPS for line in TABLE.get(group, {})
    }


@pytest.mark.parametrize("group", GROUPS)
def test_the_table_is_that_of_the_texts(group: str) -> None:
    """The lines of the tutorial have just these numbers."""
    texts = sorted(TUTORIALS.glob("*.txt"))
    if len(texts) != len(GROUPS):
        pytest.skip("the tutorials are not shipped with the program")
    lines = texts[GROUPS.index(group)].read_text(encoding="utf-8").split("\n")

    assert {line: numbers_of(lines[int(line) - 1]) for line in TABLE.get(group, {})} == TABLE.get(group, {})


def test_a_number_that_is_not_in_the_text_is_found() -> None:
    """A changed cell, a sign, an exchange, a gap, a cell too many, a line of another tutorial, an unknown place."""
    row, line = PRINTED[Place("d4", 1, 2)], quoted(Place("d4", 1, 2))
    matrix, lines = PRINTED[Place("d1", 1, 1)], quoted(Place("d1", 1, 1))

    assert stands(row, line) and stands(matrix, lines)
    assert not stands([row[0], 2.1403, *row[2:]], line)
    assert not stands([*row[:2], -row[2], row[3]], line)
    assert not stands([row[1], row[0], *row[2:]], line)
    assert not stands(matrix, lines[:2]) and not stands(matrix, lines[::-1])
    assert not stands([*matrix, 9.0], lines)
    assert not stands([1.0, 3.0], [[1.0, 2.0, 3.0]])
    assert not stands([478_497_672.0], quoted(Place("a4", 1, 1)))
    assert not stands(row, quoted(Place("a7", 1, 1)))


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("[-1.3416, -0.4472, .4472]", [-1.3416, -0.4472, 0.4472]),
        ("0.2 - 0.4161 = \N{MINUS SIGN}0.2161", [0.2, 0.4161, -0.2161]),
        ("t\N{MINUS SIGN}1 and 3-1", [1, 3, 1]),
        ("eps=1e-6, -1e9, 5.", [1e-6, -1e9, 5]),
        ("位置２和位置6", [2, 6]),
        ("478,497,672 or (2,4,512), [4,512]", [478_497_672, 2, 4, 512, 4, 512]),
        ("W_1, x2, Conv1d", []),
        ("1/8, 0/4, 1/0", [0.125, 0, 1]),
        (r"√4, \sqrt{4}, 10%, 10\%", [2, 2, 0.1, 0.1]),
        (r"10000^(2/4) = 10000^{1/2} = 100", [10000, 0.5, 10000, 0.5, 100]),
        (r"\begin{bmatrix} 1 & -2 \\ 3.5 & 4 \end{bmatrix}", [1, -2, 3.5, 4]),
    ],
)
def test_numbers_are_read_as_they_are_written(line: str, numbers: list[float]) -> None:
    """Signs, powers of ten, fractions, roots, shares, wide digits and thousands."""
    assert numbers_of(line) == numbers
