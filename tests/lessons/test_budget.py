"""What a formula may cost: refused before anything is computed, and counted honestly."""

import inspect
import math
import tracemalloc
from pathlib import Path

import attrs
import numpy as np
import pytest

import explorer
from explorer.errors import BadFormula, BadLesson, ExplorerError, NotInSentence, TakesTooLong, TakesTooMuch, TooDeep
from explorer.lang import LANGUAGES, Words
from explorer.lessons.check import findings, scope_of
from explorer.lessons.cost import CELL_BYTES, Budget, Cost, Priced, number, size, whole
from explorer.lessons.formula import evaluate
from explorer.lessons.known import PLAIN
from explorer.lessons.lesson import Claim, Step, Text
from explorer.lessons.lesson_file import LessonFile
from explorer.picture.makers.lesson import claims_html
from explorer.picture.theme import LIGHT
from explorer.toml_text import deep_line
from explorer.trace.trace import Trace
from tests.picture.examples import example

A, V = np.arange(12.0).reshape(3, 4), np.ones(1000)
GIVEN = {**PLAIN, "A": A, "v": V, "wide": np.ones((1, 9_000)), "long": np.ones(3_000_000), "tiny": np.full((400, 400), 1e-160)}

TOO_MUCH = [
    "pe_table(1e18, 0.5 * 2)",
    "pe_table(1e18, 1)",
    "pe_table(1e308, 1e308)",
    "pe(0, 1e18)",
    "causal(1e9)",
    "rotation(1, 1e9)",
    "doubled(1, 1e12)",
    "T(wide) + wide",
    "wide * T(wide)",
    "masked(wide, T(wide))",
    "T(wide) @ wide",
    "join(long, long, long)",
    "[long, long, long]",
    "rows(wide, [0, 0] * T(wide))",
    "causal(1e308)",
    "pe_table(1e200, 1e200)",
]
TOO_LONG = [
    "sin(long)",
    "long ** 0.5",
    "v[0:100] * 0 + sum(sin(long))",
    "long % 7",
    "nearest_distance(causal(900))",
    "tiny @ tiny",
    "nearest_distance(tiny)",
    "best_pairs(causal(900), 1)",
    "layer_norm(long[0:600000])",
    "softmax(long[0:900000])",
    "exp(exp(exp(long[0:400000])))",
    "causal(600) @ causal(600)",
]
NO_SIZE = [
    "causal(-1)",
    "pe_table(-1, 4)",
    "pe(0, -4)",
    "pe(0, 2.5)",
    "causal(inf)",
    "causal(0 / 0)",
    "rotation(1, -2)",
    "split_heads(A, 0)",
    "split_heads(A, -1)",
    "split_heads(A, 0.5)",
    "A[0.5]",
    "A[1e400]",
    "A[0 / 0]",
    "layer_norm(A, eps=A)",
    "layer_norm(A, eps=T(wide))",
    "masked(A, A, value=A)",
    "pe(A, 4)",
    "round(A, v)",
    "sum(A, axis=v)",
    "std(A, A)",
    "best_pairs(A, A)",
    "best_pairs(v, 1)",
    "nearest_distance(v)",
    "pe(0, 4, base=v)",
]


def with_names(scope: dict[str, object]) -> dict[str, object]:
    return {**scope, "inf": np.inf}


@pytest.mark.parametrize("formula", TOO_MUCH)
def test_memory_is_refused_before_it_is_taken(formula: str) -> None:
    """Sizes are known before values: less than four megabytes are ever held."""
    tracemalloc.start()
    try:
        with pytest.raises(TakesTooMuch) as caught:
            evaluate(formula, {**GIVEN, "long": np.broadcast_to(np.float64(1), (3_000_000,))})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 4e6
    for language in LANGUAGES:
        assert "64 MB" in Words.load(language).error(caught.value)


@pytest.mark.parametrize("formula", TOO_LONG)
def test_time_is_refused_before_it_is_spent(formula: str) -> None:
    """By the number of operations, so that the answer is the same on every machine."""
    with pytest.raises(TakesTooLong) as caught:
        evaluate(formula, GIVEN)

    for language, word in (("zh", "10 毫秒"), ("en", "10 ms")):
        assert word in Words.load(language).error(caught.value)


@pytest.mark.parametrize("formula", ["sin(long)", "tiny @ tiny", "T(wide[:, 0:999]) + wide[:, 0:999]"])
def test_without_a_budget_nothing_is_refused(formula: str) -> None:
    """So it is the budget that refuses, and not an accident."""
    assert evaluate(formula, GIVEN, Budget(math.inf, math.inf)).size


@pytest.mark.parametrize("formula", NO_SIZE)
def test_what_is_no_size_is_refused(formula: str) -> None:
    """Negative, broken, infinite, NaN, none, or many."""
    with pytest.raises(BadFormula):
        evaluate(formula, with_names(GIVEN))


def test_a_budget_is_spent_to_its_end_and_no_further() -> None:
    """What fits exactly is taken; NaN and infinity never fit."""
    budget = Budget(limit_ms=1, limit_mb=8)
    budget.charge(Cost(1e6, 1e6))
    with pytest.raises(TakesTooMuch):
        budget.charge(Cost(1, 0))
    with pytest.raises(TakesTooLong):
        Budget(1, 8).charge(Cost(0, 1e6 + 1))
    for bad in (math.nan, math.inf):
        with pytest.raises(TakesTooMuch):
            Budget().charge(Cost(bad, 0))
        with pytest.raises(TakesTooLong):
            Budget().charge(Cost(0, bad))


ARGUMENTS: dict[str, tuple[object, ...]] = {
    "pe": (3, 30_000),
    "doubled": (3, 30_000),
    "pe_table": (600, 64),
    "rotation": (7, 300),
    "causal": (300,),
    "best_pairs": (np.random.default_rng(0).random((900, 64)), 1),
    "split_heads": (np.ones((300, 128)), 4),
    "rows": (np.ones((30, 100)), np.zeros(900)),
    "masked": (np.ones((300, 1)), np.ones((1, 300))),
    "join": (np.ones(30_000), np.ones(30_000)),
    "round": (np.ones(60_000), 2),
    "sum": (np.ones((300, 200)), 0),
    "mean": (np.ones((300, 200)), 1),
    "std": (np.ones((300, 200)), 1),
    "nearest_distance": (np.random.default_rng(0).random((400, 9)),),
    "run": ("usual", "loss"),
}


@pytest.mark.parametrize("name", [name for name, known in PLAIN.items() if isinstance(known, Priced)])
def test_a_function_takes_no_more_memory_than_its_price_says(name: str) -> None:
    """All that it holds at once, its result included, but for a few kilobytes."""
    known = PLAIN[name]
    given = ARGUMENTS.get(name, (np.random.default_rng(0).random((300, 200)),))
    arguments = [each if known.texts else np.asarray(each, np.float64) for each in given]
    known.function(*arguments)  # what is loaded at the first call is not the formula's
    tracemalloc.start()
    try:
        with np.errstate(all="ignore"):
            result = known.function(*arguments)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert np.size(result)
    assert peak <= known.price(*arguments).cells * CELL_BYTES + 100_000


@pytest.mark.parametrize("name", [name for name, known in PLAIN.items() if isinstance(known, Priced)])
def test_a_price_takes_what_its_function_takes(name: str) -> None:
    """Names of arguments too, for a formula may use them."""
    known = PLAIN[name]
    asked, told = inspect.signature(known.function).parameters, inspect.signature(known.price).parameters

    assert len(asked) == len(told)
    assert list(asked)[1:] == list(told)[1:] or name == "split_heads"


def long_pass(n: int) -> Trace:
    """A pass whose maps would be of n tokens; they are one cell, seen n·n times."""
    trace = example()
    name = "encoder.layers.0.self_attn.weights"
    arrays = {**trace.arrays, name: np.broadcast_to(np.float32(0.5), (8, n, n))}
    return attrs.evolve(trace, arrays=arrays)


def test_a_formula_pays_only_for_what_it_reads() -> None:
    """One row of a map of 4096 × 4096 is read; the whole of it is not."""
    scope = scope_of(long_pass(4096), {})
    budget = Budget()

    assert evaluate("sum(tap('encoder.layers.0.self_attn.weights')[0, 5])", scope, budget) == 2048
    assert budget.cells <= 2 * 4096
    for formula in ("tap('encoder.layers.0.self_attn.weights')", "sum(tap('encoder.layers.0.self_attn.weights')[0])"):
        with pytest.raises(TakesTooMuch):
            evaluate(formula, scope)


def test_a_scope_costs_nothing_until_it_is_used() -> None:
    """The table of positions is handed on as it was recorded."""
    trace = example()

    assert scope_of(trace, {})["places"] is trace.places
    assert evaluate("places", scope_of(trace, {})).dtype == np.float64
    assert evaluate("count(ids)", scope_of(trace, {})) == len(trace.tokens.source)


@pytest.mark.parametrize(
    "formula",
    [
        "(" * 250 + "1" + ")" * 250,
        "[" * 31 + "1" + "]" * 31,
        "-" * 590 + "1",
        "+".join(["1"] * 290),
        "1" + "*2" * 250,
        "1" * 601,
        "sum(" * 100 + "1" + ")" * 100,
        "**".join("2" * 150),
        "A" + "[0]" * 150,
        "[[" * 300,
    ],
)
def test_what_is_nested_too_deeply_is_refused(formula: str) -> None:
    """With both limits in the sentence, of which the formula itself is a small part."""
    with pytest.raises(TooDeep) as caught:
        evaluate(formula, GIVEN)

    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "600" in sentence and "30" in sentence and len(sentence) < 250


def test_a_number_can_have_too_many_digits() -> None:
    """400 of them are no number of a computer's; the sentence does not repeat them all."""
    with pytest.raises(BadFormula) as caught:
        evaluate("1 + " + "9" * 400, GIVEN)

    for language in LANGUAGES:
        assert "1.8e308" in Words.load(language).error(caught.value)
        assert len(Words.load(language).error(caught.value)) < 200


@pytest.mark.parametrize(
    "formula",
    [
        "where('狗')",
        "where('狗')[0]",
        "tap('encoder.embedding.output')[where('狗')[0]]",
        "mean(where('狗'))",
        "max(where('狗'))",
        "tap('encoder.embedding.output')[where('狗')]",
        "places[90:]",
        "pe(where('狗')[0], 4)",
        "softmax(where('狗'))",
    ],
)
def test_a_word_that_is_not_there_is_said_to_be_absent(formula: str) -> None:
    """In the claim's own row, beside claims that have their numbers; no empty cell, no error."""
    trace = example()
    trace = attrs.evolve(trace, places=trace.places[:9])
    claims = (Claim(Text("狗", "dog"), formula, np.array(3.0)), Claim(Text("二", "two"), "1 + 1"))
    absent, there = findings(Step(Text("", ""), claims=claims), trace)

    assert (absent.computed.size, absent.error, absent.agrees) == (0, None, False)
    assert there.computed == 2
    for language, word in (("zh", "这句话里没有"), ("en", "not in this sentence")):
        html = claims_html((absent, there), Words.load(language), LIGHT)
        assert html.count(word) == 1 and html.count("<table") == 1


def test_a_word_that_is_there_can_be_an_index() -> None:
    """Its place, alone or as the first of several; the number of places is 0 where there is none."""
    trace = example()
    word = trace.tokens.source[1].text
    scope = scope_of(trace, {})

    assert evaluate(f"where('{word}')", scope).tolist() == [1]
    assert np.array_equal(evaluate(f"places[where('{word}')]", scope), trace.places[1])
    assert evaluate("count(where('狗'))", scope) == 0


def test_a_word_that_is_generated_is_found_at_its_step() -> None:
    """The query that looks for it, in the weights of every head of all layers."""
    trace = explorer.explore("他们写书。", preset="translator")
    scope, words = scope_of(trace, {}), [trace.symbols[number] for number in trace.expected]
    everything = np.concatenate([trace[f"decoder.layers.{layer}.cross_attn.weights"] for layer in range(3)])

    assert len(set(words)) == len(words) > 2
    assert [evaluate(f"written('{word}')", scope).tolist() for word in words] == [[step] for step in range(len(words))]
    assert evaluate("count(written('nowhere'))", scope) == 0
    assert np.array_equal(evaluate("weights('decoder.cross_attn')", scope), everything)
    assert evaluate(f"max(weights('decoder.cross_attn')[:, written('{words[1]}')[0], 2])", scope) == everything[:, 1, 2].max()


def test_a_claim_that_does_not_fit_leaves_the_others_alone() -> None:
    """Its sentence stands in its own row, and no mark-up of the lesson's reaches the page."""
    claims = (
        Claim(Text("一", "one"), "tap('<b>nowhere</b>')"),
        Claim(Text("二", "two"), "1 + 1"),
        Claim(Text("三", "three"), "[1, 2]", np.array(1.0)),
    )
    first, second, third = findings(Step(Text("", ""), claims=claims), example())

    assert isinstance(first.error, ExplorerError) and isinstance(third.error, BadFormula)
    assert second.computed == 2 and second.error is None
    assert "<b>" not in claims_html((first, second, third), Words.load("en"), LIGHT)


def test_numbers_that_are_sizes_are_told_from_others() -> None:
    """The three readers of single numbers."""
    assert (number(np.float64(2.5)), whole(np.array(-3.0)), size(4.0)) == (2.5, -3, 4)
    with pytest.raises(NotInSentence):
        number(np.zeros(0))
    for reader, value in ((number, [1.0]), (whole, 2.5), (whole, math.nan), (size, -1.0)):
        with pytest.raises(BadFormula):
            reader(value)


@pytest.mark.parametrize(
    "formula", ["round(1.5, 2000000000)", "round(1.5, 0 - 2000000000)", "A[((0, 0, 0),)]", "A[(0, (0, 1))]"]
)
def test_what_numpy_does_step_by_step_or_by_copying_is_refused(formula: str) -> None:
    """Places of rounding without end, and an index that picks cells one by one."""
    with pytest.raises(BadFormula):
        evaluate(formula, {**PLAIN, "A": np.ones((4, 4))})


@pytest.mark.parametrize(
    "text", ['"\\' * 100_000, '"""' * 100_000, "'''" * 100_000, "'" * 200_000, '"' * 200_000, '"""\\' * 60_000], ids=range(6)
)
def test_texts_that_are_never_closed_are_passed_over_once(text: str) -> None:
    """Each place is looked at a few times; looked at again from each quotation mark, this test takes an hour."""
    assert deep_line(f"x = {text}") in (0, 1)
    with pytest.raises(BadLesson) as caught:
        LessonFile(Path("a.toml"), "\n\nx = " + ("9" * 999 + "_") * 255 + "9").table()
    assert caught.value.values["line"] == 3


def test_brackets_in_texts_are_no_brackets() -> None:
    """In texts of all four kinds and in comments; behind them they count."""
    deep = "[" * 40
    one, three = "'", "'''"
    inside = (
        f'a = "{deep}"\nb = {one}{deep}{one}\nc = """{deep}"x""{deep}"""\nd = {three}{deep}{one}x{three}\n'
        f'e = 1 # {deep}\nf = "\\"{deep}"\n'
    )
    assert deep_line(inside) == 0
    assert deep_line(inside + f"g = {deep}") == 7
