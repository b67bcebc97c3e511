"""Right and wrong, known and unknown: each use of their two colours has a sign, a word or a line besides the colour."""

import re
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.lessons.check import Finding
from explorer.lessons.lesson import Claim, Text
from explorer.picture.cut_kinds import CutRows
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Picture, TokenRow
from explorer.picture.makers.lesson import claims_html
from explorer.picture.theme import LIGHT
from tests.golden.test_figures import PICTURES
from tests.picture.examples import by_hand, follow_of, words
from tests.picture.trainings import ANSWERS

EN = words("en")
USES = re.compile(r"""theme\.(?:right|warning)\b|setObjectName\((?:"right"|"warning")""")
IN_WORDS = {  # what is written in the colour there is a sentence that says so
    *(f"app/{each}.py" for each in ("lessons/lesson_list", "lessons/stop_parts", "pages/break_finder", "pages/training_form")),
    *(f"app/shell/{each}.py" for each in ("files_window", "notices", "shortcuts", "side", "status")),
    *(f"picture/layout/{each}.py" for each in ("account", "step_curves")),
}
WITH_A_SIGN = {  # shown below; of questions, by tests/views/controls/test_question.py
    *(f"picture/layout/{each}.py" for each in ("answers", "cut_rows", "follow_sheet", "token_row")),
    "picture/makers/lesson.py",
    "views/controls/question.py",
}


def drawn(picture: Picture) -> str:
    return render(picture, EN, LIGHT)


def answers(right: bool) -> str:
    return drawn(attrs.evolve(ANSWERS, answers=("我",) * 4, right=(right,) * 4))


def chips(known: bool) -> str:
    row = PICTURES["tokens"]
    assert isinstance(row, TokenRow)
    return drawn(attrs.evolve(row, chips=tuple(attrs.evolve(chip, known=known) for chip in row.chips)))


def pieces(known: bool) -> str:
    picture = PICTURES["cut_rows"]
    assert isinstance(picture, CutRows)
    row = picture.rows[0]
    return drawn(
        attrs.evolve(picture, rows=(attrs.evolve(row, tokens=tuple(attrs.evolve(t, known=known) for t in row.tokens)),))
    )


def beats(right: bool) -> str:
    made = by_hand() if right else by_hand(weights=np.array([0.1, 0.2, 0.3, 0.4]))
    return drawn(follow_of(made))


def figures(right: bool) -> str:
    printed = np.array([1.0, 2.0])
    claim = Claim(Text("数", "number"), "1", printed, tolerance=0.5 if right else 0.0)
    return claims_html([Finding(claim, printed + 0.25, 0.25)], EN, LIGHT)


USED = {"answers": answers, "chips": chips, "pieces": pieces, "beats": beats, "figures": figures}


def colourless(drawing: str) -> str:
    """A drawing in which nothing has a colour."""
    return re.sub(r"#[0-9a-f]{6}", "", drawing)


@pytest.mark.parametrize("use", USED)
def test_right_and_wrong_differ_without_colours(use: str) -> None:
    """In figures of every kind that tells them apart."""
    shown: Callable[[bool], str] = USED[use]
    assert colourless(shown(True)) != colourless(shown(False))


def test_each_printed_figure_that_differs_is_underlined() -> None:
    """Not only the verdict below the table says so."""
    assert figures(False).count("underline") == 2 and "underline" not in figures(True)


def test_a_colour_alone_is_seen() -> None:
    """The check above would say so of a tick and a cross that are letters of two colours."""
    right, wrong = (f'<text fill="{colour}">我</text>' for colour in (LIGHT.right, LIGHT.warning))
    assert right != wrong and colourless(right) == colourless(wrong)


def test_every_use_is_known() -> None:
    """A new use of one of the two colours has to be added above, with what stands beside it."""
    room = Path(explorer.__file__).parent
    found = {path.relative_to(room).as_posix() for path in room.rglob("*.py") if USES.search(path.read_text(encoding="utf-8"))}
    assert found == IN_WORDS | WITH_A_SIGN
