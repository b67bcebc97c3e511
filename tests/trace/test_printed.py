"""What a terminal shows of a pass: nothing in it steers the terminal or turns the order of letters."""

import attrs
import pytest

from explorer.tokens.token import Token
from explorer.trace.printed import printed
from explorer.trace.trace import Trace
from tests.picture.examples import example

STEERS = "\u202e\u2066\x1b\x07\x7f\x85\u2028\ud800\ufeff"


@pytest.mark.parametrize("letter", STEERS)
def test_what_steers_is_escaped(letter: str) -> None:
    assert printed(f"a{letter}b\n") == f"a{letter!r}b\n".replace("'", "")


def test_all_other_letters_stay() -> None:
    """Chinese, emoji with their joiners, and blanks of any width."""
    text = "我 爱\u3000北京 👨‍👩‍👧 e\u0301 ﷺ '\"\\n"
    assert printed(text) == text


def test_no_text_of_others_steers_the_terminal_of_a_trace() -> None:
    """Texts, tokens, the model's name, tap names, and who recorded it."""
    made = example()
    name = f"tap{STEERS}"
    tokens = attrs.evolve(made.tokens, source=(Token(f"t{STEERS}", 1, 0, 1, known=True),))
    trace: Trace = attrs.evolve(
        made,
        tokens=tokens,
        source=STEERS,
        target=STEERS,
        recorded_by=f"by{STEERS}",
        card=attrs.evolve(made.card, name=f"name{STEERS}"),
        arrays={name: made["encoder.norm"]},
        axis_names={name: made.axis_names["encoder.norm"]},
    )
    said = repr(trace)
    assert all(letter not in said for letter in STEERS)
    assert r"t\u202e" in said and r"name\u202e" in said and r"by\u202e" in said and "\n" in said
