"""Questions made of a pass: their answers against the recorded tensors, and what counts as right."""

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lessons import check
from explorer.lessons.check import LONGEST_ANSWER, is_right, numbers
from explorer.lessons.questions import KINDS, Where, ask
from explorer.state.state import State
from explorer.trace.trace import Trace
from tests.picture.examples import example

HERE = Where("encoder.layers.0.self_attn", 1, "encoder")


@pytest.fixture(scope="module")
def computer() -> Computer:
    return Computer()


def pass_(**knobs: object) -> Trace:
    return example(**knobs)  # type: ignore[arg-type]


TO_CHOOSE = ("looks", "likeliest", "open_keys")
"""Kinds for beginners, which tokens and counts answer."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in TO_CHOOSE])
@pytest.mark.parametrize("seed", range(5))
def test_an_answer_is_what_the_model_computed(kind: str, seed: int) -> None:
    """The cell that the sentence names, as recorded."""
    trace = pass_(d_model=16, n_heads=4)
    asked = ask(kind, trace, HERE, seed)
    assert asked is not None
    v = {
        name: int(value)
        for name, value in asked.values.items()
        if name in ("pos", "feature", "query", "key") and isinstance(value, float)
    }
    base = HERE.attention
    recorded = {
        "position": lambda: trace["encoder.embedding.positions"][v["pos"], v["feature"]],
        "sum": lambda: trace["encoder.embedding.output"][v["pos"], v["feature"]],
        "score": lambda: trace[f"{base}.scores"][1, v["query"], v["key"]],
        "scaled": lambda: trace[f"{base}.scaled"][1, v["query"], v["key"]],
        "weight": lambda: trace[f"{base}.weights"][1, v["query"], v["key"]],
        "mixed": lambda: trace[f"{base}.mixed"][1, v["query"], v["feature"]],
    }[kind]()

    assert asked.answer == pytest.approx(float(recorded), abs=1e-5)
    assert ask(kind, trace, HERE, seed) == asked


@pytest.mark.parametrize("seed", range(5))
def test_the_token_that_is_looked_at_most_is_the_right_choice(computer: Computer, seed: int) -> None:
    """In the named row of the recorded weights; rows across are named by the word that they write."""
    trace = computer(Request(wish=State.from_preset("translator", "昨天晚上我和朋友在图书馆里看书。").wish)).trace
    for attention, head in (("encoder.layers.1.self_attn", 6), ("decoder.layers.1.cross_attn", 5)):
        asked = ask("looks", trace, Where(attention, head, "source"), seed)
        assert asked is not None
        row = int(asked.values["place"]) - 1  # type: ignore[arg-type]  # It is a number.
        best = max(range(len(trace.tokens.source)), key=lambda key: trace[f"{attention}.weights"][head, row, key])
        assert asked.choices[asked.right] == trace.tokens.source[best].text
        assert len(set(asked.choices)) == len(asked.choices) > 1
        written = [*trace.tokens.target[1:], None]
        named = trace.tokens.source[row] if attention.startswith("encoder") else written[row]
        assert named is None or asked.values["token"] == named.text


@pytest.mark.parametrize("seed", range(5))
def test_the_likeliest_word_is_the_right_choice(computer: Computer, seed: int) -> None:
    """Greedy decoding has written it: it is the next token of the translation."""
    trace = computer(Request(wish=State.from_preset("translator", "她给了我一本书。").wish)).trace
    asked = ask("likeliest", trace, HERE, seed)
    assert asked is not None
    row = int(asked.values["place"]) - 1  # type: ignore[arg-type]  # It is a number.
    assert asked.values["token"] == trace.tokens.target[row].text
    written = [*(token.text for token in trace.tokens.target[1:]), "<eos>"]
    assert asked.choices[asked.right] == written[row]


@pytest.mark.parametrize("seed", range(5))
def test_a_causal_row_may_look_at_itself_and_those_before(seed: int) -> None:
    """Row n is open n times; an encoder's row as often as there are tokens."""
    trace = pass_()
    asked = ask("open_keys", trace, Where("decoder.layers.0.self_attn", 0, "decoder"), seed)
    assert asked is not None and asked.answer == asked.values["place"]
    whole = ask("open_keys", trace, HERE, seed)
    assert whole is not None and whole.answer == len(trace.tokens.source)


def test_nothing_is_asked_that_cannot_be_seen() -> None:
    """Rows whose weights are all alike have no largest one, and a pass without words has no next one."""
    flat = pass_()
    tap = "encoder.layers.0.self_attn.weights"
    alike = attrs.evolve(flat, arrays={**flat.arrays, tap: np.full_like(flat[tap], 1 / flat[tap].shape[-1])})
    assert ask("looks", alike, HERE, 0) is None


def test_there_may_be_nothing_to_ask() -> None:
    """Learned positions follow no formula, and long vectors are nobody's exercise."""
    assert ask("position", pass_(position="learned"), HERE, 0) is None
    assert ask("score", pass_(d_model=64, n_heads=4), HERE, 0) is None
    closed = pass_(masking="zeros", mask_value="-1e9")
    assert ask("weight", closed, HERE, 0) is None
    assert ask("mixed", pass_(masking="zeros"), HERE, 0) is None


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("0.5403", True),
        ("0.54", True),
        (".54", True),
        ("０．５４", True),
        ("0.6", False),
        ("", False),
        ("0.54 0.54", False),
        ("−0.54", False),
        ("cos 1", False),
    ],
)
def test_an_answer_is_right_to_its_tolerance(typed: str, right: bool) -> None:
    """However it is typed; words are no numbers, though digits in them are."""
    assert is_right(typed, np.array(0.5403), 0.01) is right


def test_several_numbers_are_compared_in_order() -> None:
    """Whatever stands between them."""
    assert numbers("[1, −2.5; 3e2]") == [1, -2.5, 300]
    assert is_right("12 14", np.array([12.0, 14.0]), 0.01)
    assert not is_right("14, 12", np.array([12.0, 14.0]), 0.01)
    assert numbers("1/8, 12,345 and 1/0") == [0.125, 12345, 1, 0]
    assert is_right("200.9", np.array(200.0), 0.01)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("1/1e5", [1e-5]),
        ("1/1e-999", [1, 0]),
        ("1e999", [np.inf]),
        ("1e308/1e-308", [1e308, 1e-308]),
        ("1e999/1", [np.inf, 1]),
        (".5/2", [0.25]),
        ("-1/8", [-0.125]),
        ("1 / 8", [0.125]),
        ("1e", [1]),
        ("/8", [8]),
        ("1/8/2", [0.125, 2]),
        ("٣", [3]),
    ],
)
def test_fractions_and_powers_are_read_together(typed: str, found: list[float]) -> None:
    """And what is too large, or divided by nothing, raises nothing."""
    assert numbers(typed) == found
    for truth in (0.0, np.inf, -np.inf, np.nan, 1e308):
        assert is_right(typed, np.full(len(found), truth), 0.01) in (True, False)


def test_an_answer_has_a_longest() -> None:
    """Of 64 characters; longer ones are no answer, whatever stands in them."""
    assert numbers("1" * LONGEST_ANSWER) == [float("1" * 64)]
    assert numbers("1" * (LONGEST_ANSWER + 1)) == []


@pytest.mark.parametrize(
    "text",
    [
        "1" * 200_000,
        "1 " * 100_000,
        "1," * 100_000,
        "1." * 100_000,
        "1" + " " * 200_000,
        "1/" * 100_000,
        "1e" * 100_000,
        "," * 200_000,
        "1" * 100_000 + "/" + "1" * 100_000,
    ],
)
def test_no_text_is_looked_at_again_and_again(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of 200,000 characters would take minutes if the time grew with the square of its length."""
    assert check.numbers(text) == []  # It is longer than any answer.
    monkeypatch.setattr(check, "LONGEST_ANSWER", len(text))
    assert len(check.numbers(text)) <= len(text)


def test_a_question_is_a_value() -> None:
    """Frozen, so that what was asked is what is checked."""
    asked = ask("sum", pass_(), HERE, 0)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        asked.answer = 1.0  # type: ignore[misc]
