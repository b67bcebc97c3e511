"""The language of formulas: what it can, and that it can do no harm."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import BadFormula
from explorer.lessons.formula import evaluate, names
from explorer.lessons.known import PLAIN

GIVEN = {**PLAIN, "A": np.array([[1.0, 2.0], [3.0, 4.0]]), "v": np.array([1.0, -1.0])}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1 + 2 * 3", 7),
        ("2 ** 10 / 4", 256),
        ("-A[1]", [-3, -4]),
        ("A @ v", [-1, -1]),
        ("T(A)[0, 1]", 3),
        ("A[:, 1]", [2, 4]),
        ("A[-1][-1]", 4),
        ("[1, 2] + v", [2, 1]),
        ("sum(A, axis=0)", [4, 6]),
        ("7 // 2 + 7 % 2", 4),
        ("relu(v)", [1, 0]),
        ("softmax([0, 0])", [0.5, 0.5]),
        ("round(pi, 2)", 3.14),
        ("max(abs(v))", 1),
        ("argmin(A[1] * v)", 1),
        ("rows(A, [1, 0])", [[3, 4], [1, 2]]),
    ],
)
def test_it_reckons(formula: str, value: object) -> None:
    """Numbers, matrices, slices and the field's functions."""
    assert evaluate(formula, GIVEN) == pytest.approx(np.array(value, float))


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "1 +",
        "A.tofile('x')",
        "__import__('os')",
        "A.__class__",
        "(lambda: 1)()",
        "[x for x in A]",
        "B",
        "softmax",
        "A @ [1, 2, 3]",
        "A[5]",
        "open('x')",
        "1 if 1 else 2",
        "'a' + 'b'",
        "1 < 2",
        "f'{A}'",
        "A[0] = 1",
        "A()",
        "v" * 700,
        "layer_norm(3)",
        "zero_share('x')",
        "split_heads(3, 2)",
        "pe(0, 1e12)",
        "causal(1e6)",
        "rotation(1, 1e7)",
        "sqrt(v, out=A)",
        "sum(T([pe(0, 1e5)]) + [pe(0, 1e5)])",
        "rows(pe_table(1000, 1000), pe(0, 1e6))",
        "pe_table(1e9, 4)",
        "sum(nothing=1)",
        "(" * 300 + "1" + ")" * 300,
    ],
)
def test_all_else_is_refused(formula: str) -> None:
    """In one sentence, with the formula in it; nothing of Python's own is reached."""
    with pytest.raises(BadFormula):
        evaluate(formula, GIVEN)


@pytest.mark.parametrize(
    "formula",
    [
        "{**" * 25 + "A" + "}" * 25,
        "lambda:" * 80 + "1",
        "'\\d'",
        "1_000j",
        "b'x'",
        "...",
        "A[()][[]]",
        "1if 1else 2",
        "where",
        "[A, v]",
        "['1', '2']",
        "f(*A)",
        "sum(**A)",
        "sum(A, A, A)",
        "T",
        "-'x'",
        "'x'[0]",
        "'x' * 9",
    ],
)
@pytest.mark.filterwarnings("ignore")  # the parser warns of such texts before the walk refuses them
def test_what_only_python_has_is_refused(formula: str) -> None:
    """Whatever the parser makes of it."""
    with pytest.raises(BadFormula):
        evaluate(formula, GIVEN)


@pytest.mark.parametrize(
    "formula",
    [
        "max([])",
        "mean([])",
        "std([1], 1)",
        "std(1)",
        "mean(A[9:])",
        "best_pairs([[0 / 0, 1], [1, 1]], 1)",
        "norm([])",
        "1 / 0",
        "0 / 0 % 0",
        "nearest_distance([[]])",
        "rows(A, [0 / 0])",
        "round(inf, 400)",
    ],
)
def test_nothing_warns(formula: str) -> None:
    """What NumPy says on standard error elsewhere is an error or a NaN here; a warning would fail this test."""
    with contextlib.suppress(BadFormula):
        assert evaluate(formula, GIVEN).dtype == np.float64


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    """Nothing else ever comes out."""
    with contextlib.suppress(BadFormula):
        assert evaluate(text, GIVEN).dtype == np.float64


def test_names_are_all_that_a_formula_needs() -> None:
    """Functions too: a lesson that names what is not there is refused when it is read."""
    assert names("softmax(Q @ T(K) / sqrt(2))[0]") == {"softmax", "Q", "T", "K", "sqrt"}
